/**
 * The ciphers are those of the paper, and walking keeps them permutations.
 *
 * @module
 */
import * as fc from "fast-check";
import { describe, test } from "vitest";
import { createPermutation, parseKey, speck, walk } from "./permutation.ts";
import { createDice } from "./testing/dice.ts";

const KEY_TEXT = "1b1a1918131211100b0a090803020100";
const key = parseKey(KEY_TEXT) ?? { words: [0, 0, 0, 0] as const };
const otherKey = parseKey("1b1a1918131211100b0a090803020101") ?? key;

/** The domains of codes, and how many round trips are tried: all of 64 bits, 11 digits of base 55, the 46 bits of compact ids. */
const domains = [
  ["2^64", 2n ** 64n, 2_000_000],
  ["55^11", 55n ** 11n, 10_000_000],
  ["2^46", 2n ** 46n, 1_000_000],
] as const;

describe("Speck", () => {
  const vectors = [
    {
      name: "Speck64/128",
      cipher: speck(32, 27, [0x1b1a1918, 0x13121110, 0x0b0a0908, 0x03020100]),
      plain: { high: 0x3b726574, low: 0x7475432d },
      secret: { high: 0x8c6fa548, low: 0x454e028b },
    },
    {
      name: "Speck48/96",
      cipher: speck(24, 23, [0x1a1918, 0x121110, 0x0a0908, 0x020100]),
      plain: { high: 0x6d2073, low: 0x696874 },
      secret: { high: 0x735e10, low: 0xb6445d },
    },
  ];

  test.for(vectors)(
    "$name gives the published vector (eprint 2013/404, appendix C)",
    ({ cipher, plain, secret }, { expect }) => {
      const block = { ...plain };
      cipher.encrypt(block);
      expect(block).toEqual(secret);
      cipher.decrypt(block);
      expect(block).toEqual(plain);
    },
  );

  test("the published vector comes out of the permutation of 64 bits too", ({ expect }) => {
    const { permute, invert } = createPermutation(key, 2n ** 64n);
    expect(permute(0x3b7265747475432dn)).toBe(0x8c6fa548454e028bn);
    expect(invert(0x8c6fa548454e028bn)).toBe(0x3b7265747475432dn);
  });
});

describe("keys", () => {
  test("a key is 32 hex digits, in either case", ({ expect }) => {
    expect(parseKey(KEY_TEXT)).toEqual({ words: [0x1b1a1918, 0x13121110, 0x0b0a0908, 0x03020100] });
    expect(parseKey("F".repeat(32))).toEqual(parseKey("f".repeat(32)));
  });

  const odd = [
    "",
    "0",
    "0".repeat(31),
    "0".repeat(33),
    "g".repeat(32),
    ` ${"0".repeat(31)}`,
    `${"0".repeat(32)}\n`,
    `0x${"0".repeat(30)}`,
  ];
  test.for(odd)("%j is no key", (text, { expect }) => {
    expect(parseKey(text)).toBeUndefined();
  });

  test.for(domains)("each bit of a key counts over %s", ([, size], { expect }) => {
    const places = new Set<bigint>();
    for (let bit = 0n; bit < 128n; bit++) {
      const flipped = parseKey((BigInt(`0x${KEY_TEXT}`) ^ (1n << bit)).toString(16).padStart(32, "0"));
      if (flipped !== undefined) places.add(createPermutation(flipped, size).permute(1n));
    }
    expect(places.size).toBe(128);
  });
});

describe("a permutation", () => {
  test.for([1, 2, 1000, 2 ** 16 + 1, 700_000, 2 ** 20])(
    "of %d numbers sends each to a place of its own",
    { timeout: 60_000 },
    (size, { expect }) => {
      // 10-bit words: small enough to try every number, with the same code as the ciphers' own words.
      const { permute, invert } = walk(speck(10, 22, key.words), BigInt(size));
      const seen = new Uint8Array(size);
      for (let value = 0; value < size; value++) {
        const place = permute(BigInt(value));
        seen[Number(place)] = 1;
        if (invert(place) !== BigInt(value)) expect.fail(`${value} went to ${place} and did not come back`);
      }
      expect(seen.every((mark) => mark === 1)).toBe(true);
    },
  );

  test.for(domains)("of %s brings random numbers back", { timeout: 60_000 }, ([, size, turns], { expect }) => {
    const { permute, invert } = createPermutation(key, size);
    const seed = 20_240_601;
    const dice = createDice(seed);
    let back = 0;
    for (let turn = 0; turn < turns; turn++) {
      const value = dice.word() % size;
      const place = permute(value);
      if (place < size && invert(place) === value) back++;
    }
    expect(back, `seed ${seed}`).toBe(turns);
  });

  test.for(domains)("of %s is exact at its edges, and has an inverse in both directions", ([, size], { expect }) => {
    const { permute, invert } = createPermutation(key, size);
    for (const value of [0n, 1n, size >> 1n, size - 2n, size - 1n]) {
      expect(invert(permute(value))).toBe(value);
      expect(permute(invert(value))).toBe(value);
    }
    for (const outside of [-1n, size, 2n ** 70n]) {
      expect(() => permute(outside)).toThrow(RangeError);
      expect(() => invert(outside)).toThrow(RangeError);
    }
  });

  test("any size from 1 to 2^64 within a factor of its block works; others are refused", ({ expect }) => {
    const sizes = fc.oneof(
      fc.bigInt({ min: 2n ** 44n, max: 2n ** 48n }),
      fc.bigInt({ min: 2n ** 60n, max: 2n ** 64n }),
    );
    fc.assert(
      fc.property(sizes, fc.bigInt({ min: 0n, max: 2n ** 64n }), (size, number) => {
        const { permute, invert } = createPermutation(key, size);
        const place = permute(number % size);
        expect(place < size && place >= 0n).toBe(true);
        expect(invert(place)).toBe(number % size);
      }),
    );
    for (const size of [0n, -1n, 2n ** 64n + 1n]) expect(() => createPermutation(key, size)).toThrow(RangeError);
  });

  test.for(domains)("of %s: another key sends next to nothing to the same place", ([, size], { expect }) => {
    const [one, other] = [createPermutation(key, size), createPermutation(otherKey, size)];
    for (let value = 0n; value < 10_000n; value++) expect(one.permute(value)).not.toBe(other.permute(value));
  });
});
