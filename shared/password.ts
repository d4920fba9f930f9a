/**
 * Passwords of links: what may be one, which bytes of it are hashed, and the stored form of a hash. The form says how the hash was
 * made, so that the cost can be raised and hashes of before still be checked.
 *
 * @module
 */
import { toHex } from "./hex.ts";

/** The longest password, in bytes of UTF-8: a sentence in any script. Whoever tries passwords shall not choose how much is read. */
export const MAX_PASSWORD_BYTES = 256;

/**
 * The most iterations of PBKDF2 that Cloudflare's runtime takes: beyond them it throws a `NotSupportedError`, which a local workerd does
 * not (cloudflare/workerd, issue 1346 and pull request 1471).
 */
export const MAX_ITERATIONS = 100_000;

/** How many different passwords one list of creations may have: each is some 20 ms of the processor, during which nothing else is answered. */
export const MAX_BULK_PASSWORDS = 100;

/** A hash made with PBKDF2-HMAC-SHA-256 (RFC 8018, 5.2). */
export interface PasswordHash {
  readonly iterations: number;
  /** Random, of this hash alone. */
  readonly salt: Uint8Array<ArrayBuffer>;
  /** 32 bytes. */
  readonly digest: Uint8Array<ArrayBuffer>;
}

/**
 * The bytes that are hashed: UTF-8 of the text in NFC, since keyboards differ in how they compose a letter. Nothing else of it is
 * changed, and nothing is cut off.
 */
export function passwordBytes(password: string): Uint8Array {
  return new TextEncoder().encode(password.normalize("NFC"));
}

/** Why a text cannot be a password, or undefined. What could not be typed into a field of one line is refused. */
export function passwordFault(password: string): string | undefined {
  if (password === "") return "is empty; null takes the password away";
  if (!password.isWellFormed()) return "holds half a surrogate pair, which is no character";
  if (/\p{Cc}/u.test(password)) return "holds a control character, which no form sends";
  if (passwordBytes(password).length > MAX_PASSWORD_BYTES) return `is longer than ${MAX_PASSWORD_BYTES} bytes in UTF-8`;
  return undefined;
}

const STORED = /^pbkdf2-sha256\$([1-9]\d{0,5})\$((?:[0-9a-f]{2}){8,64})\$([0-9a-f]{64})$/;

/** The stored form: scheme, iterations, salt and digest, the last two in hex. */
export function writePasswordHash({ iterations, salt, digest }: PasswordHash): string {
  return `pbkdf2-sha256$${iterations}$${toHex(salt)}$${toHex(digest)}`;
}

/** Reads what {@link writePasswordHash} wrote. Undefined for anything else and for what no runtime could check: then no password is right. */
export function parsePasswordHash(stored: string): PasswordHash | undefined {
  const [, count = "", salt = "", digest = ""] = STORED.exec(stored) ?? [];
  const iterations = Number(count);
  if (iterations < 1 || iterations > MAX_ITERATIONS) return undefined;
  return { iterations, salt: fromHex(salt), digest: fromHex(digest) };
}

function fromHex(hex: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(hex.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16));
}
