/**
 * Counts survive their journey, and what is broken in a message is left out.
 *
 * @module
 */
import { test } from "vitest";
import { packCounts, unpackMessage } from "./click.ts";
import { bucketOf, type CountReport, readReport } from "./counters.ts";

const ID = "0b0f7c1e-5b0a-4b6e-9a59-0d8f2c3f6a11";

test("a report is read as it was packed, in a message that carries no click", ({ expect }) => {
  const report: CountReport = {
    id: ID,
    counts: new Map([
      ["requests:link:3xx", 12],
      ["stale_answers", 1],
    ]),
  };
  const body = packCounts(report);
  expect(readReport(body)).toEqual(report);
  expect(unpackMessage(body)).toEqual({ ok: true, clicks: [] });
});

test.for([
  ["no report", { v: 2, clicks: [] }],
  ["no id", { counters: { counts: { a: 1 } } }],
  ["an id that is none", { counters: { id: "7", counts: { a: 1 } } }],
  ["no counts", { counters: { id: ID, counts: null } }],
] as const)("%s is none", ([, message], { expect }) => {
  expect(readReport(JSON.stringify(message))).toBeUndefined();
});

const read = (counts: unknown) => readReport(JSON.stringify({ counters: { id: ID, counts } }))?.counts;

test("names and numbers that no counter has are left out, and there is an end to them", ({ expect }) => {
  const broken = { "": 1, A: 1, "a:b:c:d": 1, "a b": 1, zero: 0, less: -1, half: 0.5, text: "1", huge: 2 ** 60 };
  const many = Object.fromEntries(Array.from({ length: 500 }, (_, at) => [`c${at}`, 1]));
  expect(read({ ...broken, fine: 2 })).toEqual(new Map([["fine", 2]]));
  expect(read(many)?.size).toBe(200);
});

test("a duration lies in the first bucket that reaches it", ({ expect }) => {
  expect([0, 1, 1.1, 5000, 5001].map((ms) => bucketOf("redirect_ms", ms))).toEqual(["1", "1", "5", "5000", "inf"]);
});
