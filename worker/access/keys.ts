/**
 * Who may use the API: the key in `Authorization: Bearer` or `X-Api-Key`. Never in the address, which ends up in logs.
 *
 * @module
 */

/** What a key may do; `admin` may do all of it. */
export type Scope = "links:read" | "links:write" | "stats:read" | "admin";

/** Who calls. */
export interface Caller {
  readonly scopes: readonly Scope[];
}

/** Finds the caller of a request, or null for no key and for a wrong one. */
export type Authenticate = (headers: Headers) => Promise<Caller | null>;

/** Longer keys than ours are not hashed: it would only cost time. */
const MAX_KEY_CHARACTERS = 512;

/** Builds the check over the admin key. */
export function createAuthenticate(adminKey: string): Authenticate {
  return async (headers) => {
    const key = presentedKey(headers);
    if (key === null || key.length > MAX_KEY_CHARACTERS) return null;
    return (await isSame(key, adminKey)) ? { scopes: ["admin"] } : null;
  };
}

/** Whether the caller has the scope, or all of them. */
export function allows(caller: Caller, scope: Scope): boolean {
  return caller.scopes.includes("admin") || caller.scopes.includes(scope);
}

function presentedKey(headers: Headers): string | null {
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
