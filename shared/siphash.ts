/**
 * SipHash-2-4: 64 bits of a text under a key, of which nobody without the key can tell anything (Aumasson, Bernstein: "SipHash: a fast
 * short-input PRF", 2012, https://eprint.iacr.org/2012/351). Made for short inputs, and computed in the same turn.
 *
 * @module
 */

/** A key of 128 bits, as four words in little-endian order: the lowest first. */
export type SipKey = readonly [number, number, number, number];

const HEX_DIGITS = 8;

/** Reads a key from the first 16 bytes. Throws RangeError when there are fewer. */
export function sipKey(bytes: ArrayBuffer): SipKey {
  const view = new DataView(bytes, 0, 16);
  return [view.getInt32(0, true), view.getInt32(4, true), view.getInt32(8, true), view.getInt32(12, true)];
}

/**
 * 16 hex digits: the hash of the text's characters, each as one byte, as they stand in HTTP. Of a character beyond U+00FF the lower byte
 * counts.
 *
 * One function, and its words in variables of their own: each 64-bit word is two of 32, the lower (`l`) and the higher (`h`), and
 * taken apart, or kept in an array, it takes four times as long.
 */
export function sipHash([k0l, k0h, k1l, k1h]: SipKey, text: string): string {
  // "somepseudorandomlygeneratedbytes" (paper, section 2.1).
  let [v0l, v0h] = [k0l ^ 0x70736575, k0h ^ 0x736f6d65];
  let [v1l, v1h] = [k1l ^ 0x6e646f6d, k1h ^ 0x646f7261];
  let [v2l, v2h] = [k0l ^ 0x6e657261, k0h ^ 0x6c796765];
  let [v3l, v3h] = [k1l ^ 0x79746573, k1h ^ 0x74656462];
  const last = text.length >>> 3;
  // A block has two rounds. The four rounds of the end are two more blocks, of nothing.
  for (let block = 0; block <= last + 2; block += 1) {
    const low = block <= last ? wordAt(text, block * 8) : 0;
    // The last block has the length in its top byte, and is filled with zeros.
    const high = block < last ? wordAt(text, block * 8 + 4) : block > last ? 0 : lastWord(text, block * 8 + 4);
    if (block === last + 1) v2l ^= 0xff;
    v3l ^= low;
    v3h ^= high;
    for (let round = 0; round < 2; round += 1) {
      let word = v1l;
      v0l = (v0l + v1l) | 0;
      v0h = (v0h + v1h + (v0l >>> 0 < v1l >>> 0 ? 1 : 0)) | 0;
      v1l = ((v1l << 13) | (v1h >>> 19)) ^ v0l;
      v1h = ((v1h << 13) | (word >>> 19)) ^ v0h;
      word = v0l;
      v0l = v0h;
      v0h = word;
      word = v3l;
      v2l = (v2l + v3l) | 0;
      v2h = (v2h + v3h + (v2l >>> 0 < v3l >>> 0 ? 1 : 0)) | 0;
      v3l = ((v3l << 16) | (v3h >>> 16)) ^ v2l;
      v3h = ((v3h << 16) | (word >>> 16)) ^ v2h;
      word = v3l;
      v0l = (v0l + v3l) | 0;
      v0h = (v0h + v3h + (v0l >>> 0 < v3l >>> 0 ? 1 : 0)) | 0;
      v3l = ((v3l << 21) | (v3h >>> 11)) ^ v0l;
      v3h = ((v3h << 21) | (word >>> 11)) ^ v0h;
      word = v1l;
      v2l = (v2l + v1l) | 0;
      v2h = (v2h + v1h + (v2l >>> 0 < v1l >>> 0 ? 1 : 0)) | 0;
      v1l = ((v1l << 17) | (v1h >>> 15)) ^ v2l;
      v1h = ((v1h << 17) | (word >>> 15)) ^ v2h;
      word = v2l;
      v2l = v2h;
      v2h = word;
    }
    v0l ^= low;
    v0h ^= high;
  }
  return hex(v0h ^ v1h ^ v2h ^ v3h) + hex(v0l ^ v1l ^ v2l ^ v3l);
}

/** Four bytes; what lies behind the end is zero. */
function wordAt(text: string, at: number): number {
  // Nothing stands behind the end: NaN, of which the operators make 0.
  const [first, second] = [text.charCodeAt(at) & 0xff, text.charCodeAt(at + 1) & 0xff];
  return first | (second << 8) | ((text.charCodeAt(at + 2) & 0xff) << 16) | (text.charCodeAt(at + 3) << 24);
}

function lastWord(text: string, at: number): number {
  return (wordAt(text, at) & 0xffffff) | (text.length << 24);
}

function hex(word: number): string {
  return (word >>> 0).toString(16).padStart(HEX_DIGITS, "0");
}
