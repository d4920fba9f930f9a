/**
 * The day's salt: random, the same everywhere, and gone an hour after its day. Without it no hash of a visitor can be traced back,
 * and none of one day be compared with one of another.
 *
 * @module
 */
import { toHex } from "../../shared/hex.ts";
import type { RedisClient } from "../backends/redis.ts";

/** The salt of the day (UTC) that an instant in epoch milliseconds lies in, as hex. Rejects with `BackendDown`. */
export type DailySalt = (at: number) => Promise<string>;

/** What the salt is made of. */
export interface SaltParts {
  readonly client: () => Promise<RedisClient>;
  /** Before its Redis keys. */
  readonly prefix: string;
  /** 32 new random bytes as hex. */
  readonly random: () => string;
  /** Epoch milliseconds. */
  readonly clock: () => number;
}

/** A day has this many milliseconds in UTC, which knows no daylight saving. */
export const DAY_MS = 24 * 60 * 60 * 1000;
/** A visit is hashed within seconds; the rest is for a queue of flushes. */
const GRACE_MS = 60 * 60 * 1000;
/** Whoever comes first has chosen. */
const KEEP_FIRST = `
local known = redis.call('GET', KEYS[1])
if known then return known end
redis.call('SET', KEYS[1], ARGV[1], 'EX', ARGV[2])
return ARGV[1]`;

/** As wide as the hash that it keys. */
const SALT_BYTES = 32;

/** 32 random bytes as hex. */
export function newSalt(): string {
  return toHex(crypto.getRandomValues(new Uint8Array(SALT_BYTES)));
}

/**
 * Builds it over Redis, which forgets it by itself and keeps no history. When Redis loses it during its day (a flush, an eviction), another
 * one is chosen: whoever comes again counts again.
 */
export function createDailySalt({ client, prefix, random, clock }: SaltParts): DailySalt {
  return async (at) => {
    const day = Math.floor(at / DAY_MS);
    const seconds = Math.max(1, Math.ceil(((day + 1) * DAY_MS + GRACE_MS - clock()) / 1000));
    const salt = await (await client()).evaluate(KEEP_FIRST, [`${prefix}salt:${day}`], [random(), String(seconds)]);
    if (typeof salt === "string" && salt !== "") return salt;
    throw new TypeError("Redis answered no salt");
  };
}
