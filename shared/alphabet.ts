/**
 * Positional codec of 64-bit numbers over an alphabet. It refuses whatever it would not have written itself, so one
 * number has one text, and one text has one number at most.
 *
 * Digits are cut off several at a time in plain number arithmetic on three limbs of 21 and 22 bits: a BigInt division
 * for each digit would cost ten times as much.
 *
 * @module
 */

/** 55 symbols in ASCII order of their kind, without those that are read for one another: 0 O o, 1 I i l. */
export const SAFE_ALPHABET = "23456789abcdefghjkmnpqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ";

/** The 62 digits and letters of ASCII. */
export const BASE62_ALPHABET = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";

/** Writes and reads numbers from 0 to 2^64 - 1 with one alphabet. Texts are case-sensitive. */
export interface Codec {
  /** The number of symbols. */
  readonly base: number;
  /** The shortest text of a number; 0 is one zero digit. Throws RangeError outside 0 to 2^64 - 1. */
  readonly encode: (value: bigint) => string;
  /**
   * The number of a shortest text. Undefined for the empty text, a foreign character (a lone surrogate is one), a
   * leading zero digit, and a number of more than 64 bits.
   */
  readonly decode: (text: string) => bigint | undefined;
  /**
   * The text of exactly `width` digits (1 to 64), led by zero digits. Throws RangeError when the number needs more, and
   * outside 0 to 2^64 - 1.
   */
  readonly encodeFixed: (value: bigint, width: number) => string;
  /** The number of a text of exactly `width` digits. Undefined for another length, a foreign character, or overflow. */
  readonly decodeFixed: (text: string, width: number) => bigint | undefined;
}

const LIMB = 2 ** 21;
const TOP_LIMB = 2 ** 22;
/** A chunk of digits times a limb stays below 2^52, so number arithmetic is exact. */
const CHUNK_MAX = 2 ** 30;
const VALUE_MAX = 2n ** 64n - 1n;
const FOREIGN = 255;
/** 64 bits in base 2, the smallest. */
const DIGITS_MAX = 64;

/** The bridge between a bigint and its two words; written and read within one call, so nothing is kept in it. */
const bridge = new DataView(new ArrayBuffer(8));

/**
 * Builds a codec. The first symbol is the zero digit. Throws RangeError unless the alphabet has 2 to 94 different
 * visible ASCII characters.
 *
 * @example
 * createCodec(BASE62_ALPHABET).encode(1_000_000n) // "4c92"
 */
export function createCodec(alphabet: string): Codec {
  const digits = digitTable(alphabet);
  const base = alphabet.length;
  const zero = alphabet.charAt(0);
  const unitOf = Array.from(alphabet, (symbol) => symbol.charCodeAt(0));
  /** The text that is being written, filled from its end; like the bridge, it keeps nothing between calls. */
  const units = Array.from({ length: DIGITS_MAX }, () => 0);
  const chunkDigits = Math.floor(Math.log(CHUNK_MAX) / Math.log(base));
  const chunk = base ** chunkDigits;

  /** The digits of a number, and before them as many zero digits as it takes to fill `width`. */
  function write(value: bigint, width: number): string {
    if (value < 0n || value > VALUE_MAX) throw new RangeError(`${value} is not a number of 64 bits without sign.`);
    bridge.setBigUint64(0, value);
    const high = bridge.getUint32(0);
    const low = bridge.getUint32(4);
    let top = high >>> 10;
    let middle = ((high & 0x3ff) << 11) | (low >>> 21);
    let bottom = low & (LIMB - 1);
    let start = DIGITS_MAX;
    while (top !== 0 || middle !== 0 || bottom !== 0) {
      // Long division by `chunk`, limb by limb; what remains are the next digits from the right. A quotient below 2^22
      // with a divisor below 2^30 is rounded down exactly, and `%` on numbers beyond 2^31 would be a slow call.
      let rest = top;
      top = Math.floor(rest / chunk);
      rest = (rest - top * chunk) * LIMB + middle;
      middle = Math.floor(rest / chunk);
      rest = (rest - middle * chunk) * LIMB + bottom;
      bottom = Math.floor(rest / chunk);
      rest -= bottom * chunk;
      const isLast = top === 0 && middle === 0 && bottom === 0;
      for (let left = chunkDigits; isLast ? rest !== 0 : left > 0; left--) {
        const more = (rest / base) | 0;
        units[--start] = unitOf[rest - more * base] ?? 0;
        rest = more;
      }
    }
    while (start > DIGITS_MAX - width) units[--start] = unitOf[0] ?? 0;
    return String.fromCharCode(...units.slice(start));
  }

  function read(text: string): bigint | undefined {
    let top = 0;
    let middle = 0;
    let bottom = 0;
    for (let at = 0; at < text.length;) {
      const end = Math.min(at + chunkDigits, text.length);
      let part = 0;
      let scale = 1;
      for (; at < end; at++) {
        const unit = text.charCodeAt(at);
        const digit = unit < 128 ? (digits[unit] ?? FOREIGN) : FOREIGN;
        if (digit === FOREIGN) return undefined;
        part = part * base + digit;
        scale *= base;
      }
      let carry = bottom * scale + part;
      bottom = carry - Math.floor(carry / LIMB) * LIMB;
      carry = middle * scale + Math.floor(carry / LIMB);
      middle = carry - Math.floor(carry / LIMB) * LIMB;
      top = top * scale + Math.floor(carry / LIMB);
      if (top >= TOP_LIMB) return undefined;
    }
    bridge.setUint32(0, (top << 10) | (middle >>> 11));
    bridge.setUint32(4, (middle << 21) | bottom);
    return bridge.getBigUint64(0);
  }

  return {
    base,
    encode(value) {
      return write(value, 1);
    },
    decode(text) {
      if (text === "" || (text.length > 1 && text.startsWith(zero))) return undefined;
      return read(text);
    },
    encodeFixed(value, width) {
      const text = width >= 1 && width <= DIGITS_MAX ? write(value, width) : "";
      if (text !== "" && text.length === width) return text;
      throw new RangeError(`${value} cannot be written with ${width} digits of base ${base}.`);
    },
    decodeFixed(text, width) {
      return text !== "" && text.length === width ? read(text) : undefined;
    },
  };
}

/** The value of each ASCII character. A table, not an object: no text can name an inherited property of it. */
function digitTable(alphabet: string): Uint8Array {
  const digits = new Uint8Array(128).fill(FOREIGN);
  for (let value = 0; value < alphabet.length; value++) {
    const unit = alphabet.charCodeAt(value);
    if (unit <= 32 || unit >= 127 || digits[unit] !== FOREIGN) {
      throw new RangeError("An alphabet has visible ASCII characters, each once.");
    }
    digits[unit] = value;
  }
  if (alphabet.length < 2) throw new RangeError("An alphabet has two symbols at least.");
  return digits;
}
