/**
 * Tells the visitors of one link on one day apart, without keeping who they are.
 *
 * @module
 */
import { sipHash, sipKey, type SipKey } from "../../shared/siphash.ts";
import type { Sighting } from "../http/visitor.ts";
import { log } from "../telemetry/log.ts";
import { type DailySalt, DAY_MS } from "./salt.ts";

/**
 * 64 bits in hex of address and browser under the day's salt, another for each link; null for one who asks not to be tracked, and
 * while there is no salt. Approximate: people behind one address with one browser are one, and one person with two is two; of a
 * million visitors a day of one link, two are taken for one with a chance of 1 in 37 million. At once, where the day's salt is known.
 */
export type VisitorHash = (seen: Sighting, linkId: string, at: number) => string | null | Promise<string | null>;

/** While there is no salt, it is asked for at most this often. */
const PAUSE_MS = 5000;

/** Builds the hash. Never rejects. */
export function createVisitorHash(dailySalt: DailySalt): VisitorHash {
  let known: { readonly day: number; readonly key: SipKey } | undefined;
  let askAgainAt = 0;

  const keyFor = async (at: number): Promise<SipKey | undefined> => {
    const day = Math.floor(at / DAY_MS);
    if (known?.day === day) return known.key;
    if (at < askAgainAt) return undefined;
    try {
      const key = await keyOf(await dailySalt(at));
      known = { day, key };
      return key;
    } catch (error) {
      askAgainAt = at + PAUSE_MS;
      log("warn", "no_salt", {}, error);
      return undefined;
    }
  };

  return ({ untracked, address, userAgent }, linkId, at) => {
    if (untracked || (address === null && userAgent === null)) return null;
    // Neither an id nor an address holds a line break.
    const text = `${linkId}\n${address ?? ""}\n${userAgent ?? ""}`;
    if (known?.day === Math.floor(at / DAY_MS)) return sipHash(known.key, text);
    return keyFor(at).then((key) => (key === undefined ? null : sipHash(key, text)));
  };
}

/** The salt's text may be longer than a key: all of it counts. */
async function keyOf(salt: string): Promise<SipKey> {
  return sipKey(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(salt)));
}
