/**
 * The codec writes each number in one way and reads only what it writes.
 *
 * @module
 */
import * as fc from "fast-check";
import { describe, test } from "vitest";
import { BASE62_ALPHABET, createCodec, SAFE_ALPHABET } from "./alphabet.ts";

const base62 = createCodec(BASE62_ALPHABET);
const safe = createCodec(SAFE_ALPHABET);
const MAX = 2n ** 64n - 1n;
const codecs = [
  ["safe", SAFE_ALPHABET, safe],
  ["base62", BASE62_ALPHABET, base62],
  ["binary", "01", createCodec("01")],
  ["decimal", "0123456789", createCodec("0123456789")],
] as const;

/** The same by the book: one BigInt division a digit. */
function plainEncode(alphabet: string, value: bigint): string {
  const base = BigInt(alphabet.length);
  const digit = alphabet.charAt(Number(value % base));
  return value < base ? digit : plainEncode(alphabet, value / base) + digit;
}

describe("alphabets", () => {
  test("the safe alphabet has 55 symbols, none of which is read for another", ({ expect }) => {
    expect(SAFE_ALPHABET).toBe("23456789abcdefghjkmnpqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ");
    expect(new Set(SAFE_ALPHABET).size).toBe(55);
    expect(SAFE_ALPHABET).not.toMatch(/[01OoIil]/);
  });

  test("base62 has the digits, then a-z, then A-Z", ({ expect }) => {
    expect(new Set(BASE62_ALPHABET).size).toBe(62);
    expect(BASE62_ALPHABET).toMatch(/^0123456789[a-z]{26}[A-Z]{26}$/);
  });

  test.for(["", "a", "aa", "a b", "aé", "a\u{1F600}"])("an alphabet like %j is refused", (alphabet, { expect }) => {
    expect(() => createCodec(alphabet)).toThrow(RangeError);
  });
});

describe("encode", () => {
  test.for([
    [0n, "0"],
    [61n, "Z"],
    [62n, "10"],
    [1_000_000n, "4c92"],
    [62n ** 6n - 1n, "ZZZZZZ"],
    [62n ** 6n, "1000000"],
    [MAX, "lYGhA16ahyf"],
  ] as const)("base62 of %d is %s", ([value, text], { expect }) => {
    expect(base62.encode(value)).toBe(text);
    expect(base62.decode(text)).toBe(value);
  });

  test.for(codecs)("%s agrees with division by the book and comes back", ([, alphabet, codec], { expect }) => {
    const value = fc.oneof(fc.bigInt({ min: 0n, max: MAX }), fc.bigInt({ min: 0n, max: 70_000n }));
    fc.assert(
      fc.property(value, (number) => {
        const text = plainEncode(alphabet, number);
        expect(codec.encode(number)).toBe(text);
        expect(codec.decode(text)).toBe(number);
        expect(codec.encodeFixed(number, 64)).toBe(text.padStart(64, alphabet.charAt(0)));
        expect(codec.decodeFixed(codec.encodeFixed(number, 64), 64)).toBe(number);
      }),
      { numRuns: 2000 },
    );
  });

  test.for(codecs)("%s is exact beside every power of its base and of two", ([, alphabet, codec], { expect }) => {
    for (const base of [2n, BigInt(alphabet.length)]) {
      for (let power = 1n; power <= MAX; power *= base) {
        for (const value of [power - 1n, power, power + 1n]) {
          expect(codec.encode(value)).toBe(plainEncode(alphabet, value));
          expect(codec.decode(codec.encode(value))).toBe(value);
        }
      }
    }
  });

  test("a number of more than 64 bits, or below zero, is refused", ({ expect }) => {
    for (const value of [-1n, MAX + 1n, 2n ** 80n]) {
      expect(() => base62.encode(value)).toThrow(RangeError);
      expect(() => base62.encodeFixed(value, 20)).toThrow(RangeError);
    }
  });

  test("a number that needs more than the width is refused, never cut", ({ expect }) => {
    expect(base62.encodeFixed(62n ** 6n - 1n, 6)).toBe("ZZZZZZ");
    expect(() => base62.encodeFixed(62n ** 6n, 6)).toThrow(RangeError);
    expect(base62.encodeFixed(0n, 3)).toBe("000");
    for (const width of [0, -1, 65, 1.5, Number.NaN, Infinity]) {
      expect(() => base62.encodeFixed(0n, width), `width ${width}`).toThrow(RangeError);
    }
  });
});

describe("decode", () => {
  const foreign = [
    "",
    " ",
    "4c9 ",
    "4c-92",
    "é",
    "\u{1F600}",
    "\uD83D",
    "a\uDE00",
    "\u0000",
    "4c92\n",
    "４c92",
    "__proto__",
  ];

  test.for(foreign)("%j is not of the alphabet", (text, { expect }) => {
    for (const [, , codec] of codecs) {
      expect(codec.decode(text)).toBeUndefined();
      expect(codec.decodeFixed(text, text.length)).toBeUndefined();
    }
  });

  test("a leading zero digit is refused where the shortest text is asked for, and wanted where the width is fixed", ({
    expect,
  }) => {
    expect(base62.decode("04c92")).toBeUndefined();
    expect(base62.decode("00")).toBeUndefined();
    expect(base62.decode("0")).toBe(0n);
    expect(base62.decodeFixed("0004c92", 7)).toBe(1_000_000n);
    expect(base62.decodeFixed("4c92", 7)).toBeUndefined();
  });

  test("more than 64 bits are refused, also where the surplus is one", ({ expect }) => {
    expect(base62.decode("lYGhA16ahyg")).toBeUndefined();
    expect(base62.decodeFixed("ZZZZZZZZZZZ", 11)).toBeUndefined();
    expect(base62.decode("1".repeat(5000))).toBeUndefined();
  });

  test("two texts never stand for one number", ({ expect }) => {
    fc.assert(
      fc.property(
        fc.string({ unit: fc.constantFrom(...BASE62_ALPHABET.split("")), minLength: 1, maxLength: 12 }),
        (text) => {
          const value = base62.decode(text);
          expect(value === undefined || base62.encode(value) === text).toBe(true);
        },
      ),
      { numRuns: 2000 },
    );
  });
});
