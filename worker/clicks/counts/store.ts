/**
 * Adds up what the isolates have counted.
 *
 * @module
 */
import { sql } from "drizzle-orm";
import type { CountReport } from "../../../shared/counters.ts";
import { askDatabase, type Database } from "../../backends/postgres.ts";

/** Adds reports, each once however often it comes. Rejects with `BackendDown` when the database cannot be asked. */
export type WriteCounts = (reports: readonly CountReport[]) => Promise<void>;

/** Builds it. */
export function createWriteCounts(database: Database): WriteCounts {
  return async (reports) => {
    if (reports.length === 0) return;
    // One batch may hold a message twice.
    const once = [...new Map(reports.map((report) => [report.id, report])).values()];
    const rows = once.flatMap(({ id, counts }) => [...counts].map(([name, value]) => ({ id, name, value })));
    await askDatabase(() => database.execute(statement(JSON.stringify(rows))));
  };
}

/** Reports and counters are locked in the order of their keys, so that two consumers never deadlock. */
function statement(rows: string) {
  return sql`
    WITH incoming AS (
      SELECT * FROM jsonb_to_recordset(${rows}::jsonb) AS row(id uuid, name text, value bigint)
    ), fresh AS (
      INSERT INTO metric_reports (id) SELECT DISTINCT id FROM incoming ORDER BY id ON CONFLICT DO NOTHING RETURNING id
    )
    INSERT INTO metrics AS counter (name, value, updated_at)
    SELECT name, sum(value), now() FROM incoming JOIN fresh USING (id) GROUP BY name ORDER BY name
    ON CONFLICT (name) DO UPDATE SET value = counter.value + excluded.value, updated_at = excluded.updated_at`;
}
