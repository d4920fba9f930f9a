/**
 * A split gives each destination its share, the same visitor the same one, and moves no more of them than a change needs.
 *
 * @module
 */
import fc from "fast-check";
import { describe, test } from "vitest";
import type { Arm, Split } from "./rules.ts";
import { armOf, visitorOf } from "./split.ts";
import { createDice } from "./testing/dice.ts";

const VISITORS = 8000;
const LINK = "421234567890123456";
const BROWSERS = ["Mozilla/5.0 (X11; Linux x86_64)", "Mozilla/5.0 (Windows NT 10.0)", "Mozilla/5.0 (iPhone)"] as const;

type Named = readonly [name: string, weight: number];
const arm = ([name, weight]: Named): Arm => ({ longUrl: `https://${name}.example/`, weight });
const split = (first: Named, ...others: readonly Named[]): Split => ({ split: [arm(first), ...others.map(arm)] });
const visitor = (address: string | null, userAgent: string | null = BROWSERS[0]) => visitorOf(LINK, address, userAgent);

/** Addresses as they come, from one seed. */
function crowd(seed: number, linkId = LINK): readonly string[] {
  const dice = createDice(seed);
  return Array.from({ length: VISITORS }, () => {
    const address = Array.from({ length: 4 }, () => dice.below(256)).join(".");
    return visitorOf(linkId, address, dice.pick(BROWSERS));
  });
}

const urlsOf = (of: Split, visitors: readonly string[]): string[] => visitors.map((one) => armOf(of, one).longUrl);

/** Pearson's statistic; with k destinations it has k - 1 degrees of freedom. */
function chiSquare({ split: arms }: Split, urls: readonly string[]): number {
  const whole = arms.reduce((sum, { weight }) => sum + weight, 0);
  return arms.reduce((sum, { longUrl, weight }) => {
    const expected = (urls.length * weight) / whole;
    return sum + (urls.filter((url) => url === longUrl).length - expected) ** 2 / expected;
  }, 0);
}

/** The value that chance exceeds once in 10,000 times, by degrees of freedom (1, 2, 3, 9). */
const ONE_IN_10_000: Readonly<Record<number, number>> = { 1: 15.14, 2: 18.42, 3: 21.11, 9: 33.72 };

describe("each destination gets its share", () => {
  test.for<[Split]>([
    [split(["a", 50], ["b", 50])],
    [split(["a", 70], ["b", 30])],
    [split(["a", 99], ["b", 1])],
    [split(["a", 1], ["b", 2], ["c", 3])],
    [split(["a", 10_000], ["b", 100], ["c", 100], ["d", 1000])],
    [split(["0", 1], ...Array.from({ length: 9 }, (_, at) => [`${at + 1}`, 1] as const))],
  ])("%j", ([of], { expect }) => {
    for (const seed of [1, 2, 3])
      expect(chiSquare(of, urlsOf(of, crowd(seed)))).toBeLessThan(ONE_IN_10_000[of.split.length - 1] ?? 0);
  });
});

test("addresses that follow each other, as those of one network do, are divided as well", ({ expect }) => {
  const of = split(["a", 1], ["b", 1]);
  const visitors = Array.from({ length: 1000 }, (_, at) =>
    visitorOf(LINK, `203.0.${at >> 8}.${at & 255}`, BROWSERS[0]),
  );
  expect(chiSquare(of, urlsOf(of, visitors))).toBeLessThan(15.14);
});

test("a weight that grows draws visitors to its destination and moves nobody else, and only as many as needed", ({
  expect,
}) => {
  const visitors = crowd(4);
  const before = urlsOf(split(["a", 50], ["b", 30], ["c", 20]), visitors);
  const after = urlsOf(split(["a", 50], ["b", 30], ["c", 40]), visitors);
  const moved = after.filter((url, at) => url !== before[at]);
  expect(new Set(moved)).toEqual(new Set(["https://c.example/"]));
  // From a fifth to a third of all.
  expect(moved.length / VISITORS).toBeCloseTo(1 / 3 - 1 / 5, 1.7);
});

