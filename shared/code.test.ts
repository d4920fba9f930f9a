/**
 * What a path segment is, what a custom code may be, and that the two kinds of code never meet.
 *
 * @module
 */
import * as fc from "fast-check";
import { describe, test } from "vitest";
import { BASE62_ALPHABET, SAFE_ALPHABET } from "./alphabet.ts";
import {
  ALPHABET_NAMES,
  type CodeFormat,
  type CodeRules,
  CODE_WIDTHS,
  createCodeBook,
  RESERVED_WORDS,
} from "./code.ts";
import { parseKey } from "./permutation.ts";
import { compose, LAYOUT_NAMES, LAYOUTS } from "./snowflake.ts";

const DAY_MS = 86_400_000;
const NOW_MS = 1_800_000_000_000;
const rules: CodeRules = { launchedAtMs: NOW_MS - 30 * DAY_MS, shards: 4, reserved: RESERVED_WORDS };
const key = parseKey("00112233445566778899aabbccddeeff");
const oldKey = parseKey("ffeeddccbbaa99887766554433221100");
const { classic, compact } = LAYOUTS;

const plain = createCodeBook([{ layout: classic, alphabet: "safe" }], rules);
const keyed = createCodeBook([{ layout: classic, alphabet: "safe", key }], rules);
const everyFormat: CodeFormat[] = LAYOUT_NAMES.flatMap((name) =>
  ALPHABET_NAMES.flatMap((alphabet) => [
    { layout: LAYOUTS[name], alphabet, key },
    { layout: LAYOUTS[name], alphabet },
  ]),
);
const everything = createCodeBook(everyFormat, rules);

/** An id of `layout` that was made `ageMs` before now. */
function idOf(layout: typeof classic, ageMs: number, machine = 0, sequence = 0): bigint {
  return compose(layout, { tick: Math.floor((NOW_MS - ageMs - 1_700_000_000_000) / layout.tickMs), machine, sequence });
}

describe("encode", () => {
  test.for(everyFormat)(
    "$layout.name in $alphabet: one width, one alphabet, and it proves itself",
    (format, { expect }) => {
      const book = createCodeBook([format], rules);
      const { layout } = format;
      for (const ageMs of [0, 1, 1000, DAY_MS, 30 * DAY_MS]) {
        const id = idOf(layout, ageMs, 3, layout.idsPerTick - 1);
        const code = book.encode(id);
        expect(code).toHaveLength(CODE_WIDTHS[layout.name]);
        expect(book.classify(code)).toEqual({ kind: "generated", code });
        expect(book.prove(code, NOW_MS)).toBe(id);
      }
    },
  );

  test("the first and the last id of each format fit its width", ({ expect }) => {
    for (const format of everyFormat) {
      const book = createCodeBook([format], rules);
      const end = 2n ** BigInt(format.layout.totalBits);
      for (const id of [0n, 1n, end - 1n]) expect(book.encode(id)).toHaveLength(CODE_WIDTHS[format.layout.name]);
      expect(() => book.encode(end)).toThrow(RangeError);
      expect(() => book.encode(-1n)).toThrow(RangeError);
    }
  });

  test("without a key the code is the plain number, led by zero digits", ({ expect }) => {
    const base62 = createCodeBook([{ layout: classic, alphabet: "base62" }], rules);
    expect(base62.encode(1_000_000n)).toBe("00000004c92");
    expect(plain.encode(55n)).toBe("22222222232");
  });

  test("B101: id 1541815603606036481, which a number would round, comes back whole", ({ expect }) => {
    const id = 1_541_815_603_606_036_481n;
    const book = createCodeBook(everyFormat, { ...rules, launchedAtMs: 1_700_000_000_000, shards: 64 });
    expect(book.encode(id)).toBe(book.encode(BigInt(String(id))));
    expect(BigInt(Number(id))).not.toBe(id);
    const wide = createCodeBook([{ layout: classic, alphabet: "safe", key }], {
      ...rules,
      launchedAtMs: 0,
      shards: 1024,
    });
    expect(wide.prove(wide.encode(id), 2_100_000_000_000)).toBe(id);
  });
});

