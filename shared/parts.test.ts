/**
 * Parts hold every item once, in order, and none is larger than it may be.
 *
 * @module
 */
import { test } from "vitest";
import { partsOf } from "./parts.ts";

const sizeOf = (text: string): number => text.length;

test("parts end where the next item would be one too many, or too much", ({ expect }) => {
  const limits = { items: 2, size: 4 };
  expect(partsOf([], sizeOf, limits)).toEqual([]);
  expect(partsOf(["a", "b", "c"], sizeOf, limits)).toEqual([["a", "b"], ["c"]]);
  expect(partsOf(["aaa", "b", "cc"], sizeOf, limits)).toEqual([["aaa", "b"], ["cc"]]);
  expect(partsOf(["aaa", "bb", "cc"], sizeOf, limits)).toEqual([["aaa"], ["bb", "cc"]]);
});

test("an item that is larger than a part is one of its own", ({ expect }) => {
  expect(partsOf(["a", "bbbbbb", "c"], sizeOf, { items: 9, size: 4 })).toEqual([["a"], ["bbbbbb"], ["c"]]);
});