test("a destination that is added takes from all and gives to none; one that is removed leaves the others as they were", ({
  expect,
}) => {
  const visitors = crowd(5);
  const two = urlsOf(split(["a", 50], ["b", 50]), visitors);
  const three = urlsOf(split(["new", 50], ["a", 50], ["b", 50]), visitors);
  for (const [at, url] of three.entries()) if (url !== "https://new.example/") expect(url).toBe(two[at]);
  expect(chiSquare(split(["new", 1], ["a", 1], ["b", 1]), three)).toBeLessThan(18.42);
});

test("neither the order nor a factor in all weights moves anybody", ({ expect }) => {
  const arms = fc.uniqueArray(
    fc.record({ name: fc.stringMatching(/^[a-z]{1,4}$/), weight: fc.integer({ min: 1, max: 100 }) }),
    { selector: ({ name }) => name, minLength: 1, maxLength: 10 },
  );
  const visitors = crowd(6).slice(0, 200);
  fc.assert(
    fc.property(arms, fc.integer({ min: 1, max: 100 }), (of, factor) => {
      const made = (list: typeof of, times: number): Split => {
        const [first, ...others] = list.map(({ name, weight }) => [name, weight * times] as const);
        return split(first ?? ["never", 1], ...others);
      };
      expect(urlsOf(made(of.toReversed(), factor), visitors)).toEqual(urlsOf(made(of, 1), visitors));
    }),
  );
});

test("what a visitor gets on one link says nothing of another one", ({ expect }) => {
  const of = split(["a", 1], ["b", 1]);
  const here = urlsOf(of, crowd(7));
  const there = urlsOf(of, crowd(7, "421234567890123457"));
  const both = split(["aa", 1], ["ab", 1], ["ba", 1], ["bb", 1]);
  const pairs = here.map((url, at) => `https://${url.slice(8, 9)}${there[at]?.slice(8, 9)}.example/`);
  expect(chiSquare(both, pairs)).toBeLessThan(21.11);
});

describe("who a visitor is", () => {
  test("IPv6 addresses of one /64 are one visitor, of two they are two", ({ expect }) => {
    const home = visitor("2001:4860:1:2:3:4:5:6");
    for (const same of ["2001:4860:1:2::1", "2001:4860:1:2:ffff:0:1:2", "2001:4860:0001:2::", "2001:4860:1:2:A::F"])
      expect(visitor(same), same).toBe(home);
    for (const other of ["2001:4860:1:3::1", "2001:4860::2:3:4:5:6", "2001:4860:1::2"])
      expect(visitor(other), other).not.toBe(home);
  });

  test("IPv4 addresses are whole, also where they are mapped", ({ expect }) => {
    const texts = [
      "198.51.100.1",
      "198.51.100.2",
      "::ffff:198.51.100.1",
      "::ffff:c633:6402",
      "::1",
      "nonsense",
      "a:b",
      null,
    ];
    expect(new Set(texts.map((text) => visitor(text))).size).toBe(texts.length);
  });

  test("the browser and the link are part of it", ({ expect }) => {
    expect(visitor("198.51.100.1", BROWSERS[1])).not.toBe(visitor("198.51.100.1"));
    expect(visitorOf("1", "198.51.100.1", null)).not.toBe(visitorOf("2", "198.51.100.1", null));
  });

  test("it stays what it is, since visitors would be moved otherwise", ({ expect }) => {
    const of = split(["a", 1], ["b", 1], ["c", 1]);
    expect([visitor("198.51.100.1"), visitor("2600::1"), visitorOf("1", null, null)]).toEqual([
      "c110a0e008c28a0b",
      "aa74f41f7df095bf",
      "183b44439401bd03",
    ]);
    expect(
      urlsOf(of, crowd(8).slice(0, 8))
        .map((url) => url.slice(8, 9))
        .join(""),
    ).toBe("baaacaba");
  });
});
