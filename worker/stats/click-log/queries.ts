/**
 * The raw clicks of a link, read page by page.
 *
 * @module
 */
import { sql } from "drizzle-orm";
import type { ClickShown } from "../../../shared/schema/stats.ts";
import type { Database } from "../../backends/postgres.ts";
import { ask, period, type PeriodQuestion } from "../rollups.ts";

/** Where a page ended: the newest click of the next one is older, or as old with a smaller id. */
export interface ClickPosition {
  /** Epoch milliseconds. */
  readonly at: number;
  readonly id: string;
}

/** Reads clicks of a period, newest first, after a position; at most `limit`. Rejects like `ask`. */
export type ReadClicks = (
  linkId: string,
  asked: PeriodQuestion,
  after: ClickPosition | undefined,
  limit: number,
) => Promise<readonly ClickShown[]>;

/** Builds it. The period is exact here, to the millisecond. */
export function createReadClicks(database: Database): ReadClicks {
  return async (linkId, asked, after, limit) => {
    const older =
      after === undefined
        ? sql`true`
        : sql`(clicked_at, id) < (${new Date(after.at).toISOString()}::timestamptz, ${after.id}::uuid)`;
    return ask(async () => {
      const { rows } = await database.execute<{ click: Omit<ClickShown, "time"> & { readonly at: number } }>(sql`
        WITH ${period(asked)}
        SELECT jsonb_build_object('id', id, 'at', (extract(epoch FROM clicked_at) * 1000)::bigint, 'country', country, 'region', region,
          'city', city, 'referrer', referrer, 'source', source, 'language', language, 'device', device, 'browser', browser, 'os', os,
          'utmSource', utm_source, 'utmMedium', utm_medium, 'utmCampaign', utm_campaign, 'utmTerm', utm_term,
          'utmContent', utm_content, 'destination', destination, 'trigger', trigger, 'bot', bot, 'userAgent', user_agent, 'ip', ip
        ) AS click
        FROM click_logs, asked
        WHERE link_id = ${linkId}::bigint AND clicked_at >= a AND clicked_at < b AND ${older}
        ORDER BY clicked_at DESC, id DESC LIMIT ${limit}`);
      return rows.map(({ click: { at, id, ...rest } }) => ({ id, time: new Date(at).toISOString(), ...rest }));
    });
  };
}
