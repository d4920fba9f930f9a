/**
 * The forms of a link: as a row, as the rules see it, and as the API shows it.
 *
 * @module
 */
import { isRedirectStatus } from "../../shared/entry.ts";
import { type Json, type Link, shortUrlAt } from "../../shared/link.ts";
import type { LinkShown } from "../../shared/schema/link.ts";
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
    disabled: row.disabled,
    clickCount: row.clickCount,
    lastClickAt: row.lastClickAt?.getTime() ?? null,
    createdAt: row.createdAt.getTime(),
    updatedAt: row.updatedAt.getTime(),
    version: row.version,
  };
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
    hasPassword: false,
    rules: [],
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
