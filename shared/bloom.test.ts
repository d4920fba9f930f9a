/**
 * The filter's arithmetic: the hash is the published one, no key that was added is ever missed, and the rate of false answers
 * is what was promised.
 *
 * @module
 */
import fc from "fast-check";
import { describe, test } from "vitest";
import {
  BITS_OF_A_KEY,
  FALSE_POSITIVE_RATE,
  type FilterGeometry,
  geometryFor,
  murmur3,
  placeOf,
  wordsOf,
} from "./bloom.ts";
import { createDice } from "./testing/dice.ts";

/** The blocks as Redis keeps them, in memory. */
function createBits(geometry: FilterGeometry) {
  const blocks = Array.from({ length: geometry.blocks }, () => new Uint8Array(Math.ceil(geometry.bitsPerBlock / 8)));
  const visit = (key: string, each: (bytes: Uint8Array, at: number, bit: number) => void): void => {
    const { block, positions } = placeOf(wordsOf(key), geometry);
    const bytes = blocks[block];
    if (bytes === undefined) throw new RangeError(`there is no block ${block}`);
    for (const position of positions) each(bytes, position >> 3, 1 << (position & 7));
  };
  return {
    add: (key: string): void => visit(key, (bytes, at, bit) => (bytes[at] = (bytes[at] ?? 0) | bit)),
    has(key: string): boolean {
      let all = true;
      visit(key, (bytes, at, bit) => (all &&= ((bytes[at] ?? 0) & bit) !== 0));
      return all;
    },
  };
}

describe("MurmurHash3_x86_128", () => {
  test("agrees with the verification value of SMHasher", ({ expect }) => {
    // Keys {}, {0}, {0, 1}, … with seeds 256, 255, …; their hashes, hashed once more with seed 0, begin with this word.
    const hashes = Array.from({ length: 256 }, (_, length) =>
      murmur3(
        Uint8Array.from({ length }, (_byte, index) => index),
        256 - length,
      ),
    );
    const bytes = hashes.flat().flatMap((word) => [word & 255, (word >>> 8) & 255, (word >>> 16) & 255, word >>> 24]);
    expect(murmur3(Uint8Array.from(bytes), 0)[0].toString(16)).toBe("b3ece62a");
  });

  test("differs for keys that differ in their last byte only, at every length", ({ expect }) => {
    for (let length = 1; length <= 40; length += 1) {
      const [one, other] = [new Uint8Array(length), new Uint8Array(length)];
      other[length - 1] = 1;
      expect(murmur3(one, 0)).not.toEqual(murmur3(other, 0));
    }
  });
});

describe("geometry", () => {
  test("is bounded in each block and enough in all, up to a billion keys", ({ expect }) => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 1e9 }), (capacity) => {
        const { blocks, bitsPerBlock } = geometryFor(capacity);
        expect(bitsPerBlock).toBeLessThan(2 ** 20);
        expect(blocks * bitsPerBlock).toBeGreaterThanOrEqual(capacity * 14.38);
        expect(blocks * bitsPerBlock).toBeLessThan(capacity * 14.61 + blocks + 1);
      }),
    );
    expect(geometryFor(100_000_000).blocks).toBe(1393);
  });

  test("is refused for what is no capacity", ({ expect }) => {
    for (const capacity of [0, -1, 1.5, Number.NaN, 2e9]) expect(() => geometryFor(capacity)).toThrow(RangeError);
  });

  test("every position lies in its block, whatever the key", ({ expect }) => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), fc.integer({ min: 1, max: 1e8 }), (key, capacity) => {
        const geometry = geometryFor(capacity);
        const { block, positions } = placeOf(wordsOf(key), geometry);
        expect(block).toBeLessThan(geometry.blocks);
        expect(positions).toHaveLength(BITS_OF_A_KEY);
        expect(positions.every((at) => Number.isInteger(at) && at >= 0 && at < geometry.bitsPerBlock)).toBe(true);
      }),
    );
  });
});

test("what was added is found, whatever the keys and however small the filter", ({ expect }) => {
  fc.assert(
    fc.property(
      fc.array(fc.string({ unit: "binary" }), { maxLength: 60 }),
      fc.integer({ min: 1, max: 50 }),
      (keys, capacity) => {
        const bits = createBits(geometryFor(capacity));
        for (const key of keys) bits.add(key);
        expect(keys.every((key) => bits.has(key))).toBe(true);
      },
    ),
  );
});

test("at its capacity, at most one made-up code in a thousand passes, also over several blocks", ({ expect }) => {
  for (const [capacity, seed] of [
    [2000, 1],
    [150_000, 2],
  ] as const) {
    const dice = createDice(seed);
    const bits = createBits(geometryFor(capacity));
    for (let index = 0; index < capacity; index += 1) bits.add(`go.example.com/spring-sale-${index}`);
    const probes = 200_000;
    let passed = 0;
    for (let index = 0; index < probes; index += 1) {
      if (bits.has(`go.example.com/x-${dice.below(2 ** 32).toString(36)}-${index}`)) passed += 1;
    }
    expect(passed / probes).toBeLessThanOrEqual(FALSE_POSITIVE_RATE);
    expect(passed).toBeGreaterThan(0);
  }
});
