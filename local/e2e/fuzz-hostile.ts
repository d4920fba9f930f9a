/**
 * Values that break services: texts, JSON, queries, headers and paths, from a seed always the same.
 *
 * @module
 */
import fc from "fast-check";
import type { Dice } from "../../shared/testing/dice.ts";

/** A list that has something in it. */
export type Some<T> = readonly [T, ...T[]];

const LIMITS = [1, 2, 63, 64, 65, 100, 101, 128, 255, 256, 257, 512, 513, 4096, 4097, 8192, 8193, 20_000];

/** Texts at which parsers, stores and pages have failed before. */
const TEXTS: Some<string> = [
  "",
  " ",
  "\t\n",
  "\u0000",
  "a\u0000b",
  "\u0001\u001f\u007f",
  "\u0080\u009f",
  "\ud800",
  "x\udc00y",
  "\u202eabc\u202c",
  "\u2028\u2029",
  "\ufeff",
  "\ufffe\uffff",
  "\u{10ffff}",
  "👩‍👩‍👧‍👦🏳️‍🌈",
  "é",
  "e\u0301",
  "\u1112\u1161\u11ab",
  "한",
  `z${"\u0351".repeat(40)}`,
  "İıſß",
  "ﬁ①ﷺ",
  "１２３",
  "الرابط",
  "שלום",
  "__proto__",
  "constructor",
  "toString",
  "hasOwnProperty",
  "null",
  "undefined",
  "NaN",
  "Infinity",
  "-1",
  "0",
  "1.5",
  "1e309",
  "0x10",
  "9007199254740991",
  "9007199254740993",
  "9223372036854775807",
  "9223372036854775808",
  "-9223372036854775809",
  "9".repeat(400),
  "'; DROP TABLE short_links; --",
  "$1",
  "%",
  "%%",
  "_",
  "\\",
  "\\x00",
  "{}",
  "[]",
  "{a,b}",
  '"',
  "<script>alert(1)</script>",
  "${7*7}",
  "../../etc/passwd",
  "..",
  ".",
  "/",
  "//evil.example",
  "\\\\evil.example\\x",
  "a/b",
  "a+b",
  "a+",
  "qr",
  "api",
  "API",
  "ext_",
  "ext_e-1",
  "robots.txt",
  ".well-known",
  "javascript:alert(1)",
  "data:text/html,x",
  "file:///etc/passwd",
  "http://127.0.0.1/",
  "http://2130706433/",
  "http://[::ffff:10.0.0.1]/",
  "http://localhost:8787/",
  "https://user:pass@example.com/",
  "https://example.com:99999/",
  "https://example.com/%zz%",
  "https://example.com/\ud800",
  "https://exa mple.com/",
  "https://例え.テスト/パス?ク=エ#リ",
  "https://xn--/",
  "https://example.com/?a=%00&b=%ff",
  "https:example.com",
  "HTTPS://EXAMPLE.COM./",
  "https://fuzz.example.test/loop",
  "2026-02-30T00:00:00Z",
  "2026-12-31T23:59:60Z",
  "9999-12-31T23:59:59.999Z",
  "9999-12-31T23:59:59.999-14:00",
  "0000-01-01T00:00:00Z",
  "1969-12-31T23:59:59.999Z",
  "-271821-04-20T00:00:00Z",
  "2026-12-01",
  "2026-12-01T08:00:00.123456789+01:00",
  "2026-W01-1",
  "Europe/Berlin",
  "europe/berlin",
  "+14:00",
  "Etc/GMT+12",
  "Mars/Olympus",
  "00000000-0000-0000-0000-000000000000",
];

