/**
 * The forms of a link: as a row, as the rules see it, and as the API shows it.
 *
 * @module
 */
import { isRedirectStatus } from "../../shared/entry.ts";
import { type Json, type Link, type LinkSettings, settingsText, shortUrlAt } from "../../shared/link.ts";
import { NO_RULES, readRules, type Rule } from "../../shared/rules.ts";
import type { LinkShown } from "../../shared/schema/link.ts";
import { showRule } from "../../shared/schema/rule-shown.ts";
import { isRecord } from "../../shared/json.ts";
import type { ShortLinkRow } from "../backends/schema.ts";

/** The link in a row. */
export function linkOf(row: ShortLinkRow): Link {
  return {
    id: row.id,
    domain: row.domain,
    shortCode: row.shortCode,
    type: row.type,
    longUrl: row.longUrl,
    externalId: row.externalId,
    title: row.title,
    tags: row.tags,
    notes: row.notes,
    metadata: jsonObject(row.metadata),
    redirectStatus: isRedirectStatus(row.redirectStatus) ? row.redirectStatus : 302,
    validSince: row.validSince?.getTime() ?? null,
    expireAt: row.expireAt?.getTime() ?? null,
    expiredUrl: row.expiredUrl,
    maxClicks: row.maxClicks,
    forwardQuery: row.forwardQuery,
    forwardPath: row.forwardPath,
    passwordHash: row.passwordHash,
    rules: rulesOf(row) ?? NO_RULES,
    disabled: row.disabled,
    clickCount: row.clickCount,
    lastClickAt: row.lastClickAt?.getTime() ?? null,
    createdAt: row.createdAt.getTime(),
    updatedAt: row.updatedAt.getTime(),
    version: row.version,
  };
}

/** The rules in a row; undefined for what only SQL can have written there, of which nobody can say what it means. */
export function rulesOf(row: Pick<ShortLinkRow, "rules">): readonly Rule[] | undefined {
  return readRules(row.rules, (url) => url);
}

/** Whether a row has these settings and need not be written. */
export function isAlready(row: ShortLinkRow, settings: LinkSettings): boolean {
  return rulesOf(row) !== undefined && settingsText(linkOf(row)) === settingsText(settings);
}

/** The link as JSON. `origin` is where its domain is reached, such as `https://go.example.com`. */
export function showLink(link: Link, origin: string): LinkShown {
  return {
    id: link.id,
    domain: link.domain,
    shortCode: link.shortCode,
    shortUrl: shortUrlAt(origin, link.shortCode),
    longUrl: link.longUrl,
    type: link.type,
    externalId: link.externalId,
    title: link.title,
    tags: [...link.tags],
    notes: link.notes,
    metadata: { ...link.metadata },
    redirectStatus: link.redirectStatus,
    forwardQuery: link.forwardQuery,
    forwardPath: link.forwardPath,
    validSince: timeOf(link.validSince),
    expireAt: timeOf(link.expireAt),
    expiredUrl: link.expiredUrl,
    maxClicks: link.maxClicks,
    hasPassword: link.passwordHash !== null,
    rules: link.rules.map(showRule),
    disabled: link.disabled,
    clickCount: link.clickCount,
    lastClickAt: timeOf(link.lastClickAt),
    createdAt: new Date(link.createdAt).toISOString(),
    updatedAt: new Date(link.updatedAt).toISOString(),
  };
}

/** The strong validator of a link's state (RFC 9110, section 8.8.3). Clicks do not change it. */
export function etagOf(link: Link): string {
  return `"${link.version.toString(36)}"`;
}

function timeOf(at: number | null): string | null {
  return at === null ? null : new Date(at).toISOString();
}

function jsonObject(value: unknown): { readonly [key: string]: Json } {
  if (!isRecord(value)) return {};
  return Object.fromEntries(Object.entries(value).flatMap(([key, item]) => (isJson(item) ? [[key, item]] : [])));
}

/** Whatever came out of a jsonb column is JSON; this tells the type checker. */
function isJson(value: unknown): value is Json {
  return value !== undefined;
}
