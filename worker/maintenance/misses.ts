/**
 * Forgets which unknown codes were asked for long ago.
 *
 * @module
 */

/** Forgets the misses of the days (UTC) before that of `before` (epoch milliseconds); answers how many rows. */
export type ForgetMisses = (before: number) => Promise<number>;

const KEPT_MS = 90 * 24 * 60 * 60 * 1000;

/** Forgets what is older than 90 days. Idempotent. */
export function forgetPastMisses(forgetMisses: ForgetMisses, now: number): Promise<number> {
  return forgetMisses(now - KEPT_MS);
}
