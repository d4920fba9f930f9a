/**
 * What an API key looks like, and what it may do.
 *
 * @module
 */

/** What a key may do; `admin` may do all of it. */
export const SCOPES = ["links:read", "links:write", "stats:read", "admin"] as const;

/** One of {@link SCOPES}. */
export type Scope = (typeof SCOPES)[number];

/** Whether a text is one of {@link SCOPES}. */
export function isScope(text: string): text is Scope {
  return SCOPES.some((scope) => scope === text);
}

/** So many random bytes make a key. */
export const KEY_BYTES = 32;

/** Programs that look for leaked secrets know a key by it. */
const PREFIX = "hop_";
const DIGITS = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
/** 62^43 is the first power of 62 above 2^256. */
const KEY_DIGITS = 43;
const KEY = new RegExp(`^${PREFIX}[0-9A-Za-z]{${KEY_DIGITS}}$`);
/** Prefix and four digits: 24 of 256 bits. */
const HINT_CHARACTERS = PREFIX.length + 4;

/** The key of {@link KEY_BYTES} bytes: a prefix and 43 digits in base 62. */
export function writeKey(bytes: Uint8Array): string {
  let rest = bytes.reduce((sum, byte) => sum * 256n + BigInt(byte), 0n);
  let digits = "";
  while (rest > 0n) {
    digits = DIGITS.charAt(Number(rest % 62n)) + digits;
    rest /= 62n;
  }
  return PREFIX + digits.padStart(KEY_DIGITS, "0");
}

/** Whether a text has the form of a key, so that it is worth a look-up. */
export function hasKeyForm(text: string): boolean {
  return KEY.test(text);
}

/** The beginning of a key, by which a person tells it from others. */
export function hintOf(key: string): string {
  return key.slice(0, HINT_CHARACTERS);
}
