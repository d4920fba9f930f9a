/**
 * The stored form of an entry gives back what was stored, and nothing else is taken for one.
 *
 * @module
 */
import fc from "fast-check";
import { describe, test } from "vitest";
import { decodeEntry, encodeEntry, type Entry, sendableUrl } from "./entry.ts";
import { readRules, type Rule } from "./rules.ts";
import { rulesOfSeed } from "./testing/rules.ts";

const time = fc.integer({ min: 0, max: 8_640_000_000_000_000 });
const url = fc.webUrl({ withFragments: true, withQueryParameters: true }).map((text) => new URL(text).href);
const ruleLists = fc
  .tuple(fc.nat(), url, fc.array(url))
  .map(([seed, first, others]): readonly Rule[] => rulesOfSeed(seed, [first, ...others]));
const version = fc.integer({ min: 0, max: 9_007_199_254_740_991 });
const entries: fc.Arbitrary<Entry> = fc.oneof(
  fc.record({ kind: fc.constant("absent" as const), version, vouchedAt: time, tombstone: fc.boolean() }),
  fc.record({
    kind: fc.constant("present" as const),
    version,
    vouchedAt: time,
    linkId: fc.bigInt({ min: 0n, max: 2n ** 63n - 1n }).map(String),
    longUrl: url,
    redirectStatus: fc.constantFrom(301 as const, 302 as const, 307 as const, 308 as const),
    validSince: fc.option(time),
    expireAt: fc.option(time),
    expiredUrl: fc.option(url),
    disabled: fc.boolean(),
    maxClicks: fc.option(fc.integer({ min: 1 })),
    forwardQuery: fc.boolean(),
    forwardPath: fc.boolean(),
    passwordHash: fc.option(fc.string()),
    rules: fc.oneof(fc.constant([]), ruleLists),
  }),
);

describe("the stored form of an entry", () => {
  test("read is what was written, whatever the entry", ({ expect }) => {
    fc.assert(
      fc.property(entries, (entry) => {
        expect(decodeEntry(encodeEntry(entry))).toEqual(entry);
      }),
    );
  });

  test("two stored forms compare as text like their versions", ({ expect }) => {
    fc.assert(
      fc.property(entries, entries, (a, b) => {
        const [first, second] = [encodeEntry(a).slice(0, 16), encodeEntry(b).slice(0, 16)];
        expect(first < second).toBe(a.version < b.version);
      }),
    );
  });

  test("any other text is a miss and never throws", ({ expect }) => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        expect(decodeEntry(text)).toBeUndefined();
      }),
    );
    const whole = encodeEntry({ kind: "absent", version: 1, vouchedAt: 2, tombstone: false });
    for (let end = 0; end < whole.length; end += 1) expect(decodeEntry(whole.slice(0, end))).toBeUndefined();
    for (const broken of [
      "null",
      "0000000000000001null",
      "0000000000000001[]",
      "0000000000000001{}",
      '0000000000000001{"f":2,"at":1}',
    ]) {
      expect(decodeEntry(broken)).toBeUndefined();
    }
  });

  test("one that was stored before links could forward is read, and forwards nothing", ({ expect }) => {
    const before =
      '0000000000000001{"f":1,"at":2,"id":"3","to":"https://example.com/","st":302,"vs":null,"ex":null,"xu":null,"off":false,"max":null}';
    expect(decodeEntry(before)).toMatchObject({ forwardQuery: false, forwardPath: false });
    expect(stored("https://example.com/")).toBe(before);
    expect(decodeEntry(before.replace('"max"', '"fq":1,"max"'))).toBeUndefined();
    expect(decodeEntry(before.replace('"max"', '"fp":null,"max"'))).toBeUndefined();
  });

  test("one of a link with a password is of another form, so that whoever knows of none does not take it for an open one", ({
    expect,
  }) => {
    const open = stored("https://example.com/");
    const guarded = open.replace('"f":1', '"f":2').replace(/}$/, ',"pw":"x"}');
    expect(decodeEntry(guarded)).toMatchObject({ longUrl: "https://example.com/", passwordHash: "x" });
    expect(decodeEntry(open)).toMatchObject({ passwordHash: null });
    for (const [from, to] of [
      ['"f":2', '"f":1'],
      [',"pw":"x"', ""],
      ['"x"', "null"],
      ['"x"', "1"],
    ] as const)
      expect(decodeEntry(guarded.replace(from, to))).toBeUndefined();
  });

  test("B161: a stored destination that would run code, or is not in its sent form, is a miss", ({ expect }) => {
    expect(decodeEntry(stored("https://example.com/"))).toBeDefined();
    for (const bad of [
      "javascript:alert(1)",
      "data:text/html,x",
      "/relative",
      "//evil.example",
      "https://example.com/a\r\nSet-Cookie: x=1",
      "https://example.com/ä",
    ]) {
      expect(decodeEntry(stored(bad)), bad).toBeUndefined();
    }
  });

  test("one with rules is of a format that no Worker from before there were any reads, and each kind only of its own", ({
    expect,
  }) => {
    const plain = stored("https://example.com/");
    const ruled = stored("https://example.com/", [{ split: [{ longUrl: "https://example.org/", weight: 1 }] }]);
    expect(plain).toContain('{"f":1,');
    expect(ruled).toContain('{"f":2,');
    expect(decodeEntry(ruled.replace(/,"ru":.*\]/, ""))).toBeUndefined();
    expect(decodeEntry(ruled.replace('"weight"', '"newer"'))).toBeUndefined();
    expect(decodeEntry(ruled.replace('"split"', '"newer":1,"split"'))).toBeUndefined();
  });

  test("a destination in a rule that would run code, or is not in its sent form, makes the whole a miss", ({
    expect,
  }) => {
    const good = "https://example.org/";
    for (const bad of [
      "javascript:alert(1)",
      "/relative",
      "//evil.example",
      "https://example.com/ä",
      "https://a/\r\nX: y",
    ]) {
      const lists: readonly Rule[][] = [
        [
          { if: {}, then: { longUrl: good } },
          { if: {}, then: { longUrl: bad } },
        ],
        [
          {
            split: [
              { longUrl: good, weight: 1 },
              { longUrl: bad, weight: 1 },
            ],
          },
        ],
        [
          {
            if: { country: ["DE"] },
            then: {
              split: [
                { longUrl: bad, weight: 1 },
                { longUrl: good, weight: 1 },
              ],
            },
          },
        ],
      ];
      for (const list of lists) {
        expect(decodeEntry(stored(good, list)), bad).toBeUndefined();
        const mended: unknown = JSON.parse(JSON.stringify(list).replaceAll(JSON.stringify(bad), JSON.stringify(good)));
        expect(
          decodeEntry(
            stored(
              good,
              readRules(mended, (text) => text),
            ),
          ),
        ).toBeDefined();
      }
    }
  });
});

