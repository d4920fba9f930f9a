/**
 * Forgets who came on past days: the figures have counted them, and no click of those days comes any more.
 *
 * @module
 */

/** Forgets the visitors of the days (UTC) before that of `before` (epoch milliseconds); answers how many. */
export type ForgetVisitors = (before: number) => Promise<number>;

/** A message lives a day at most between queue and dead-letter queue; a click that a person brings back later may count its visitor twice. */
const KEPT_MS = 7 * 24 * 60 * 60 * 1000;

/** Forgets what is a week old. Idempotent. */
export function forgetPastVisitors(forgetVisitors: ForgetVisitors, now: number): Promise<number> {
  return forgetVisitors(now - KEPT_MS);
}
