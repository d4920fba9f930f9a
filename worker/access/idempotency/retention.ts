/**
 * How long first answers are kept.
 *
 * @module
 */
import { type IdempotencyStore, KEPT_MS } from "./store.ts";

/** So many rows a statement drops within its time limit, also where each has a large answer. */
const STATEMENT_ROWS = 5000;
/** Statements a run: half a million rows. The next run goes on. */
const MAX_STATEMENTS = 100;

/** Forgets what is 24 hours old; answers how many rows. Idempotent. */
export async function forgetPastAnswers(
  forget: IdempotencyStore["forget"],
  now: number,
  limit: number = STATEMENT_ROWS,
): Promise<number> {
  let sum = 0;
  for (let statements = 0; statements < MAX_STATEMENTS; statements += 1) {
    const forgotten = await forget(now - KEPT_MS, limit);
    sum += forgotten;
    if (forgotten < limit) break;
  }
  return sum;
}