test("of the destinations in caches exactly those are taken that the URL parser would leave as they are", ({
  expect,
}) => {
  const host = fc.oneof(
    fc.stringMatching(/^[a-z0-9.-]{1,12}$/),
    fc.constantFrom(
      "example.com",
      "xn--bcher-kva.example",
      "1.2.3.4",
      "a.0x1f",
      "EXAMPLE.com",
      "a:443",
      "u@a",
      "[::1]",
      "a_b.c",
    ),
  );
  const piece = fc.oneof(
    fc.constantFrom(
      "/",
      ".",
      "..",
      "%2e",
      "%2E%2e",
      "?",
      "#",
      "%41",
      "'",
      '"',
      "<",
      "{",
      "^",
      "|",
      "`",
      "\\",
      " ",
      "é",
      "\t",
      "[",
      "%",
    ),
    fc.stringMatching(/^[\w~!$&()*+,;=:@-]{0,6}$/),
  );
  const scheme = fc.constantFrom("http:", "https:", "HTTPS:", "javascript:", "ftp:");
  const texts = fc
    .tuple(scheme, host, fc.array(piece, { maxLength: 6 }))
    .map(([name, at, pieces]) => `${name}//${at}/${pieces.join("")}`);
  fc.assert(
    fc.property(texts, (text) => {
      expect(decodeEntry(stored(text)) !== undefined, text).toBe(sendableUrl(text) === text);
    }),
    { numRuns: 20_000 },
  );
});

describe("the form of a stored destination that may be sent", () => {
  test("B108, B109: raw letters of any script come out percent-encoded once, encoded ones stay", ({ expect }) => {
    expect(sendableUrl("https://ja.wikipedia.org/wiki/小麦粉")).toBe(
      "https://ja.wikipedia.org/wiki/%E5%B0%8F%E9%BA%A6%E7%B2%89",
    );
    expect(sendableUrl("https://example.com/é/ÿ")).toBe("https://example.com/%C3%A9/%C3%BF");
    expect(sendableUrl("https://example.com/%C3%A9")).toBe("https://example.com/%C3%A9");
  });

  test("B158, B161: what a row should never hold is not sent", ({ expect }) => {
    for (const bad of ["javascript:alert(1)", "//evil.example", "/\\evil.example", "", "file:///etc/passwd"]) {
      expect(sendableUrl(bad), bad).toBeUndefined();
    }
  });
});

/** The stored form of a link with this destination, whatever it is. */
function stored(longUrl: string, rules: readonly Rule[] = []): string {
  return encodeEntry({
    kind: "present",
    version: 1,
    vouchedAt: 2,
    linkId: "3",
    longUrl,
    redirectStatus: 302,
    validSince: null,
    expireAt: null,
    expiredUrl: null,
    disabled: false,
    maxClicks: null,
    forwardQuery: false,
    forwardPath: false,
    passwordHash: null,
    rules,
  });
}
