/**
 * Keyed permutations of the numbers below a size, so that consecutive ids look like chance to whoever has not the key.
 *
 * The cipher is Speck (Beaulieu, Shors, Smith, Treatman-Clark, Weeks, Wingers: "The SIMON and SPECK Families of
 * Lightweight Block Ciphers", 2013, https://eprint.iacr.org/2013/404): words, rounds and test vectors are theirs. A size
 * that is no power of two is reached by cycle walking (Black, Rogaway: "Ciphers with Arbitrary Finite Domains", 2002):
 * encrypt until the result is below the size. That ends, since a permutation's cycle comes back to where it began, and
 * it is again a permutation.
 *
 * @module
 */

/** A 128-bit key as four words, in the order in which the paper prints them. */
export interface CipherKey {
  readonly words: readonly [number, number, number, number];
}

/** A permutation of the numbers from 0 to `size - 1`. Both directions throw RangeError outside of them. */
export interface Permutation {
  readonly size: bigint;
  /** The place that a number is sent to. */
  readonly permute: (value: bigint) => bigint;
  /** The number that was sent to a place. */
  readonly invert: (place: bigint) => bigint;
}

/** Speck's two words of a block; `high` is the one that the paper prints first. Written in place. */
export interface Block {
  high: number;
  low: number;
}

/** A block cipher with its key worked in. */
export interface BlockCipher {
  /** Half the width of a block. */
  readonly wordBits: number;
  readonly encrypt: (block: Block) => void;
  readonly decrypt: (block: Block) => void;
}

/** Rotations of every Speck but the 32-bit one (paper, section 4.1). */
const ROTATE_HIGH = 8;
const ROTATE_LOW = 3;

/** Speck64/128: 32-bit words, four key words. */
const WIDE = { wordBits: 32, rounds: 27 } as const;
/** Speck48/96: 24-bit words, four key words. */
const NARROW = { wordBits: 24, rounds: 23 } as const;

const KEY_PATTERN = /^[0-9a-f]{32}$/i;

/** Reads a key of 32 hex digits; undefined when the text is anything else. */
export function parseKey(text: string): CipherKey | undefined {
  if (!KEY_PATTERN.test(text)) return undefined;
  const word = (at: number): number => Number.parseInt(text.slice(at * 8, at * 8 + 8), 16);
  return { words: [word(0), word(1), word(2), word(3)] };
}

/**
 * The permutation of a key over the numbers below `size`, which is from 1 to 2^64. Up to 2^48 it walks on Speck48/96,
 * above on Speck64/128, so a size of 2^46 takes four steps on average and one of 55^11 takes 1.3. Throws RangeError on
 * another size. A size far below its block would walk for long; sizes of codes are not.
 */
export function createPermutation(key: CipherKey, size: bigint): Permutation {
  const wide = speck(WIDE.wordBits, WIDE.rounds, key.words);
  return walk(size > 2n ** 48n ? wide : speck(NARROW.wordBits, NARROW.rounds, narrowKey(wide)), size);
}

/**
 * The 96-bit key of the narrow cipher: two blocks of the wide cipher in counter mode. All 128 bits of the key go into
 * it, and the two ciphers have no key bits in common.
 */
function narrowKey(wide: BlockCipher): readonly [number, number, number, number] {
  const first: Block = { high: 0, low: 1 };
  const second: Block = { high: 0, low: 2 };
  wide.encrypt(first);
  wide.encrypt(second);
  return [first.high, first.low, second.high, second.low];
}

/**
 * Speck with four key words, for words of 10 to 32 bits. Key words are cut to the width of a word. Only the pairs 24 bits
 * and 23 rounds, 32 bits and 27 rounds are ciphers of the paper; others are for trying the walk on a small domain.
 */
