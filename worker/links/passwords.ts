/**
 * The passwords that owners give their links: hashed as seldom as can be, since a hash is slow on purpose.
 *
 * @module
 */
import type { Refused } from "./settings.ts";

/** What passwords are hashed with, handed in. */
export interface Passwords {
  /** The stored form of a password's hash, each time another one. */
  readonly hash: (password: string) => Promise<string>;
  /** Whether a hash is that of the password, made as `hash` would make it today. */
  readonly isOf: (password: string, stored: string) => Promise<boolean>;
}

/** What a link is to have. */
export type Hashed = { readonly kind: "hashed"; readonly passwordHash: string | null } | Refused;

/**
 * The hash that a link gets for the password that was asked for, null for none. The same password keeps the link's present hash, so that a
 * repeated request changes nothing and sends no visitor back to the form.
 */
export type HashForLink = (asked: string | null, present: string | null) => Promise<Hashed>;

/**
 * Builds it for one call of the API. Links of that call with the same password share a hash; with more than `most` different passwords the
 * call's other links are refused.
 */
export function hashOnce(passwords: Passwords, most = 1): HashForLink {
  const made = new Map<string, string>();
  return async (asked, present) => {
    if (asked === null) return { kind: "hashed", passwordHash: null };
    const known = made.get(asked);
    if (known !== undefined) return { kind: "hashed", passwordHash: known };
    if (present !== null && (await passwords.isOf(asked, present))) return { kind: "hashed", passwordHash: present };
    if (made.size === most) {
      const message = `is one more than the ${most} different passwords that one list may have`;
      return { kind: "refused", code: "invalid_request", path: "password", message };
    }
    const passwordHash = await passwords.hash(asked);
    made.set(asked, passwordHash);
    return { kind: "hashed", passwordHash };
  };
}
