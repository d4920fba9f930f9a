/**
 * Erases clicks, which is the only thing that the statistics write.
 *
 * @module
 */
import { sql } from "drizzle-orm";
import type { Moment } from "../../shared/schema/stats.ts";
import type { Database } from "../backends/postgres.ts";
import { ask, period, UnknownZone } from "./rollups.ts";

/** Which clicks of a link; an end that is not given is open, so without both it is all of them. */
export interface Erasure {
  readonly from?: Moment | undefined;
  readonly to?: Moment | undefined;
  readonly timezone: string;
}

/** How many clicks the figures lost, or why nothing was erased. */
export type Erased =
  | { readonly kind: "erased"; readonly clicks: number }
  /** The period ends before it begins. */
  | { readonly kind: "reversed" }
  /** The database does not know the time zone. */
  | { readonly kind: "unknown_zone" };

/**
 * Erases the clicks of a link in a period, widened to quarters of an hour: single clicks, figures, and what the link's row says of them.
 * All or nothing; a second call erases 0. Also clicks that stand in the figures alone are erased.
 *
 * Who visited is forgotten for days (UTC) that are erased whole. On a day that is erased in part, a visitor who was counted in the erased
 * part is not counted anew when they come again. A message that is delivered once more after its clicks were erased counts again, since the rows that
 * would have told it apart are gone. Rejects with `BackendDown` when the database cannot be asked.
 */
export type EraseClicks = (linkId: string, erasure: Erasure) => Promise<Erased>;

/** The end of the year 9999. */
const LAST_AT = 253_402_300_799_999;

/** Builds it. */
export function createEraseClicks(database: Database): EraseClicks {
  return async (linkId, { from, to, timezone }) => {
    const bounds = period({ from: from ?? { at: 0 }, to: to ?? { at: LAST_AT }, timezone, now: 0 });
    const begin = from === undefined ? sql`timestamptz '-infinity'` : sql`from_at`;
    const end = to === undefined ? sql`timestamptz 'infinity'` : sql`to_at`;
    try {
      const { rows } = await ask(() =>
        database.execute<{ erased: string | null }>(sql`
          WITH ${bounds}
          SELECT CASE WHEN ${begin} < ${end} THEN erase_clicks(${linkId}::bigint, ${begin}, ${end}) END::text AS erased FROM period`),
      );
      const erased = rows[0]?.erased ?? null;
      return erased === null ? { kind: "reversed" } : { kind: "erased", clicks: Number(erased) };
    } catch (error) {
      if (error instanceof UnknownZone) return { kind: "unknown_zone" };
      throw error;
    }
  };
}
