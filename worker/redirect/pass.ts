/**
 * The pass: a cookie by which a visitor who has given a link's password is let through for a while without giving it again.
 *
 * It is signed with the stored hash of the password, so there is no other secret, and another password voids every pass at once. Whoever
 * knows the hash has read the database or a cache, and with it the destination. Whoever holds a pass cannot try passwords against it: the
 * hash has a salt of 128 random bits, which no visitor sees.
 *
 * @module
 */
import type { GuardedEntry } from "../../shared/entry.ts";
import { toHex } from "../../shared/hex.ts";
import { parsePasswordHash } from "../../shared/password.ts";
import type { RequestScope } from "../http/context.ts";

/** How long a pass is good, in seconds. */
export const PASS_SECONDS = 24 * 60 * 60;

const NAME = "hop_pass";
const PASSES = new RegExp(String.raw`(?:^|;)\s*${NAME}=([0-9a-z]{1,11})\.([0-9a-f]{64})(?=\s*(?:;|$))`, "g");
/** A browser sends those of other paths above this one too; ours are never more than two. */
const MOST_PASSES = 4;
const HMAC = { name: "HMAC", hash: "SHA-256" };

/** Whether the visitor brings a pass for this link and its present password. */
export async function hasPass({ headers }: Request, entry: GuardedEntry, now: number): Promise<boolean> {
  const cookies = headers.get("Cookie");
  if (cookies === null || !cookies.includes(NAME) || parsePasswordHash(entry.passwordHash) === undefined) return false;
  const key = await keyOf(entry, "verify");
  for (const [, until = "", mark = ""] of [...cookies.matchAll(PASSES)].slice(0, MOST_PASSES)) {
    const bytes = Uint8Array.from(mark.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16));
    // `verify` compares in constant time.
    if (Number.parseInt(until, 36) > now && (await crypto.subtle.verify(HMAC, key, bytes, signed(entry, until)))) {
      return true;
    }
  }
  return false;
}

/**
 * The `Set-Cookie` of a pass. It is sent for this code alone and what is behind it, as the path was written; never to a script; not over
 * plain HTTP where the link was reached by HTTPS; with links that lead here from elsewhere, and with no other request of another site.
 */
export async function passCookie(scope: RequestScope, entry: GuardedEntry): Promise<string> {
  const until = (scope.now + PASS_SECONDS * 1000).toString(36);
  const mark = await crypto.subtle.sign(HMAC, await keyOf(entry, "sign"), signed(entry, until));
  // A code has none of the characters that end a path in a cookie.
  const path = `/${scope.path.split("/", 2)[1] ?? ""}`;
  const secure = scope.url.protocol === "https:" ? "; Secure" : "";
  return `${NAME}=${until}.${toHex(new Uint8Array(mark))}; Path=${path}; Max-Age=${PASS_SECONDS}; HttpOnly; SameSite=Lax${secure}`;
}

/** Links that were made in one call with the same password have the same hash, so the link is signed too. */
function signed({ linkId }: GuardedEntry, until: string): Uint8Array {
  return new TextEncoder().encode(`hop pass\n${linkId}\n${until}`);
}

function keyOf({ passwordHash }: GuardedEntry, use: "sign" | "verify"): Promise<CryptoKey> {
  return crypto.subtle.importKey("raw", new TextEncoder().encode(passwordHash), HMAC, false, [use]);
}
