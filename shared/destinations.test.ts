/**
 * All destinations of a link are listed, and a change of one of them is known from a change of something else.
 *
 * @module
 */
import { test } from "vitest";
import { destinationsOf, leadsElsewhere, mapDestinations } from "./destinations.ts";
import { LINK_DEFAULTS, type LinkSettings } from "./link.ts";
import type { Rule } from "./rules.ts";

const ONE: LinkSettings = { ...LINK_DEFAULTS, longUrl: "https://a.example/" };
const BOTH: LinkSettings = { ...ONE, expiredUrl: "https://b.example/" };

const split: Rule = {
  split: [
    { longUrl: "https://a.example/", weight: 1 },
    { longUrl: "https://b.example/", weight: 2 },
  ],
};

test("every setting that holds a URL is among them", ({ expect }) => {
  expect(destinationsOf(ONE)).toEqual([{ path: "longUrl", url: "https://a.example/" }]);
  expect(destinationsOf(BOTH)).toEqual([
    { path: "longUrl", url: "https://a.example/" },
    { path: "expiredUrl", url: "https://b.example/" },
  ]);
  // Whatever else of a link comes to hold an address is to be listed as well.
  const holding = Object.entries(mapDestinations(BOTH, () => "found")).filter(([, value]) => value === "found");
  expect(holding.map(([name]) => name).toSorted()).toEqual(
    Object.keys(BOTH)
      .filter((name) => /url/i.test(name))
      .toSorted(),
  );
});

test.for<[name: string, before: LinkSettings, after: LinkSettings, leads: boolean]>([
  ["another title", ONE, { ...ONE, title: "x" }, false],
  ["a URL that goes", BOTH, ONE, false],
  ["two that change places", BOTH, { ...BOTH, longUrl: "https://b.example/", expiredUrl: "https://a.example/" }, false],
  ["another URL", ONE, { ...ONE, longUrl: "https://c.example/" }, true],
  ["a second URL", ONE, BOTH, true],
  ["one that is disabled", ONE, { ...ONE, disabled: true }, false],
  ["one that is enabled again", { ...ONE, disabled: true }, ONE, true],
])("%s", ([, before, after, leads], { expect }) => {
  expect(leadsElsewhere(before, after)).toBe(leads);
});

test("every URL of a link is named by its field, and only URLs are changed", ({ expect }) => {
  const ruled: LinkSettings = {
    ...ONE,
    title: "https://no.example/",
    expiredUrl: "https://over.example/",
    rules: [{ if: { language: ["fr"] }, then: { longUrl: "https://fr.example/" } }, split, { if: {}, then: split }],
  };
  expect(destinationsOf(ruled)).toEqual([
    { path: "longUrl", url: "https://a.example/" },
    { path: "expiredUrl", url: "https://over.example/" },
    { path: "rules.0.then.longUrl", url: "https://fr.example/" },
    { path: "rules.1.split.0.longUrl", url: "https://a.example/" },
    { path: "rules.1.split.1.longUrl", url: "https://b.example/" },
    { path: "rules.2.then.split.0.longUrl", url: "https://a.example/" },
    { path: "rules.2.then.split.1.longUrl", url: "https://b.example/" },
  ]);
  expect(destinationsOf(ONE)).toEqual([{ path: "longUrl", url: "https://a.example/" }]);
  expect(mapDestinations(ruled, ({ url }) => url)).toEqual(ruled);
  const changed = mapDestinations(ruled, ({ url, path }) => `${url}?${path}`);
  expect(destinationsOf(changed)).toEqual(
    destinationsOf(ruled).map(({ path, url }) => ({ path, url: `${url}?${path}` })),
  );
  expect(changed.title).toBe(ruled.title);
});
