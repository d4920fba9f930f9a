/**
 * A Bloom filter in blocks: where the bits of a key are, and how many bits a number of keys needs (B. H. Bloom, "Space/time
 * trade-offs in hash coding with allowable errors", 1970). Knows nothing of where the bits are kept.
 *
 * Each key lies in one block with all its bits, so a question touches one stored value and no value grows without bound.
 *
 * @module
 */

/** How many bits a key has: the best number for one false answer in a thousand, -log2(0.001). */
export const BITS_OF_A_KEY = 10;

/** The promise: so many of the keys that were never added are taken for added ones, at most, at capacity. */
export const FALSE_POSITIVE_RATE = 0.001;

/** What is built for is a little better than what is promised: blocks fill unevenly, and measured rates spread. */
const BUILT_FOR_RATE = FALSE_POSITIVE_RATE * 0.9;

/** A block's bits and one more, which only tells that the block is there, are at most this many: 128 KiB. */
const MAX_BLOCK_BITS = 2 ** 20;

/** The size of a filter. */
export interface FilterGeometry {
  readonly blocks: number;
  /** Positions are below this. */
  readonly bitsPerBlock: number;
}

/** Three independent words of 32 bits, from which a key's bits follow in a filter of any size. */
export interface KeyWords {
  readonly block: number;
  readonly first: number;
  readonly step: number;
}

/** Where a key's bits are. */
export interface KeyPlace {
  readonly block: number;
  /** {@link BITS_OF_A_KEY} positions; the same one may stand there twice. */
  readonly positions: readonly number[];
}

/**
 * The size for a number of keys: -ln(p) / ln(2)² bits a key (14.6 with the margin), in blocks of equal size. 100 million keys
 * take 174 MiB in 1,393 blocks. Throws RangeError unless `capacity` is a whole number from 1 to 10^9.
 */
export function geometryFor(capacity: number): FilterGeometry {
  if (!Number.isInteger(capacity) || capacity < 1 || capacity > 1e9) {
    throw new RangeError(`A filter holds 1 to 1,000,000,000 keys, not ${capacity}.`);
  }
  const bits = Math.ceil((capacity * -Math.log(BUILT_FOR_RATE)) / Math.LN2 ** 2);
  const blocks = Math.ceil(bits / (MAX_BLOCK_BITS - 1));
  return { blocks, bitsPerBlock: Math.ceil(bits / blocks) };
}

const encoder = new TextEncoder();

/** The words of a key's UTF-8. */
export function wordsOf(key: string): KeyWords {
  const [block, first, step] = murmur3(encoder.encode(key), 0);
  return { block, first, step };
}

/**
 * The place of a key: `first + i × step` for the i-th bit (A. Kirsch and M. Mitzenmacher, "Less hashing, same performance",
 * 2006). All sums stay below 2^36, so any arithmetic with doubles gives the same.
 */
export function placeOf({ block, first, step }: KeyWords, { blocks, bitsPerBlock }: FilterGeometry): KeyPlace {
  const positions = Array.from({ length: BITS_OF_A_KEY }, (_, index) => (first + index * step) % bitsPerBlock);
  return { block: block % blocks, positions };
}

const [C1, C2, C3, C4] = [0x239b961b, 0xab0e9789, 0x38b34ae5, 0xa1e38b93];
const BYTES_A_ROUND = 16;

/** MurmurHash3_x86_128 (Austin Appleby, SMHasher): four words of 32 bits. Not for secrets. */
export function murmur3(bytes: Uint8Array, seed: number): readonly [number, number, number, number] {
  let [h1, h2, h3, h4] = [seed | 0, seed | 0, seed | 0, seed | 0];
  const whole = bytes.length - (bytes.length % BYTES_A_ROUND);
  for (let at = 0; at < whole; at += BYTES_A_ROUND) {
    h1 = (Math.imul(rotate(h1 ^ scramble(word(bytes, at), C1, 15, C2), 19) + h2, 5) + 0x561ccd1b) | 0;
    h2 = (Math.imul(rotate(h2 ^ scramble(word(bytes, at + 4), C2, 16, C3), 17) + h3, 5) + 0x0bcaa747) | 0;
    h3 = (Math.imul(rotate(h3 ^ scramble(word(bytes, at + 8), C3, 17, C4), 15) + h4, 5) + 0x96cd1c35) | 0;
    h4 = (Math.imul(rotate(h4 ^ scramble(word(bytes, at + 12), C4, 18, C1), 13) + h1, 5) + 0x32ac3b17) | 0;
  }
  // Bytes beyond the end count as 0, and a word of zeros leaves the hash as it is.
  h4 ^= scramble(word(bytes, whole + 12), C4, 18, C1) ^ bytes.length;
  h3 ^= scramble(word(bytes, whole + 8), C3, 17, C4) ^ bytes.length;
  h2 ^= scramble(word(bytes, whole + 4), C2, 16, C3) ^ bytes.length;
  h1 ^= scramble(word(bytes, whole), C1, 15, C2) ^ bytes.length;
  return mixed(...spread(h1, h2, h3, h4));
}

type Words = readonly [number, number, number, number];

function spread(h1: number, h2: number, h3: number, h4: number): Words {
  const sum = (h1 + h2 + h3 + h4) | 0;
  return [sum, (h2 + sum) | 0, (h3 + sum) | 0, (h4 + sum) | 0];
}

function mixed(h1: number, h2: number, h3: number, h4: number): Words {
  const [s1, s2, s3, s4] = spread(avalanche(h1), avalanche(h2), avalanche(h3), avalanche(h4));
  return [s1 >>> 0, s2 >>> 0, s3 >>> 0, s4 >>> 0];
}

/** Four bytes from `at`, the lowest first. */
function word(bytes: Uint8Array, at: number): number {
  const byte = (offset: number): number => bytes[at + offset] ?? 0;
  return byte(0) | (byte(1) << 8) | (byte(2) << 16) | (byte(3) << 24);
}

function rotate(value: number, bits: number): number {
  return (value << bits) | (value >>> (32 - bits));
}

function scramble(value: number, before: number, bits: number, after: number): number {
  return Math.imul(rotate(Math.imul(value, before), bits), after);
}

function avalanche(value: number): number {
  let mixing = Math.imul(value ^ (value >>> 16), 0x85ebca6b);
  mixing = Math.imul(mixing ^ (mixing >>> 13), 0xc2b2ae35);
  return mixing ^ (mixing >>> 16);
}
