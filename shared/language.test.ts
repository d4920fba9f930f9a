/**
 * A visitor's language is the one that their browser names first, by quality.
 *
 * @module
 */
import fc from "fast-check";
import { test } from "vitest";
import { isOfLanguage, preferredLanguages } from "./language.ts";

test.for([
  // As Chrome, Firefox, Safari and curl send it.
  ["de-DE,de;q=0.9,en-US;q=0.8,en;q=0.7", ["de-de"]],
  ["fr,fr-FR;q=0.8,en-US;q=0.5,en;q=0.3", ["fr"]],
  ["pt-BR", ["pt-br"]],
  ["en-GB, en; q=0.9", ["en-gb"]],
  // The order is no preference; the quality is.
  ["en;q=0.5, fr;q=0.9, de;q=0.8", ["fr"]],
  ["fr;q=0.5", ["fr"]],
  ["fr; Q = 0.5, de; q=0.50", ["fr", "de"]],
  ["de, en", ["de", "en"]],
  ["de;q=1.000,en;q=1", ["de", "en"]],
  ["*", []],
  ["*, fr;q=0.5", ["fr"]],
  ["de;q=0, fr;q=0.1", ["fr"]],
  ["de;q=0", []],
  ["de;q=2, fr;q=-1, it;q=x, es;q=, en;q=0.1", ["en"]],
  ["<script>, ../, ß, en_US", []],
  ["", []],
  [",,;q=1,", []],
  [null, []],
] as const)("of %s it is %s", ([header, tags], { expect }) => {
  expect(preferredLanguages(header)).toEqual(tags);
});

test("nothing in the header throws, and a long one is cut", ({ expect }) => {
  fc.assert(fc.property(fc.string({ unit: "binary" }), (header) => void preferredLanguages(header)));
  expect(preferredLanguages("aa,".repeat(100_000)).length).toBeLessThanOrEqual(50);
});

test("a language is that of each of its countries, and a country's only its own", ({ expect }) => {
  for (const [tag, range, is] of [
    ["fr-ca", "fr", true],
    ["fr", "FR", true],
    ["fr", "fr-CA", false],
    ["pt-br", "pt-BR", true],
    ["pt-pt", "pt-BR", false],
    ["pt", "pt-BR", false],
    ["zh-hant-tw", "zh-Hant", true],
    ["fry", "fr", false],
    ["frx-ca", "fr", false],
  ] as const)
    expect(isOfLanguage(tag, range), `${tag} ${range}`).toBe(is);
});
