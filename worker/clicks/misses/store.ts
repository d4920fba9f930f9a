/**
 * Writes misses. They are no clicks: a message that is delivered twice counts twice.
 *
 * @module
 */
import { sql } from "drizzle-orm";
import { type Miss, OTHER_CODES } from "../../../shared/miss.ts";
import { askDatabase, type Database } from "../../backends/postgres.ts";

/** Adds misses to their days (UTC). Rejects with `BackendDown` when the database cannot be asked. */
export type WriteMisses = (misses: readonly Miss[]) => Promise<void>;

/** So many codes are kept apart on a day; consumers that work at one moment may make it a few more. */
const MAX_CODES_A_DAY = 1000;

/** Builds it. */
export function createWriteMisses(database: Database): WriteMisses {
  return async (misses) => {
    if (misses.length === 0) return;
    const rows = misses.map(({ key, misses: n, lastAt }) => ({ ...key, n, at: new Date(lastAt).toISOString() }));
    await askDatabase(() => database.execute(statement(JSON.stringify(rows))));
  };
}

function statement(rows: string) {
  const other = sql`${OTHER_CODES.code}`;
  return sql`
    WITH incoming AS (
      SELECT (at AT TIME ZONE 'UTC')::date AS day, domain, code, sum(n) AS misses, max(at) AS last_at
      FROM jsonb_to_recordset(${rows}::jsonb) AS miss(domain text, code text, n bigint, at timestamptz)
      GROUP BY 1, 2, 3
    ), placed AS (
      SELECT incoming.*, known.day IS NOT NULL AS is_known, row_number() OVER (
        PARTITION BY day, known.day IS NOT NULL ORDER BY incoming.misses DESC, domain, code
      ) AS place
      FROM incoming LEFT JOIN code_misses AS known USING (day, domain, code)
    ), judged AS (
      SELECT *, is_known OR place + (SELECT count(*) FROM code_misses AS standing WHERE standing.day = placed.day) <= ${MAX_CODES_A_DAY} AS is_apart
      FROM placed
    ), bounded AS (
      SELECT day, CASE WHEN is_apart THEN domain ELSE ${other} END AS domain, CASE WHEN is_apart THEN code ELSE ${other} END AS code,
        sum(misses) AS misses, max(last_at) AS last_at
      FROM judged GROUP BY 1, 2, 3
    )
    INSERT INTO code_misses AS row (day, domain, code, misses, last_at)
    SELECT day, domain, code, misses, last_at FROM bounded ORDER BY day, domain, code
    ON CONFLICT (day, domain, code) DO UPDATE SET
      misses = row.misses + excluded.misses, last_at = greatest(row.last_at, excluded.last_at)`;
}
