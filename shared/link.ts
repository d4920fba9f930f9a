/**
 * The link as the API shows it.
 *
 * @module
 */
import type { RedirectStatus } from "./entry.ts";
import { NO_RULES, type Rule } from "./rules.ts";

/** Any JSON value. */
export type Json = string | number | boolean | null | readonly Json[] | { readonly [key: string]: Json };

/** Whether the code was generated or chosen. */
export type LinkType = "auto" | "custom";

/** What the owner of a link sets. Times are epoch milliseconds; URLs are WHATWG-serialised. */
export interface LinkSettings {
  readonly longUrl: string;
  /** The caller's own id, unique on the domain. */
  readonly externalId: string | null;
  readonly title: string | null;
  /** Each once, in the order given. */
  readonly tags: readonly string[];
  readonly notes: string | null;
  readonly metadata: { readonly [key: string]: Json };
  readonly redirectStatus: RedirectStatus;
  readonly validSince: number | null;
  readonly expireAt: number | null;
  readonly expiredUrl: string | null;
  /** How many visits may pass, bots and look-aheads not counted. */
  readonly maxClicks: number | null;
  /** Whether the visitor's query is added to the destination's. */
  readonly forwardQuery: boolean;
  /** Whether the path behind the code is added to the destination's. */
  readonly forwardPath: boolean;
  /** The stored form of the password's hash (`shared/password.ts`), which nobody is shown; null: anybody may pass. */
  readonly passwordHash: string | null;
  /** The first that fits a visitor gives the destination in the place of `longUrl`. */
  readonly rules: readonly Rule[];
  readonly disabled: boolean;
}

/** What a new link has where its creator says nothing. */
export const LINK_DEFAULTS: Omit<LinkSettings, "longUrl"> = {
  externalId: null,
  title: null,
  tags: [],
  notes: null,
  metadata: {},
  redirectStatus: 302,
  validSince: null,
  expireAt: null,
  expiredUrl: null,
  maxClicks: null,
  forwardQuery: false,
  forwardPath: false,
  passwordHash: null,
  rules: NO_RULES,
  disabled: false,
};

/** One link, whole. Times are epoch milliseconds. */
export interface Link extends LinkSettings {
  /** The snowflake in decimal. */
  readonly id: string;
  readonly domain: string;
  readonly shortCode: string;
  readonly type: LinkType;
  readonly clickCount: number;
  readonly lastClickAt: number | null;
  readonly createdAt: number;
  readonly updatedAt: number;
  /** Microseconds since 1970 of the last change to what the owner sets, strictly rising. */
  readonly version: number;
}

/**
 * The text whose hash tells two sets of settings apart: the same for the same settings, whatever order the caller wrote
 * the keys of `metadata` in.
 */
export function settingsText(settings: LinkSettings): string {
  return JSON.stringify([
    settings.longUrl,
    settings.title,
    [...settings.tags].toSorted(),
    settings.notes,
    canonical(settings.metadata),
    settings.redirectStatus,
    settings.validSince,
    settings.expireAt,
    settings.expiredUrl,
    settings.maxClicks,
    settings.disabled,
    // Last, and only where they are set: links made before there were any keep their text. Of other types than the text of an external id.
    ...(settings.externalId === null ? [] : [settings.externalId]),
    ...(settings.forwardQuery || settings.forwardPath ? [[settings.forwardQuery, settings.forwardPath]] : []),
    ...(settings.passwordHash === null ? [] : [{ password: settings.passwordHash }]),
    ...(settings.rules.length > 0 ? [{ rules: settings.rules }] : []),
  ]);
}

/** Objects as sorted pairs, so that equal values give equal text. */
function canonical(value: Json): unknown {
  if (typeof value !== "object" || value === null) return value;
  if (isList(value)) return value.map(canonical);
  const pairs = Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return { pairs: pairs.map(([key, item]) => [key, canonical(item)]) };
}

function isList(value: Json): value is readonly Json[] {
  return Array.isArray(value);
}

/** What a QR code holds: the short URL with `qr` in its query, by which a click tells that it came from one. */
export function qrUrlAt(origin: string, shortCode: string): string {
  return `${shortUrlAt(origin, shortCode)}?qr`;
}

/** Where a code is reached. `origin` is that of its domain, such as `https://go.example.com`. */
export function shortUrlAt(origin: string, shortCode: string): string {
  return `${origin}/${encodeURIComponent(shortCode)}`;
}
