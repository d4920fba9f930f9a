/**
 * A cursor comes back as the position that it was made of, and nothing else is taken for one.
 *
 * @module
 */
import { test } from "vitest";
import { cursorOf, type ListOrder, positionIn } from "./cursor.ts";

const NEWEST: ListOrder = { sort: "createdAt", order: "desc" };
const POSITION = { value: 1_780_000_000_123, id: "9223372036854775807" };

test("a cursor is safe in a query and comes back as it was", ({ expect }) => {
  const cursor = cursorOf(NEWEST, POSITION);
  expect(cursor).toMatch(/^[\w-]+$/);
  expect(positionIn(cursor, NEWEST)).toEqual(POSITION);
});

test("B175: a cursor of another order is none", ({ expect }) => {
  const cursor = cursorOf(NEWEST, POSITION);
  expect(positionIn(cursor, { ...NEWEST, order: "asc" })).toBeNull();
  expect(positionIn(cursor, { ...NEWEST, sort: "clickCount" })).toBeNull();
});

test.for([
  "",
  "a",
  "=",
  "%00",
  "null",
  btoa("createdAt.desc.1"),
  btoa("createdAt.desc.-1.1"),
  btoa("createdAt.desc.1.9223372036854775808"),
  btoa("createdAt.desc.253402300800000.1"),
  btoa("createdAt.desc.1e3.1"),
  `${cursorOf(NEWEST, POSITION)}a`,
])("B175: %j is no cursor", (cursor, { expect }) => {
  expect(positionIn(cursor.replaceAll("=", ""), NEWEST)).toBeNull();
});
