/**
 * How long deliveries are kept.
 *
 * @module
 */
import type { Outbox } from "./store.ts";

const DAY_MS = 24 * 60 * 60 * 1000;
const DELIVERED_KEPT_MS = 7 * DAY_MS;
const OTHER_KEPT_MS = 30 * DAY_MS;

/** So many rows a statement drops within its time limit. */
const STATEMENT_ROWS = 20_000;
/** Statements a run: two million rows, which is what a billion clicks a month take. The next run goes on. */
const MAX_STATEMENTS = 100;

/** Forgets events of a week ago that were delivered, all of 30 days ago, and what is left of deleted webhooks. Idempotent. */
export async function forgetPastDeliveries(
  forget: Outbox["forget"],
  now: number,
  limit: number = STATEMENT_ROWS,
): Promise<number> {
  let sum = 0;
  for (let statements = 0; statements < MAX_STATEMENTS; statements += 1) {
    const forgotten = await forget({
      deliveredBefore: now - DELIVERED_KEPT_MS,
      otherBefore: now - OTHER_KEPT_MS,
      limit,
    });
    sum += forgotten;
    if (forgotten < limit) break;
  }
  return sum;
}
