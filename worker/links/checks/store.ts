/**
 * The checks that are due, in Postgres: noted in the statement that writes the link, claimed by cron, gone with their link.
 *
 * @module
 */
import { getTableColumns, sql } from "drizzle-orm";
import type { WithSubquery } from "drizzle-orm";
import { askDatabase as ask, type Database } from "../../backends/postgres.ts";
import { shortLinks, type ShortLinkRow } from "../../backends/schema.ts";
import type { CheckNote } from "./schedule.ts";

/** What is to be noted of a link. */
export interface LinkNote extends CheckNote {
  readonly linkId: string;
}

/**
 * A select of the rows that `written` answers (a statement that writes links, as the `WITH` query `short_links`), which also keeps the notes of
 * those that it wrote: both are done, or neither is.
 */
export function notingToo(database: Database, written: WithSubquery, notes: readonly LinkNote[]) {
  const noted = database.$with("noted", {}).as(sql`
    INSERT INTO url_checks (link_id, due_at, clear_at, attempts)
    SELECT note.id, note.due_at, note.clear_at, note.attempts
    FROM ${notesAsRows(notes)} JOIN short_links AS link ON link.id = note.id
    ON CONFLICT (link_id) DO UPDATE
    SET due_at = excluded.due_at, clear_at = excluded.clear_at, attempts = excluded.attempts`);
  return database.with(written, noted);
}

/** A link whose check is due, as it is now. */
export interface ClaimedCheck extends Omit<CheckNote, "dueAt"> {
  readonly row: ShortLinkRow;
}

/** The checks that are due. Each function rejects with `BackendDown` when the database cannot be asked. */
export interface CheckStore {
  /** Takes some that are due, the oldest first; whoever else claims skips them until the lease is over. Times are epoch milliseconds. */
  claim(now: number, limit: number, leaseUntil: number): Promise<readonly ClaimedCheck[]>;
  /**
   * Keeps what came of claimed ones: a note, or null for one that is done. A check that was noted anew meanwhile stays as it is: the link
   * has changed.
   */
  settle(settled: ReadonlyMap<string, CheckNote | null>, leaseUntil: number): Promise<void>;
}

/** Builds it. */
export function createCheckStore(database: Database): CheckStore {
  return {
    claim: (now, limit, leaseUntil) =>
      ask(async () => {
        const claimed = database.$with("claimed", {}).as(sql`
          UPDATE url_checks SET due_at = ${isoOf(leaseUntil)}::timestamptz
          WHERE link_id IN (
            SELECT link_id FROM url_checks WHERE due_at <= ${isoOf(now)}::timestamptz
            ORDER BY due_at LIMIT ${limit}::int FOR UPDATE SKIP LOCKED)
          RETURNING link_id, clear_at, attempts`);
        const rows = await database
          .with(claimed)
          .select({
            ...getTableColumns(shortLinks),
            attempts: sql`claimed.attempts`.mapWith(Number),
            clearAt: sql<number | null>`(extract(epoch FROM claimed.clear_at) * 1000)::float8`,
          })
          .from(shortLinks)
          .innerJoin(sql`claimed`, sql`claimed.link_id = ${shortLinks.id}`);
        return rows.map(({ attempts, clearAt, ...row }) => ({ row, attempts, clearAt }));
      }),
    settle: (settled, leaseUntil) =>
      ask(async () => {
        const notes = [...settled].flatMap(([linkId, note]) => (note === null ? [] : [{ linkId, ...note }]));
        const done = [...settled].flatMap(([linkId, note]) => (note === null ? [linkId] : []));
        await database.execute(sql`
          WITH done AS (
            DELETE FROM url_checks
            WHERE link_id = ANY (${`{${done.join()}}`}::bigint[]) AND due_at = ${isoOf(leaseUntil)}::timestamptz
          )
          UPDATE url_checks SET due_at = note.due_at, clear_at = note.clear_at, attempts = note.attempts
          FROM ${notesAsRows(notes)}
          WHERE link_id = note.id AND url_checks.due_at = ${isoOf(leaseUntil)}::timestamptz`);
      }),
  };
}

function notesAsRows(notes: readonly LinkNote[]) {
  const rows = notes.map(({ linkId, dueAt, clearAt, attempts }) => ({
    id: linkId,
    due_at: isoOf(dueAt),
    clear_at: clearAt === null ? null : isoOf(clearAt),
    attempts,
  }));
  return sql`jsonb_to_recordset(${JSON.stringify(rows)}::jsonb)
    AS note (id bigint, due_at timestamptz, clear_at timestamptz, attempts smallint)`;
}

function isoOf(epochMs: number): string {
  return new Date(epochMs).toISOString();
}
