/**
 * Reads entries from the table of links, and makes an entry of a row that was just written.
 *
 * @module
 */
import { and, eq, sql } from "drizzle-orm";
import { type CodeKey, type Entry, isRedirectStatus, notFoundAt, sendableUrl } from "../../shared/entry.ts";
import { readRules } from "../../shared/rules.ts";
import type { Database } from "../backends/postgres.ts";
import { shortLinks, type ShortLinkRow } from "../backends/schema.ts";
import { log } from "../telemetry/log.ts";

/** The columns that decide a redirect. */
export type EntryRow = Pick<
  ShortLinkRow,
  | "id"
  | "longUrl"
  | "redirectStatus"
  | "validSince"
  | "expireAt"
  | "expiredUrl"
  | "disabled"
  | "maxClicks"
  | "forwardQuery"
  | "forwardPath"
  | "passwordHash"
  | "rules"
  | "version"
>;

/** Reads one entry; rejects when the database cannot be asked. */
export interface EntryStore {
  read(key: CodeKey, now: number): Promise<Entry>;
}

const COLUMNS = {
  id: shortLinks.id,
  longUrl: shortLinks.longUrl,
  redirectStatus: shortLinks.redirectStatus,
  validSince: shortLinks.validSince,
  expireAt: shortLinks.expireAt,
  expiredUrl: shortLinks.expiredUrl,
  disabled: shortLinks.disabled,
  maxClicks: shortLinks.maxClicks,
  forwardQuery: shortLinks.forwardQuery,
  forwardPath: shortLinks.forwardPath,
  passwordHash: shortLinks.passwordHash,
  rules: shortLinks.rules,
  version: shortLinks.version,
};

/** Builds the reader over a database. */
export function createEntryStore(database: Database): EntryStore {
  // Its text is built once: building it costs more than a look-up's own share of the processor.
  const statement = database
    .select(COLUMNS)
    .from(shortLinks)
    .where(and(eq(shortLinks.domain, sql.placeholder("domain")), eq(shortLinks.shortCode, sql.placeholder("code"))))
    .limit(1)
    .prepare("entry");
  return {
    async read({ domain, code }, now) {
      const [row] = await statement.execute({ domain, code });
      return row === undefined ? notFoundAt(now) : entryOf(row, now);
    },
  };
}

/**
 * The entry of a row, vouched for at `now`. A destination that must not be sent, or rules that are not understood whole (in a row that came by
 * SQL, say), make the link count as absent, and are logged: nobody is sent there, or where the rules might not have led.
 */
export function entryOf(row: EntryRow, now: number): Entry {
  const longUrl = sendableUrl(row.longUrl);
  const expiredUrl = row.expiredUrl === null ? null : sendableUrl(row.expiredUrl);
  const rules = readRules(row.rules, sendableUrl);
  if (
    longUrl === undefined ||
    expiredUrl === undefined ||
    rules === undefined ||
    !isRedirectStatus(row.redirectStatus)
  ) {
    log("error", "unsafe_destination", { linkId: row.id });
    return { kind: "absent", version: row.version, vouchedAt: now, tombstone: false };
  }
  return {
    kind: "present",
    version: row.version,
    vouchedAt: now,
    linkId: row.id,
    longUrl,
    redirectStatus: row.redirectStatus,
    validSince: row.validSince?.getTime() ?? null,
    expireAt: row.expireAt?.getTime() ?? null,
    expiredUrl,
    disabled: row.disabled,
    maxClicks: row.maxClicks,
    forwardQuery: row.forwardQuery,
    forwardPath: row.forwardPath,
    passwordHash: row.passwordHash,
    rules,
  };
}
