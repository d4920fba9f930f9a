/**
 * What is packed is read again, and nothing else is taken for misses.
 *
 * @module
 */
import { test } from "vitest";
import { packMisses, unpackMisses } from "./miss.ts";

const miss = { key: { domain: "go.example.com", code: "größe" }, misses: 3, lastAt: 1_764_547_200_000 };

test("what was packed is what is read", ({ expect }) => {
  expect(unpackMisses(packMisses([miss, miss]))).toEqual([miss, miss]);
});

test.for([
  undefined,
  {},
  "",
  "[]",
  "{}",
  JSON.stringify({ v: 2, misses: [] }),
  JSON.stringify({ v: 1, misses: {} }),
  JSON.stringify({ v: 1, clicks: [] }),
])("%o tells of no misses", (body, { expect }) => {
  expect(unpackMisses(body)).toBeUndefined();
});

test("a broken item takes no other along", ({ expect }) => {
  const good = { domain: "a.example", code: "b", n: 1, lastAt: 5 };
  const broken = [
    null,
    {},
    { ...good, n: 0 },
    { ...good, n: 1.5 },
    { ...good, lastAt: 1e20 },
    { ...good, code: 1 },
    { ...good, code: "a\u0000" },
    { ...good, domain: "\ud800" },
  ];
  expect(unpackMisses(JSON.stringify({ v: 1, misses: [...broken, good] }))).toEqual([
    { key: { domain: "a.example", code: "b" }, misses: 1, lastAt: 5 },
  ]);
});
