/**
 * Makes the months of `click_logs` ahead of their time.
 *
 * @module
 */
import { sql } from "drizzle-orm";
import { type Database, diagnose } from "../backends/postgres.ts";

/** This month and the two after it: cron may miss its runs for two months before a click falls into the default partition. */
const MONTHS = 3;

/** Makes what is missing and answers how many months were made. Idempotent; rejects with `BackendDown` when the database cannot be asked. */
export async function makePartitions(database: Database, now: number): Promise<number> {
  const start = new Date(now).toISOString();
  try {
    const { rows } = await database.execute<{ made: string }>(sql`
      SELECT count(*) FILTER (WHERE make_click_partition(${start}::timestamptz + month * interval '1 month')) AS made
      FROM generate_series(0, ${MONTHS - 1}) AS month`);
    return Number(rows[0]?.made ?? 0);
  } catch (error) {
    const failure = diagnose(error);
    throw failure.kind === "down" ? failure.error : error;
  }
}