export function speck(wordBits: number, rounds: number, key: readonly [number, number, number, number]): BlockCipher {
  const mask = wordBits === 32 ? -1 : 2 ** wordBits - 1;
  const upHigh = wordBits - ROTATE_HIGH;
  const upLow = wordBits - ROTATE_LOW;
  const roundKeys = expandKey(wordBits, rounds, key);

  return {
    wordBits,
    encrypt(block) {
      let high = block.high | 0;
      let low = block.low | 0;
      for (let at = 0; at < rounds; at++) {
        high = ((((high >>> ROTATE_HIGH) | (high << upHigh)) + low) ^ (roundKeys[at] ?? 0)) & mask;
        low = (((low << ROTATE_LOW) | (low >>> upLow)) ^ high) & mask;
      }
      block.high = high >>> 0;
      block.low = low >>> 0;
    },
    decrypt(block) {
      let high = block.high | 0;
      let low = block.low | 0;
      for (let at = rounds - 1; at >= 0; at--) {
        low ^= high;
        low = ((low >>> ROTATE_LOW) | (low << upLow)) & mask;
        high = (((high ^ (roundKeys[at] ?? 0)) & mask) - low) & mask;
        high = ((high << ROTATE_HIGH) | (high >>> upHigh)) & mask;
      }
      block.high = high >>> 0;
      block.low = low >>> 0;
    },
  };
}

/** Speck's key schedule (paper, section 4.2): the round function, with the round's number as its key. */
function expandKey(wordBits: number, rounds: number, key: readonly [number, number, number, number]): Int32Array {
  const mask = wordBits === 32 ? -1 : 2 ** wordBits - 1;
  const roundKeys = new Int32Array(rounds);
  const [third, second, first, start] = key;
  let low = start & mask;
  let [a, b, c] = [first & mask, second & mask, third & mask];
  for (let round = 0; round < rounds; round++) {
    roundKeys[round] = low;
    const high = ((((a >>> ROTATE_HIGH) | (a << (wordBits - ROTATE_HIGH))) & mask) + low) ^ round;
    [a, b, c] = [b, c, high & mask];
    low = (((low << ROTATE_LOW) | (low >>> (wordBits - ROTATE_LOW))) ^ high) & mask;
  }
  return roundKeys;
}

/** The bridge between a bigint and its two words; written and read within one call, so nothing is kept in it. */
const bridge = new DataView(new ArrayBuffer(8));

/** A block cipher walked down to the numbers below `size`. Throws RangeError when its blocks are too small for that. */
export function walk(cipher: BlockCipher, size: bigint): Permutation {
  const { wordBits } = cipher;
  if (size < 1n || size > 2n ** BigInt(2 * wordBits)) {
    throw new RangeError(`A cipher of ${2 * wordBits} bits has no permutation of ${size} numbers.`);
  }
  const lastHigh = Number((size - 1n) >> BigInt(wordBits));
  const lastLow = Number(BigInt.asUintN(wordBits, size - 1n));
  const isWide = wordBits === 32;
  const mask = 2 ** wordBits - 1;

  function run(value: bigint, turn: (block: Block) => void): bigint {
    if (value < 0n || value >= size) throw new RangeError(`${value} is not below ${size}.`);
    bridge.setBigUint64(0, value);
    const top = bridge.getUint32(0);
    const bottom = bridge.getUint32(4);
    const block: Block = {
      high: isWide ? top : ((top << (32 - wordBits)) | (bottom >>> wordBits)) & mask,
      low: isWide ? bottom : bottom & mask,
    };
    do turn(block);
    while (block.high > lastHigh || (block.high === lastHigh && block.low > lastLow));
    bridge.setUint32(0, isWide ? block.high : block.high >>> (32 - wordBits));
    bridge.setUint32(4, isWide ? block.low : (block.high << wordBits) | block.low);
    return bridge.getBigUint64(0);
  }

  return {
    size,
    permute: (value) => run(value, cipher.encrypt),
    invert: (place) => run(place, cipher.decrypt),
  };
}