describe("classify", () => {
  test.for(RESERVED_WORDS)("%s is reserved, in any case", (word, { expect }) => {
    for (const segment of [word, word.toUpperCase(), word.charAt(0).toUpperCase() + word.slice(1)]) {
      expect(plain.classify(segment)).toEqual({ kind: "reserved" });
      expect(plain.checkCustom(segment)).toMatchObject({ ok: false, reason: "reserved" });
    }
  });

  test.for([
    "",
    " ",
    "a b",
    "a/b",
    "%2F",
    "a\u0000",
    "\uD83D",
    "a\uDE00",
    ".",
    "..",
    ".a",
    "a.",
    "☎",
    "a\u200Db",
    "a".repeat(65),
    "a".repeat(1e6),
  ])("%j is malformed", (segment, { expect }) => {
    expect(everything.classify(segment)).toEqual({ kind: "malformed" });
  });

  test("a code of another width, or with a foreign character, is a custom one", ({ expect }) => {
    for (const segment of ["2345678923", "234567892345", "2345678923l", "2345678923-", "2345678923é"]) {
      expect(plain.classify(segment)).toEqual({ kind: "custom", code: segment });
    }
    expect(plain.classify("23456789234")).toEqual({ kind: "generated", code: "23456789234" });
  });

  test("a width belongs to the alphabets it is configured with, not to others", ({ expect }) => {
    const book = createCodeBook(
      [
        { layout: classic, alphabet: "safe" },
        { layout: compact, alphabet: "base62" },
      ],
      rules,
    );
    expect(book.classify("0ilO0ilO").kind).toBe("generated");
    expect(book.classify("0ilO0ilO0il").kind).toBe("custom");
    expect(book.classify("23456789abc").kind).toBe("generated");
  });

  test("B030: an accented letter is the same code whichever way it is written", ({ expect }) => {
    const code = "efem\u00E9rides";
    expect(plain.classify("efeme\u0301rides")).toEqual({ kind: "custom", code });
    expect(plain.checkCustom("efeme\u0301rides")).toEqual({ ok: true, code });
    expect(plain.checkCustom(code)).toEqual({ ok: true, code });
  });

  test("any text at all is one of the four, and what is custom can be made, in the same form", ({ expect }) => {
    const text = fc.oneof(
      fc.string({ unit: "binary", maxLength: 80 }),
      fc.string({ unit: "grapheme", maxLength: 20 }),
      fc.string({ unit: fc.constantFrom(...BASE62_ALPHABET.split(""), ".", "-", "é", "\u0301"), maxLength: 13 }),
    );
    fc.assert(
      fc.property(text, (segment) => {
        const kind = everything.classify(segment);
        const check = everything.checkCustom(segment);
        expect(check.ok).toBe(kind.kind === "custom");
        if (kind.kind === "custom" && check.ok) {
          expect(check.code).toBe(kind.code);
          expect(everything.classify(kind.code)).toEqual(kind);
          expect(kind.code.normalize("NFC")).toBe(kind.code);
        }
        if (!check.ok && check.suggestion !== undefined) expect(everything.checkCustom(check.suggestion).ok).toBe(true);
      }),
      { numRuns: 5000 },
    );
  });
});

describe("checkCustom", () => {
  test.for([
    ["", "empty"],
    [" ", "characters"],
    ["/", "characters"],
    ["%2F", "characters"],
    [".", "edge_dot"],
    ["..", "edge_dot"],
  ] as const)("B063: %j is refused as %s", ([text, reason], { expect }) => {
    expect(plain.checkCustom(text)).toMatchObject({ ok: false, reason });
    expect(plain.classify(text).kind).toBe("malformed");
  });

  test("B029: emoji are refused, with and without a variation selector", ({ expect }) => {
    for (const text of ["\u260E\uFE0F", "\u260E", "\u{1F600}", "1\uFE0F\u20E3", "a\uFE0F", "a\u{E0100}"]) {
      expect(plain.checkCustom(text), text).toMatchObject({ ok: false, reason: "characters" });
    }
  });

  const ordinary = [
    "constructor",
    "__proto__",
    "toString",
    "hasOwnProperty",
    "null",
    "undefined",
    "true",
    "NaN",
    "redirect",
  ];
  test.for(ordinary)("B066: %s is an ordinary code", (text, { expect }) => {
    expect(plain.checkCustom(text)).toEqual({ ok: true, code: text });
    expect(plain.classify(text)).toEqual({ kind: "custom", code: text });
    expect(plain.prove(text, NOW_MS)).toBeUndefined();
  });

  test.for([
    "123",
    "00123",
    "1e5",
    "a",
    "a.b",
    "a-b_c",
    "日本語",
    "über",
    "ศูนย์",
    "हिन्दी",
    "a".repeat(64),
    "𠮷".repeat(64),
  ])("B102: %s can be had, and stays as it is", (text, { expect }) => {
    expect(plain.checkCustom(text)).toEqual({ ok: true, code: text });
  });

  test.for([
    "a b",
    "a\tb",
    "a\u00A0b",
    "a\u200Bb",
    "a\u0000b",
    "a\u202Eb",
    "\u0301a",
    "1\u0301",
    "a\u3164b",
    "a+b",
    "a#b",
    "\uDC00",
  ])("%j has a character that is not allowed", (text, { expect }) => {
    expect(plain.checkCustom(text)).toMatchObject({ ok: false, reason: "characters" });
  });

  test("64 characters are counted as code points of the stored form", ({ expect }) => {
    expect(plain.checkCustom("e\u0301".repeat(64)).ok).toBe(true);
    for (const text of ["a".repeat(65), "𠮷".repeat(65), "e\u0301".repeat(65), "\uAC00".repeat(300), "a".repeat(1e6)]) {
      expect(plain.checkCustom(text)).toMatchObject({ ok: false, reason: "too_long" });
    }
  });

  test.for([
    ["summer2Party", "safe", undefined],
    ["Summer2park", "safe", "Summer-2park"],
    ["newsfqwrmnk", "safe", "newsfqwrmnk-1"],
    ["newsletters", "safe", undefined],
    ["newsletters", "base62", "newsletters-1"],
  ] as const)("%s beside generated codes in %s: %s instead", ([text, alphabet, suggestion], { expect }) => {
    const check = createCodeBook([{ layout: classic, alphabet }], rules).checkCustom(text);
    expect(check).toMatchObject(
      suggestion === undefined ? { ok: true } : { ok: false, reason: "looks_generated", suggestion },
    );
  });

  test("a code that only becomes like a generated one in NFC is refused too", ({ expect }) => {
    const text = "2345678923\u212A";
    expect(text.normalize("NFC")).toBe("2345678923K");
    expect(plain.checkCustom(text)).toMatchObject({ ok: false, reason: "looks_generated" });
    expect(plain.classify(text).kind).toBe("malformed");
  });

  test("a refusal helps where it can", ({ expect }) => {
    expect(plain.checkCustom("summer sale")).toMatchObject({ suggestion: "summer-sale" });
    expect(plain.checkCustom(".env")).toMatchObject({ suggestion: "env" });
    expect(plain.checkCustom("API")).toMatchObject({ suggestion: "API-1" });
    expect(plain.checkCustom("☎")).toMatchObject({ suggestion: undefined });
  });

  test("no custom code can ever be taken for a generated one, in any format", ({ expect }) => {
    const text = fc
      .constantFrom(8, 11)
      .chain((length) =>
        fc.string({ unit: fc.constantFrom(...BASE62_ALPHABET.split(""), "-"), minLength: length, maxLength: length }),
      );
    fc.assert(
      fc.property(text, (code) => {
        expect(everything.checkCustom(code).ok).toBe(code.includes("-"));
      }),
    );
  });
});

