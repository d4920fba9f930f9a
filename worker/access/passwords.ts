/**
 * Makes and checks the hashes of links' passwords. Each takes some milliseconds of the processor, on purpose: what is checked for
 * strangers is limited by whoever calls.
 *
 * @module
 */
import {
  parsePasswordHash,
  passwordBytes,
  passwordFault,
  type PasswordHash,
  writePasswordHash,
} from "../../shared/password.ts";

/** The salt's length that NIST SP 800-132, 5.1 asks for. */
const SALT_BYTES = 16;
const DIGEST_BITS = 256;

/** Hashes a password, in its stored form. */
export type HashPassword = (password: string) => Promise<string>;

/** Builds it, at a cost. */
export function createHashPassword(iterations: number): HashPassword {
  return async (password) => {
    const salt = crypto.getRandomValues(new Uint8Array(SALT_BYTES));
    return writePasswordHash({ iterations, salt, digest: await derive(passwordBytes(password), salt, iterations) });
  };
}

/** Whether a text is the password of a hash. Compared in constant time. A hash that cannot be read opens to nobody. */
export async function isPassword(text: string, stored: string): Promise<boolean> {
  const hash = parsePasswordHash(stored);
  // What can be no password is none: nothing is learnt by being told so at once. HMAC fills its key up with NULs, so that one at the end
  // would make no difference.
  if (hash === undefined || passwordFault(text) !== undefined) return false;
  return crypto.subtle.timingSafeEqual(await derive(passwordBytes(text), hash.salt, hash.iterations), hash.digest);
}

/** Whether a hash was made at this cost. */
export function costs(stored: string, iterations: number): boolean {
  return parsePasswordHash(stored)?.iterations === iterations;
}

async function derive(
  password: Uint8Array,
  salt: PasswordHash["salt"],
  iterations: number,
): Promise<PasswordHash["digest"]> {
  const key = await crypto.subtle.importKey("raw", password, "PBKDF2", false, ["deriveBits"]);
  const bits = await crypto.subtle.deriveBits({ name: "PBKDF2", hash: "SHA-256", salt, iterations }, key, DIGEST_BITS);
  return new Uint8Array(bits);
}
