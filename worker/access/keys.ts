/**
 * Who may use the API: the key in `Authorization: Bearer` or `X-Api-Key`. Never in the address, which ends up in logs.
 *
 * @module
 */
import { hasKeyForm, type Scope } from "../../shared/api-key.ts";
import { toHex } from "../../shared/hex.ts";
import type { RequestScope } from "../http/context.ts";
import type { FindKey } from "./known-keys.ts";

/** Who calls. */
export interface Caller {
  /** The key's UUID, or {@link ADMIN} for the admin key. */
  readonly id: string;
  readonly scopes: readonly Scope[];
}

/** Names whoever calls with `ADMIN_KEY`. */
export const ADMIN = "admin";

/**
 * Finds whose key it is, or null for a wrong one, one that was revoked and one that has expired. Rejects with
 * `BackendDown` when only the database could tell; the admin key needs none.
 */
export type Authenticate = (key: string, scope: RequestScope) => Promise<Caller | null>;

/** Longer keys than ours are not hashed: it would only cost time. */
const MAX_KEY_CHARACTERS = 512;

/** Builds the check over the admin key and those in the database. */
export function createAuthenticate(adminKey: string, findKey: FindKey): Authenticate {
  return async (key, scope) => {
    if (key.length > MAX_KEY_CHARACTERS) return null;
    if (await isSame(key, adminKey)) return { id: ADMIN, scopes: ["admin"] };
    if (!hasKeyForm(key)) return null;
    const found = await findKey(await hashKey(key), scope);
    if (found === null || (found.expiresAt !== null && found.expiresAt <= scope.now)) return null;
    return found;
  };
}

/** Whether the caller has the scope, or all of them. */
export function allows(caller: Caller, scope: Scope): boolean {
  return caller.scopes.includes("admin") || caller.scopes.includes(scope);
}

/** The SHA-256 of a key as hex: what is kept of it. */
export async function hashKey(key: string): Promise<string> {
  return toHex(new Uint8Array(await digest(key)));
}

/** What a request carries as its key, whether it is one or not; null: nothing. */
export function presentedKey(headers: Headers): string | null {
  const bearer = /^Bearer +(\S+) *$/i.exec(headers.get("Authorization") ?? "")?.[1];
  return bearer ?? headers.get("X-Api-Key");
}

/** Compares digests in constant time, so that neither length nor a common beginning shows. */
async function isSame(given: string, expected: string): Promise<boolean> {
  const [a, b] = await Promise.all([digest(given), digest(expected)]);
  return crypto.subtle.timingSafeEqual(a, b);
}

function digest(text: string): Promise<ArrayBuffer> {
  return crypto.subtle.digest("SHA-256", new TextEncoder().encode(text));
}
