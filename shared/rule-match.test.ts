/**
 * The first rule that fits a visitor gives the destination.
 *
 * @module
 */
import fc from "fast-check";
import { test } from "vitest";
import { destinationFor, type RuleVisitor } from "./rule-match.ts";
import type { Conditions, Rule } from "./rules.ts";
import { rulesOfSeed } from "./testing/rules.ts";

const LINK = "421234567890123456";
const NOW = 1_800_000_000_000;
const nobody: RuleVisitor = { now: NOW, country: null, userAgent: null, acceptLanguage: null, address: null };
const visitor: RuleVisitor = {
  now: NOW,
  country: "CA",
  userAgent: "Mozilla/5.0 (iPhone; CPU iPhone OS 18_7 like Mac OS X) AppleWebKit/605.1.15 Mobile/15E148",
  acceptLanguage: "fr-CA,fr;q=0.9,en;q=0.8",
  address: "198.51.100.1",
};
const anyRules = fc
  .nat()
  .map((seed): readonly Rule[] => rulesOfSeed(seed, ["https://a.example/", "https://b.example/"]));
const there = "https://there.example/";
const rule = (conditions: Conditions, longUrl = there): Rule => ({ if: conditions, then: { longUrl } });

test.for([
  ["nothing fits everybody", {}, true],
  ["the country", { country: ["CA"] }, true],
  ["another country", { country: ["US"] }, false],
  ["one of the countries", { country: ["US", "CA"] }, true],
  ["the device", { device: ["ios"] }, true],
  ["one of the devices", { device: ["tablet", "mobile"] }, true],
  ["another device", { device: ["android", "tablet", "desktop"] }, false],
  ["the language", { language: ["fr"] }, true],
  ["the language in its country", { language: ["fr-CA"] }, true],
  ["the language in another country", { language: ["fr-FR"] }, false],
  ["a language that is merely accepted", { language: ["en"] }, false],
  ["one of the languages", { language: ["en", "fr"] }, true],
  ["from this very millisecond", { after: NOW }, true],
  ["from the next millisecond", { after: NOW + 1 }, false],
  ["up to this very millisecond", { before: NOW }, false],
  ["up to the next millisecond", { before: NOW + 1 }, true],
  ["a time in between", { after: NOW - 1, before: NOW + 1 }, true],
  ["all of it", { country: ["CA"], device: ["mobile"], language: ["fr"], after: 1, before: NOW + 1 }, true],
  ["all but one", { country: ["CA"], device: ["desktop"], language: ["fr"], after: 1, before: NOW + 1 }, false],
] as const)("%s", ([, conditions, fits], { expect }) => {
  expect(destinationFor([rule(conditions)], LINK, visitor)).toBe(fits ? there : null);
});

test("a visitor of whom nothing is known fits no condition but those on time", ({ expect }) => {
  for (const conditions of [{ country: ["CA"] }, { device: ["ios", "desktop"] as const }, { language: ["fr"] }])
    expect(destinationFor([rule(conditions)], LINK, nobody)).toBeNull();
  expect(destinationFor([rule({ after: NOW })], LINK, nobody)).toBe(there);
  expect(destinationFor([{ split: [{ longUrl: there, weight: 1 }] }], LINK, nobody)).toBe(there);
});

test("the first that fits wins, and what stands behind it never counts", ({ expect }) => {
  fc.assert(
    fc.property(anyRules, (rules) => {
      const alone = rules.map((one) => destinationFor([one], LINK, visitor));
      expect(destinationFor(rules, LINK, visitor)).toBe(alone.find((url) => url !== null) ?? null);
    }),
  );
  expect(destinationFor([], LINK, visitor)).toBeNull();
});

test("a split stays as it is when rules are put in front of it or its conditions change", ({ expect }) => {
  const split: Rule = {
    split: [
      { longUrl: "https://a.example/", weight: 1 },
      { longUrl: "https://b.example/", weight: 1 },
    ],
  };
  for (let at = 0; at < 100; at += 1) {
    const one = { ...visitor, address: `198.51.100.${at}` };
    const url = destinationFor([split], LINK, one);
    expect(destinationFor([rule({ country: ["US"] }), rule({ device: ["android"] }), split], LINK, one)).toBe(url);
    expect(destinationFor([{ if: { country: ["CA"] }, then: split }], LINK, one)).toBe(url);
  }
});

test("nothing is read of a visitor that no rule asks for", ({ expect }) => {
  const read: string[] = [];
  const watched = new Proxy(nobody, {
    get: (target, name, receiver): unknown => {
      read.push(String(name));
      return Reflect.get(target, name, receiver);
    },
  });
  destinationFor(
    [rule({ after: NOW + 1, country: ["CA"] }), rule({ country: ["CA"], language: ["fr"] })],
    LINK,
    watched,
  );
  expect(new Set(read)).toEqual(new Set(["now", "country"]));
});
