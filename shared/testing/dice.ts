/**
 * Dice for tests and benchmarks: from one seed always the same throws, so that a failure can be played again.
 *
 * @module
 */

/** Throws that follow from a seed. */
export interface Dice {
  /** A whole number from 0 to `limit - 1`; the limit is at most 2^32. */
  readonly below: (limit: number) => number;
  /** 64 bits. */
  readonly word: () => bigint;
  /** One of some values. */
  readonly pick: <Value>(values: readonly [Value, ...Value[]]) => Value;
}

/** Dice of a seed. The generator is sfc32 of PractRand (Chris Doty-Humphrey), whose state is four words. */
export function createDice(seed: number): Dice {
  let [a, b, c, counter] = [seed | 0, Math.trunc(seed / 2 ** 32) | 0, 0x9e3779b9 | 0, 1];
  function next(): number {
    const sum = (a + b + counter) | 0;
    counter = (counter + 1) | 0;
    a = b ^ (b >>> 9);
    b = (c + (c << 3)) | 0;
    c = (((c << 21) | (c >>> 11)) + sum) | 0;
    return sum >>> 0;
  }
  for (let warmUp = 0; warmUp < 12; warmUp++) next();
  const below = (limit: number): number => Math.floor((next() / 2 ** 32) * limit);
  return {
    below,
    word: () => (BigInt(next()) << 32n) | BigInt(next()),
    pick: (values) => values[below(values.length)] ?? values[0],
  };
}
