/**
 * The statements of maintenance.
 *
 * @module
 */
import { and, asc, eq, gt, sql } from "drizzle-orm";
import { askDatabase as ask, type Database } from "../backends/postgres.ts";
import { deadLetters, shortLinks } from "../backends/schema.ts";
import type { FilterTruth } from "../entries/filter.ts";
import type { ReadCustomRows } from "./filter-rebuild.ts";
import type { ForgetReports } from "./metric-reports.ts";
import type { ForgetMisses } from "./misses.ts";
import type { DropPartitions, MakePartitions } from "./partitions.ts";
import type { ReplayParts } from "./replay.ts";
import type { ForgetVisitors } from "./visitors.ts";

/** What maintenance asks of the database; each rejects with `BackendDown` when it cannot be asked. */
export interface MaintenanceStore {
  readonly makePartitions: MakePartitions;
  readonly dropPartitions: DropPartitions;
  readonly forgetVisitors: ForgetVisitors;
  readonly forgetMisses: ForgetMisses;
  readonly forgetReports: ForgetReports;
  readonly letters: Omit<ReplayParts, "send">;
  readonly filterTruth: FilterTruth;
  readonly readCustomRows: ReadCustomRows;
}

/** Builds the store. */
export function createMaintenanceStore(database: Database): MaintenanceStore {
  return {
    makePartitions: (from, months) =>
      ask(async () => {
        const start = new Date(from).toISOString();
        const { rows } = await database.execute<{ made: string }>(sql`
          SELECT count(*) FILTER (WHERE make_click_partition(${start}::timestamptz + month * interval '1 month')) AS made
          FROM generate_series(0, ${months - 1}::int) AS month`);
        return Number(rows[0]?.made ?? 0);
      }),
    dropPartitions: (before) =>
      ask(async () => {
        const { rows } = await database.execute<{ dropped: number }>(
          sql`SELECT drop_click_partitions(${new Date(before).toISOString()}::timestamptz) AS dropped`,
        );
        return rows[0]?.dropped ?? 0;
      }),
    forgetVisitors: (before) => deleteDays(database, "click_visitors", before),
    forgetMisses: (before) => deleteDays(database, "code_misses", before),
    forgetReports: (before) => deleteDays(database, "metric_reports", before),
    letters: {
      readRequested: (limit) =>
        ask(() =>
          database
            .select({ queue: deadLetters.queue, messageId: deadLetters.messageId, body: deadLetters.body })
            .from(deadLetters)
            .where(eq(deadLetters.replayRequested, sql`true`))
            .orderBy(asc(deadLetters.buriedAt))
            .limit(limit),
        ),
      forget: ({ queue, messageId }) =>
        ask(async () => {
          await database
            .delete(deadLetters)
            .where(and(eq(deadLetters.queue, queue), eq(deadLetters.messageId, messageId)));
        }),
    },
    filterTruth: createFilterTruth(database),
    readCustomRows: (after, limit) =>
      ask(async () => {
        const rows = await database
          .select({ id: shortLinks.id, domain: shortLinks.domain, code: shortLinks.shortCode })
          .from(shortLinks)
          .where(and(eq(shortLinks.type, sql`'custom'`), gt(shortLinks.id, after)))
          .orderBy(asc(shortLinks.id))
          .limit(limit);
        return rows.map(({ id, domain, code }) => ({ id, key: { domain, code } }));
      }),
  };
}

/** What the filter of custom codes asks of Postgres; see `migrations/0004_filter.sql`. */
export function createFilterTruth(database: Database): FilterTruth {
  return {
    raiseFence: (epoch) =>
      ask(async () => {
        const { rows } = await database.execute<{ fence: string }>(
          sql`SELECT raise_filter_fence(${epoch}::bigint, ${epoch}::bigint)::text AS fence`,
        );
        return numberOf(rows[0]?.fence);
      }),
    settle: ({ epoch, begun, trail }) =>
      ask(async () => {
        const epochs = `{${trail.map((stamp) => stamp.epoch).join()}}`;
        const counts = `{${trail.map((stamp) => stamp.adds).join()}}`;
        const { rows } = await database.execute<{ sound: boolean; newest: string }>(sql`
          SELECT sound, newest::text AS newest
          FROM settle_filter(${epoch}::bigint, ${begun}::bigint, ${epochs}::bigint[], ${counts}::bigint[])`);
        return { sound: rows[0]?.sound === true, newest: numberOf(rows[0]?.newest) };
      }),
  };
}

/** Tables whose rows belong to a day. */
type DailyTable = "click_visitors" | "code_misses" | "metric_reports";

/** So many rows go within a statement's time limit. */
const STATEMENT_ROWS = 50_000;
/** Statements a run: of 24 runs a day 36 million rows, which is what a billion clicks a month leave. The next run goes on. */
const MAX_STATEMENTS = 30;

/** Deletes the rows of the days (UTC) before that of `before`, piece by piece; answers how many. */
async function deleteDays(database: Database, table: DailyTable, before: number): Promise<number> {
  let sum = 0;
  for (let statements = 0; statements < MAX_STATEMENTS; statements += 1) {
    const deleted = await deleteSomeDays(database, table, before);
    sum += deleted;
    if (deleted < STATEMENT_ROWS) break;
  }
  return sum;
}

function deleteSomeDays(database: Database, table: DailyTable, before: number): Promise<number> {
  return ask(async () => {
    const { rows } = await database.execute<{ deleted: string }>(sql`
      WITH deleted AS (
        DELETE FROM ${sql.identifier(table)} WHERE ctid = ANY (ARRAY(
          SELECT ctid FROM ${sql.identifier(table)}
          WHERE day < (${new Date(before).toISOString()}::timestamptz AT TIME ZONE 'UTC')::date LIMIT ${STATEMENT_ROWS}))
        RETURNING 1
      )
      SELECT count(*) AS deleted FROM deleted`);
    return Number(rows[0]?.deleted ?? 0);
  });
}

function numberOf(digits: string | undefined): number {
  if (digits === undefined) throw new TypeError("a function answered no row");
  return Number(digits);
}
