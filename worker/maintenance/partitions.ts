/**
 * Keeps the months of `click_logs` ahead of their time, and drops those whose time is over.
 *
 * @module
 */

/** Makes the partitions of the month of `from` (epoch milliseconds) and those after it, where they are missing. */
export type MakePartitions = (from: number, months: number) => Promise<number>;

/** This month and the two after it: cron may miss its runs for two months before a click falls into the default partition. */
const MONTHS = 3;

/** Makes what is missing and answers how many months were made. Idempotent, so a run that was missed is made good by the next. */
export function keepMonthsAhead(makePartitions: MakePartitions, now: number): Promise<number> {
  return makePartitions(now, MONTHS);
}

/** Drops the months that end at `before` (epoch milliseconds) or earlier, and answers how many. */
export type DropPartitions = (before: number) => Promise<number>;

/** Drops what is older than so many whole months (UTC) before this one; null keeps all. Idempotent. */
export async function dropPastMonths(
  dropPartitions: DropPartitions,
  keptMonths: number | null,
  now: number,
): Promise<number> {
  if (keptMonths === null) return 0;
  const today = new Date(now);
  return dropPartitions(Date.UTC(today.getUTCFullYear(), today.getUTCMonth() - keptMonths));
}
