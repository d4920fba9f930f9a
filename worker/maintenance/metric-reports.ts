/**
 * Forgets which reports of counts were added up: none of that day is delivered any more.
 *
 * @module
 */

/** Forgets the reports of the days (UTC) before that of `before` (epoch milliseconds); answers how many. */
export type ForgetReports = (before: number) => Promise<number>;

/** A message lives a day at most between queue and dead-letter queue; one that a person sends again later may count twice. */
const KEPT_MS = 7 * 24 * 60 * 60 * 1000;

/** Forgets what is a week old. Idempotent. */
export function forgetPastReports(forgetReports: ForgetReports, now: number): Promise<number> {
  return forgetReports(now - KEPT_MS);
}
