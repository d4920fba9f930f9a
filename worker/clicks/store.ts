/**
 * Writes clicks: one statement for a whole batch, which counts a click once however often it comes.
 *
 * @module
 */
import { sql } from "drizzle-orm";
import { type Database, diagnose } from "../backends/postgres.ts";
import type { ClickRow } from "./classify.ts";
import { ROLLED_UP } from "./rollups.ts";

/** Where clicks are kept. */
export interface ClickStore {
  /**
   * Keeps the clicks and adds those that are new to their links' counts. All or nothing.
   * Rejects with `BackendDown` when the database cannot be asked, and with {@link ClicksRefused} when it takes them never.
   */
  write(clicks: readonly ClickRow[]): Promise<Written>;
}

/** What was written. */
export interface Written {
  /** How many clicks were new. */
  readonly clicks: number;
  /** Whether there is a webhook that is told of clicks: of these, or of others whose answer was lost. */
  readonly awaited: boolean;
}

/** The database refused the rows as such; asking again would not help. */
export class ClicksRefused extends Error {
  override readonly name = "ClicksRefused";
}

/** Builds the store. */
export function createClickStore(database: Database): ClickStore {
  return {
    async write(clicks) {
      if (clicks.length === 0) return { clicks: 0, awaited: false };
      try {
        const { rows } = await database.execute<{ inserted: string; awaited: boolean }>(statement(clicks));
        return { clicks: Number(rows[0]?.inserted ?? 0), awaited: rows[0]?.awaited === true };
      } catch (error) {
        const failure = diagnose(error);
        if (failure.kind === "down") throw failure.error;
        throw new ClicksRefused(`SQLSTATE ${failure.sqlState}`, { cause: error });
      }
    },
  };
}

/**
 * Rows are inserted in the order of their ids; then visitors, rollups and links are locked, each in the order of their keys (the
 * comparison with `rolled` is never false, it says what comes first): two consumers that work on the same clicks or the same
 * links wait for each other and never deadlock. Only rows that this statement inserted are counted.
 */
function statement(clicks: readonly ClickRow[]) {
  return sql`
    WITH incoming AS (
      SELECT * FROM jsonb_to_recordset(${JSON.stringify(clicks)}::jsonb) AS click(
        "id" uuid, "linkId" bigint, "at" bigint, "country" text, "region" text, "city" text,
        "referrer" text, "source" text, "language" text, "userAgent" text, "ip" text, "device" text, "browser" text, "os" text,
        "utmSource" text, "utmMedium" text, "utmCampaign" text, "utmTerm" text, "utmContent" text,
        "destination" text, "trigger" text, "bot" text, "visitor" text)
    ), inserted AS (
      INSERT INTO click_logs (id, link_id, clicked_at, country, region, city, referrer, source, language, user_agent, ip,
        device, browser, os, utm_source, utm_medium, utm_campaign, utm_term, utm_content, destination, trigger,
        bot, visitor)
      SELECT "id", "linkId", to_timestamp("at" / 1000.0), "country", "region", "city", "referrer", "source", "language", "userAgent",
        "ip", "device", "browser", "os", "utmSource", "utmMedium", "utmCampaign", "utmTerm", "utmContent", "destination",
        "trigger", "bot", ('x' || "visitor")::bit(64)::bigint
      FROM incoming ORDER BY "id"
      ON CONFLICT DO NOTHING
      RETURNING *
    ), ${ROLLED_UP}, counted AS (
      SELECT link_id, count(*) AS clicks, max(clicked_at) AS last_at FROM inserted GROUP BY link_id
    ), locked AS (
      SELECT links.id FROM short_links AS links JOIN counted ON counted.link_id = links.id
      WHERE (SELECT count(*) FROM rolled) >= 0 ORDER BY links.id FOR UPDATE OF links
    ), updated AS (
      UPDATE short_links AS links
      SET click_count = links.click_count + counted.clicks, last_click_at = greatest(links.last_click_at, counted.last_at)
      FROM counted JOIN locked ON locked.id = counted.link_id
      WHERE links.id = counted.link_id
    )
    SELECT count(*) AS inserted, EXISTS (
      SELECT FROM webhooks WHERE disabled_at IS NULL AND 'link.clicked' = ANY (events)
    ) AS awaited FROM inserted`;
}
