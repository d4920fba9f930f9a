/**
 * What the isolates have counted, as it stands added up.
 *
 * @module
 */
import { sql } from "drizzle-orm";
import { askDatabase, type Database } from "../../backends/postgres.ts";

/** Counters by name. */
export interface StoredCounts {
  readonly values: ReadonlyMap<string, number>;
  /** When clicks were last written, in epoch milliseconds; null: never. */
  readonly lastWrittenAt: number | null;
  /** Since when the oldest delivery of a webhook has been due, in epoch milliseconds; null: nothing waits. */
  readonly oldestDueAt: number | null;
  /** Webhooks that were switched off because of their receivers. */
  readonly webhooksGivenUp: number;
}

/** Reads all of them. Rejects with `BackendDown` when the database cannot be asked. */
export type ReadCounts = () => Promise<StoredCounts>;

/** No counter has this name. */
const WEBHOOKS = "webhooks";

/** Builds it. */
export function createReadCounts(database: Database): ReadCounts {
  return async () => {
    const { rows } = await askDatabase(() =>
      database.execute<{ name: string; value: string; at: string | null }>(sql`
        SELECT name, value::text AS value, (extract(epoch FROM updated_at) * 1000)::bigint::text AS at FROM metrics
        UNION ALL
        SELECT ${WEBHOOKS}, count(*) FILTER (WHERE disabled_reason <> 'asked')::text, (extract(epoch FROM min(CASE WHEN disabled_at IS NULL THEN (
          SELECT min(next_attempt_at) FROM webhook_deliveries WHERE webhook_id = hook.id AND next_attempt_at IS NOT NULL
        ) END)) * 1000)::bigint::text
        FROM webhooks AS hook`),
    );
    const webhooks = rows.find(({ name }) => name === WEBHOOKS);
    const written = rows.find(({ name }) => name === "clicks:written");
    return {
      values: new Map(rows.map(({ name, value }) => [name, Number(value)])),
      lastWrittenAt: instantOf(written?.at),
      oldestDueAt: instantOf(webhooks?.at),
      webhooksGivenUp: Number(webhooks?.value ?? 0),
    };
  };
}

function instantOf(digits: string | null | undefined): number | null {
  return digits === null || digits === undefined ? null : Number(digits);
}
