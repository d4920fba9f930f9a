/**
 * Which unknown codes were asked for most.
 *
 * @module
 */
import { sql } from "drizzle-orm";
import { OTHER_CODES } from "../../../shared/miss.ts";
import type { MissesShown } from "../../../shared/schema/misses.ts";
import type { Database } from "../../backends/postgres.ts";
import { ask } from "../rollups.ts";

/** Days (UTC), both included; of one domain, or of all. */
export interface MissesQuestion {
  readonly from: string;
  readonly to: string;
  readonly domain: string | undefined;
  readonly limit: number;
}

/** Reads the most requested ones, and the sum of all others. Rejects with `BackendDown` when the database cannot be asked. */
export type ReadMisses = (asked: MissesQuestion) => Promise<Pick<MissesShown, "misses" | "other">>;

/** Builds it. */
export function createReadMisses(database: Database): ReadMisses {
  return ({ from, to, domain, limit }) =>
    ask(async () => {
      const { rows } = await database.execute<{
        domain: string;
        code: string;
        misses: string;
        at: string;
        total: string;
      }>(sql`
        WITH sums AS (
          SELECT domain, code, sum(misses) AS misses, max(last_at) AS last_at, code = ${OTHER_CODES.code} AS is_rest FROM code_misses
          WHERE day BETWEEN ${from}::date AND ${to}::date AND (${domain ?? null}::text IS NULL OR domain = ${domain ?? null}::text)
          GROUP BY domain, code
        )
        SELECT domain, code, misses::text AS misses, (extract(epoch FROM last_at) * 1000)::bigint::text AS at,
          (SELECT sum(misses) FROM sums)::text AS total
        FROM sums ORDER BY is_rest, sums.misses DESC, domain, code LIMIT ${limit + 1}`);
      const shown = rows.filter(({ code }) => code !== OTHER_CODES.code).slice(0, limit);
      const misses = shown.map(({ domain: on, code, misses: n, at }) => ({
        domain: on,
        shortCode: code,
        misses: Number(n),
        lastAt: new Date(Number(at)).toISOString(),
      }));
      const total = Number(rows[0]?.total ?? 0);
      return { misses, other: misses.reduce((rest, { misses: n }) => rest - n, total) };
    });
}
