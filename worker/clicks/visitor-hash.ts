/**
 * Tells the visitors of one link on one day apart, without keeping who they are.
 *
 * @module
 */
import { toHex } from "../../shared/hex.ts";
import type { Sighting } from "../http/visitor.ts";
import { log } from "../telemetry/log.ts";
import { type DailySalt, DAY_MS } from "./salt.ts";

/**
 * 64 bits in hex of address and browser under the day's salt, another for each link; null for one who asks not to be tracked, and
 * while there is no salt. Approximate: people behind one address with one browser are one, and one person with two is two.
 */
export type VisitorHash = (seen: Sighting, linkId: string, at: number) => Promise<string | null>;

/** 64 bits: with a million visitors a day of one link, two of them are one with a chance of 1 in 37 million. */
const HASH_BYTES = 8;
/** While there is no salt, it is asked for at most this often. */
const PAUSE_MS = 5000;

/** Builds the hash. Never rejects. */
export function createVisitorHash(dailySalt: DailySalt): VisitorHash {
  let known: { readonly day: number; readonly key: CryptoKey } | undefined;
  let askAgainAt = 0;

  const keyFor = async (at: number): Promise<CryptoKey | undefined> => {
    const day = Math.floor(at / DAY_MS);
    if (known?.day === day) return known.key;
    if (at < askAgainAt) return undefined;
    try {
      const key = await importKey(await dailySalt(at));
      known = { day, key };
      return key;
    } catch (error) {
      askAgainAt = at + PAUSE_MS;
      log("warn", "no_salt", {}, error);
      return undefined;
    }
  };

  return async ({ untracked, address, userAgent }, linkId, at) => {
    if (untracked || (address === null && userAgent === null)) return null;
    const key = await keyFor(at);
    if (key === undefined) return null;
    const text = JSON.stringify([linkId, address, userAgent]);
    const signature = await crypto.subtle.sign("HMAC", key, new TextEncoder().encode(text));
    return toHex(new Uint8Array(signature, 0, HASH_BYTES));
  };
}

function importKey(salt: string): Promise<CryptoKey> {
  return crypto.subtle.importKey("raw", new TextEncoder().encode(salt), { name: "HMAC", hash: "SHA-256" }, false, [
    "sign",
  ]);
}
