/**
 * Reads links for an export: one statement a page, which begins where the page before it ended.
 *
 * @module
 */
import { and, arrayContains, type SQL, sql } from "drizzle-orm";
import { isRecord } from "../../shared/json.ts";
import { NO_RULES, readRules } from "../../shared/rules.ts";
import { showRule } from "../../shared/schema/rule-shown.ts";
import { askDatabase, type Database } from "../backends/postgres.ts";
import { shortLinks, type ShortLinkRow } from "../backends/schema.ts";
import type { ExportedLink } from "./formats/format.ts";

/** Where a page ended. */
export type ExportPosition = Pick<ShortLinkRow, "domain" | "shortCode">;

/** Which links, behind which one. */
export interface ExportQuestion {
  readonly domain: string | undefined;
  /** A link has all of them. */
  readonly tag: readonly string[];
  readonly after: ExportPosition | undefined;
  /** The most links of the page; it has fewer where they are large, and none where there are no more. */
  readonly limit: number;
}

/** Reads a page, in the order of the bytes of domain and code. Rejects with `BackendDown` when the database cannot be asked. */
export type ReadPage = (asked: ExportQuestion) => Promise<readonly ExportedLink[]>;

/** Bytes of text in a page: well below the 10 MiB that an answer of Neon may have, whatever the rest of a row takes. */
const PAGE_BYTES = 4_000_000;

/** As `migrations/0020_transfer.sql` has them in its index. */
const ORDER = sql.raw(`domain COLLATE "C", short_code COLLATE "C"`);
const TEXTS = sql.raw("long_url, expired_url, title, notes, metadata::text, tags::text, external_id, rules::text");

/** Builds it. */
export function createReadPage(database: Database): ReadPage {
  return (asked) =>
    askDatabase(async () => {
      // It takes the table's name, so drizzle maps its columns as those of the table.
      const page = database.$with("short_links", {}).as(sql`
        SELECT * FROM (
          SELECT *, row_number() OVER page AS place, sum(octet_length(concat(${TEXTS}))) OVER page AS bytes
          FROM (SELECT * FROM short_links WHERE ${and(sql`true`, ...filters(asked))} ORDER BY ${ORDER} LIMIT ${asked.limit}) AS link
          WINDOW page AS (ORDER BY ${ORDER})
        ) AS sized WHERE place = 1 OR bytes <= ${PAGE_BYTES}`);
      const rows = await database
        .with(page)
        .select()
        .from(shortLinks)
        .orderBy(sql`place`);
      return rows.map(exported);
    });
}

function filters({ domain, tag, after }: ExportQuestion): (SQL | undefined)[] {
  return [
    domain === undefined ? undefined : sql`domain COLLATE "C" = ${domain}`,
    tag.length === 0 ? undefined : arrayContains(shortLinks.tags, [...tag]),
    after === undefined ? undefined : sql`(${ORDER}) > (${after.domain}, ${after.shortCode})`,
  ];
}

function exported(row: ShortLinkRow): ExportedLink {
  return {
    domain: row.domain,
    shortCode: row.shortCode,
    longUrl: row.longUrl,
    type: row.type,
    externalId: row.externalId,
    title: row.title,
    tags: row.tags,
    notes: row.notes,
    metadata: isRecord(row.metadata) ? row.metadata : {},
    redirectStatus: row.redirectStatus,
    forwardQuery: row.forwardQuery,
    forwardPath: row.forwardPath,
    validSince: timeOf(row.validSince),
    expireAt: timeOf(row.expireAt),
    expiredUrl: row.expiredUrl,
    maxClicks: row.maxClicks,
    rules: (readRules(row.rules, (url) => url) ?? NO_RULES).map(showRule),
    disabled: row.disabled,
    hasPassword: row.passwordHash !== null,
    ...(row.passwordHash === null ? {} : { passwordHash: row.passwordHash }),
    clickCount: row.clickCount,
    lastClickAt: timeOf(row.lastClickAt),
    createdAt: row.createdAt.toISOString(),
    updatedAt: row.updatedAt.toISOString(),
  };
}

function timeOf(at: Date | null): string | null {
  return at === null ? null : at.toISOString();
}
