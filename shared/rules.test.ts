/**
 * Stored rules are read whole or not at all.
 *
 * @module
 */
import fc from "fast-check";
import { describe, test } from "vitest";
import { mapRules, MAX_ARMS, MAX_RULES, MAX_WEIGHT, NO_RULES, readRules, repeatedArm, type Rule } from "./rules.ts";
import { rulesOfSeed } from "./testing/rules.ts";

const anyRules = fc
  .nat()
  .map((seed): readonly Rule[] =>
    rulesOfSeed(seed, ["https://a.example/", "https://b.example/", "https://c.example/"]),
  );
const same = (text: string): string => text;
const A = { longUrl: "https://a.example/", weight: 1 };

test("read is what was stored, whatever order the store gave the keys", ({ expect }) => {
  fc.assert(
    fc.property(anyRules, (rules) => {
      const turned: unknown = JSON.parse(JSON.stringify(rules), (_key, value: unknown) =>
        typeof value === "object" && value !== null && !Array.isArray(value)
          ? Object.fromEntries(Object.entries(value).toReversed())
          : value,
      );
      expect(readRules(turned, same)).toEqual(rules);
      expect(JSON.stringify(readRules(turned, same))).toBe(JSON.stringify(readRules(rules, same)));
    }),
  );
  expect(readRules([], same)).toBe(NO_RULES);
});

describe("what is not understood whole is not read", () => {
  test.for([
    null,
    {},
    "[]",
    [null],
    [[]],
    [{}],
    [{ if: {} }],
    [{ then: { longUrl: "https://a.example/" } }],
    [{ if: {}, then: {} }],
    [{ if: null, then: { longUrl: "https://a.example/" } }],
    [{ if: {}, then: { longUrl: 5 } }],
    [{ if: {}, then: { longUrl: "https://a.example/" }, unless: {} }],
    [{ if: {}, then: { longUrl: "https://a.example/", title: "" } }],
    [{ if: { browser: ["Firefox"] }, then: { longUrl: "https://a.example/" } }],
    [{ if: { country: [] }, then: { longUrl: "https://a.example/" } }],
    [{ if: { country: ["de"] }, then: { longUrl: "https://a.example/" } }],
    [{ if: { country: "DE" }, then: { longUrl: "https://a.example/" } }],
    [{ if: { device: ["watch"] }, then: { longUrl: "https://a.example/" } }],
    [{ if: { language: ["*"] }, then: { longUrl: "https://a.example/" } }],
    [{ if: { after: "2026-12-01T00:00:00Z" }, then: { longUrl: "https://a.example/" } }],
    [{ if: { before: null }, then: { longUrl: "https://a.example/" } }],
    [{ split: [] }],
    [{ split: A }],
    [{ split: [A], if: {} }],
    [{ split: [{ ...A, weight: 0 }] }],
    [{ split: [{ ...A, weight: 0.5 }] }],
    [{ split: [{ ...A, weight: "1" }] }],
    [{ split: [{ ...A, weight: MAX_WEIGHT + 1 }] }],
    [{ split: [{ longUrl: "https://a.example/" }] }],
    [{ split: Array.from({ length: MAX_ARMS + 1 }, () => A) }],
    Array.from({ length: MAX_RULES + 1 }, () => ({ split: [A] })),
  ])("%j", (value, { expect }) => {
    expect(readRules(value, same)).toBeUndefined();
    // Nor when it stands behind one that is.
    if (Array.isArray(value) && value.length < MAX_RULES)
      expect(readRules([{ split: [A] }, ...value], same)).toBeUndefined();
  });

  test("any JSON at all, without throwing", ({ expect }) => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const read = readRules(value, same);
        expect(read === undefined || JSON.stringify(read) === JSON.stringify(value)).toBe(true);
      }),
    );
  });

  test("one destination that may not be used", ({ expect }) => {
    fc.assert(
      fc.property(anyRules, (rules) => {
        const hasB = JSON.stringify(rules).includes("b.example");
        const read = readRules(rules, (text) => (text === "https://b.example/" ? undefined : text));
        expect(read === undefined).toBe(hasB);
      }),
    );
  });
});

test("a destination that a split has twice is found, and one that two rules share is none", ({ expect }) => {
  const B = { longUrl: "https://b.example/", weight: 1 };
  expect(repeatedArm([{ split: [A, B] }, { split: [A, B] }, { if: {}, then: { longUrl: A.longUrl } }])).toBeUndefined();
  expect(repeatedArm([{ split: [A, B] }, { if: {}, then: { split: [B, A, { ...B, weight: 2 }] } }])).toBe(
    "1.then.split.2.longUrl",
  );
});

test("changing nothing changes nothing", ({ expect }) => {
  fc.assert(
    fc.property(anyRules, (rules) => {
      expect(mapRules(rules, same)).toEqual(rules);
    }),
  );
});