/** JSON as it is written, since JavaScript could not hold most of it: what is not JSON at all is among it. */
const LITERALS: Some<string> = [
  "null",
  "true",
  "false",
  "0",
  "-0",
  "-1",
  "1.5",
  "1e3",
  "1e999",
  "-1e999",
  "1e-999",
  "2147483647",
  "2147483648",
  "-2147483649",
  "9007199254740991",
  "9007199254740993",
  "-9007199254740993",
  "9223372036854775808",
  "123456789012345678901234567890.5",
  "[]",
  "{}",
  "[null]",
  "[[]]",
  '""',
  '[""]',
  '{"":""}',
  '{"__proto__":{"admin":true}}',
  '{"constructor":{"prototype":{"x":1}}}',
  '{"a":1,"a":2}',
  '{"length":1e9}',
  '{"toJSON":1}',
  '"\\u0000"',
  '"\\ud800"',
  '"\\udc00\\ud800"',
  '["\\ud800"]',
  '{"\\u0000":1}',
  '{"k":{"\\udfff":"v"}}',
  `${"[".repeat(33)}${"]".repeat(33)}`,
  `${"[".repeat(5000)}${"]".repeat(5000)}`,
  `${'{"a":'.repeat(31)}1${"}".repeat(31)}`,
  `${'{"a":'.repeat(40)}1${"}".repeat(40)}`,
  `${'{"a":'.repeat(3000)}1${"}".repeat(3000)}`,
  `[${"0,".repeat(2000)}0]`,
  `[${'"t",'.repeat(70)}"t"]`,
  `{${Array.from({ length: 300 }, (_, n) => `"k${n}":${n}`).join()}}`,
  "NaN",
  "Infinity",
  "01",
  "+1",
  ".5",
  "'x'",
  "undefined",
  '"\n"',
  "[1,]",
];

/** What a request can be made of. */
export interface Hostile {
  readonly text: (dice: Dice) => string;
  /** One JSON value, as it is to be written into a body. */
  readonly json: (dice: Dice) => string;
}

/** Values of fast-check's own making are drawn before, so that each request needs nothing but its dice. */
const DRAWN = 3000;

/** Prepares it. */
export function createHostile(seed: number): Hostile {
  const drawn = <T>(arbitrary: fc.Arbitrary<T>): T[] => fc.sample(arbitrary, { seed, numRuns: DRAWN });
  const texts = drawn(
    fc.oneof(
      fc.string({ unit: "binary", maxLength: 80 }),
      fc.string({ unit: "grapheme", maxLength: 80 }),
      fc.string({ unit: "grapheme-composite", maxLength: 70 }),
      fc.webUrl({ withQueryParameters: true, withFragments: true }),
      fc.date({ noInvalidDate: true }).map((date) => date.toISOString()),
      fc.ipV6(),
      fc.uuid(),
      fc.emailAddress(),
      fc.bigInt({ min: -(2n ** 70n), max: 2n ** 70n }).map(String),
    ),
  );
  const values = drawn(
    fc.oneof(
      fc.jsonValue({ maxDepth: 5, noUnicodeString: false }).map((value) => JSON.stringify(value)),
      fc.double({ noNaN: true }).map((value) => JSON.stringify(value)),
      fc.integer().map(String),
    ),
  );
  const text = (dice: Dice): string => {
    const kind = dice.below(10);
    if (kind < 5) return dice.pick(TEXTS);
    if (kind === 5)
      return dice.pick(["a", "é", "👍", "\u0000", "%", "a\u0301", " "]).repeat(LIMITS[dice.below(LIMITS.length)] ?? 1);
    if (kind === 6) return dice.pick(TEXTS) + dice.pick(TEXTS);
    return texts[dice.below(texts.length)] ?? "";
  };
  const json = (dice: Dice): string => {
    const kind = dice.below(10);
    if (kind < 5) return dice.pick(LITERALS);
    if (kind < 8) return JSON.stringify(text(dice));
    return values[dice.below(values.length)] ?? "null";
  };
  return { text, json };
}

/** A part of a path or a query: encoded well, twice, half, not at all, or wrongly. Always bytes that HTTP can carry. */
export function encodeSomehow(text: string, dice: Dice): string {
  const well = text.isWellFormed() ? encodeURIComponent(text) : encodeURIComponent(text.toWellFormed());
  switch (dice.below(9)) {
    case 0:
      return encodeURIComponent(well);
    case 1:
      return well.toLowerCase();
    case 2:
      return carried(text);
    case 3:
      return well.slice(0, -1);
    case 4:
      return well + dice.pick(["%", "%2", "%zz", "%00", "%0a", "%c0%ae", "%ff", "%ed%a0%80", "%2f", "%5c", "%252e"]);
    default:
      return well;
  }
}

/** As Latin-1 of the text's UTF-8, without what ends a line or a part of a request. */
export function carried(text: string): string {
  return Buffer.from(text, "utf8")
    .toString("latin1")
    .replaceAll(/[^!-~\u0080-\u00ff]/g, "");
}