describe("the guard", () => {
  test.for([
    ["made now", 0, 0, true],
    ["made at launch", 30 * DAY_MS, 0, true],
    ["a minute before launch, by a clock that is behind", 30 * DAY_MS + 60_000, 0, true],
    ["two minutes before launch", 30 * DAY_MS + 120_000, 0, false],
    ["ahead by all that a sequence may borrow", -60_000, 0, true],
    ["and by the clocks' difference", -120_000, 0, true],
    ["ahead by more", -120_001, 0, false],
    ["by the last machine in use", 0, 3, true],
    ["by a machine that is not in use", 0, 4, false],
  ] as const)("%s", ([, ageMs, machine, passes], { expect }) => {
    for (const book of [plain, keyed]) {
      const id = idOf(classic, ageMs, machine, 4095);
      expect(book.prove(book.encode(id), NOW_MS)).toBe(passes ? id : undefined);
    }
  });

  test("a code whose top bit is set, or that is no number of the format, is refused", ({ expect }) => {
    for (const code of ["Z".repeat(11), "", "é", "0".repeat(11), "2".repeat(8), "\uD83D".repeat(11)]) {
      for (const book of [plain, keyed]) expect(book.prove(code, NOW_MS)).toBeUndefined();
    }
    const base62 = createCodeBook([{ layout: classic, alphabet: "base62", key }], rules);
    expect(base62.prove("ZZZZZZZZZZZ", NOW_MS)).toBeUndefined();
  });

  test("links made under an older layout, alphabet or key keep their codes", ({ expect }) => {
    const older: CodeFormat = { layout: classic, alphabet: "safe", key: oldKey };
    const id = idOf(classic, DAY_MS, 2, 17);
    const code = createCodeBook([older], rules).encode(id);
    for (const newest of everyFormat) {
      const book = createCodeBook([newest, older], rules);
      expect(book.classify(code)).toEqual({ kind: "generated", code });
      expect(book.prove(code, NOW_MS)).toBe(id);
    }
    expect(keyed.prove(code, NOW_MS), "without the old key").toBeUndefined();
  });

  test("after a change of key, a new code that an old link may have is noticed", ({ expect }) => {
    const older: CodeFormat = { layout: classic, alphabet: "safe", key: oldKey };
    const taken = createCodeBook([older], rules).encode(idOf(classic, DAY_MS));
    const book = createCodeBook([{ layout: classic, alphabet: "safe", key }, older], rules);
    expect(book.isShadowed(taken, NOW_MS)).toBe(true);
    expect(book.isShadowed(book.encode(idOf(classic, 0)), NOW_MS)).toBe(false);
    expect(keyed.isShadowed(taken, NOW_MS)).toBe(false);
  });
});

describe("a book", () => {
  test("needs a format, and a machine id for each shard", ({ expect }) => {
    expect(() => createCodeBook([], rules)).toThrow(RangeError);
    const format: CodeFormat = { layout: compact, alphabet: "safe" };
    expect(() => createCodeBook([format], { ...rules, shards: 65 })).toThrow("64 machine ids");
    expect(createCodeBook([{ layout: classic, alphabet: "safe" }, format], { ...rules, shards: 65 })).toBeDefined();
  });

  test("the alphabets of codes have no sign that custom codes need to keep apart", ({ expect }) => {
    for (const sign of ["-", "_", "."]) expect(SAFE_ALPHABET + BASE62_ALPHABET).not.toContain(sign);
  });
});
