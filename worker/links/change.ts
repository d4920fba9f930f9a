/**
 * Changes and deletes links, and makes the change seen.
 *
 * @module
 */
import type { CodeKey, Entry } from "../../shared/entry.ts";
import { type Link, LINK_DEFAULTS, type LinkSettings, settingsText } from "../../shared/link.ts";
import type { ChangeLinkBody } from "../../shared/schema/link.ts";
import type { UrlPolicy } from "../../shared/url-policy.ts";
import type { ShortLinkRow } from "../backends/schema.ts";
import { log } from "../telemetry/log.ts";
import { etagOf, linkOf } from "./rows.ts";
import { checkSettings, fingerprintOf, type Refused } from "./settings.ts";
import type { LinkName, LinkStore } from "./store.ts";

/** What changing needs, handed in. */
export interface ChangeParts {
  readonly store: LinkStore;
  /** Makes a changed row, or its tombstone, seen by redirects; never rejects. */
  readonly publish: (key: CodeKey, entry: Entry) => Promise<void>;
  readonly entryOf: (row: ShortLinkRow, now: number) => Entry;
  /** Counts the visits that a link had before it was limited. */
  readonly countEarlier: (linkId: string, visits: number) => Promise<void>;
  /** Drops the count of a limited link that is gone. */
  readonly forgetVisits: (linkId: string) => Promise<void>;
}

/** What came of a change. `conflict`: other changes kept coming in between. */
export type Changed =
  | { readonly kind: "changed"; readonly link: Link }
  | { readonly kind: "not_found" }
  | { readonly kind: "outdated" }
  | { readonly kind: "conflict" }
  | { readonly kind: "external_id_taken" }
  | Refused;

/** Whether the caller's `If-Match` allows a change of a link that has this ETag. */
export type Matches = (etag: string) => boolean;

/** How often a change that met another one is begun anew. */
const MAX_ATTEMPTS = 8;

/** Changes what `body` names; the rest stays. Two changes at once to different fields both stand. */
export async function changeLink(
  parts: ChangeParts,
  name: LinkName,
  body: ChangeLinkBody,
  matches: Matches,
  policy: UrlPolicy,
  now: number,
): Promise<Changed> {
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt += 1) {
    const row = await parts.store.find(name);
    if (row === undefined) return { kind: "not_found" };
    const key = { domain: row.domain, code: row.shortCode };
    const link = linkOf(row);
    if (!matches(etagOf(link))) return { kind: "outdated" };
    const checked = checkSettings(merge(link, body), policy);
    if (checked.kind === "refused") return checked;

    const fingerprint = row.fingerprint === null ? null : await fingerprintOf(checked.settings);
    if (settingsText(checked.settings) === settingsText(link)) return { kind: "changed", link };
    if (checked.settings.maxClicks !== null && link.maxClicks === null)
      await parts.countEarlier(link.id, link.clickCount);
    const updated = await parts.store.update(key, checked.settings, fingerprint, { version: row.version }, now);
    if (updated.kind === "external_id_taken") return updated;
    if (updated.kind === "outdated") continue;
    await parts.publish(key, parts.entryOf(updated.row, now));
    return { kind: "changed", link: linkOf(updated.row) };
  }
  return { kind: "conflict" };
}

/** What came of a deletion. */
export type Deleted = { readonly kind: "deleted" } | { readonly kind: "not_found" } | { readonly kind: "outdated" };

/** Deletes a link and leaves a tombstone in the caches, so that nobody who read the row before brings it back. */
export async function deleteLink(
  parts: ChangeParts,
  name: LinkName,
  matches: Matches | null,
  now: number,
): Promise<Deleted> {
  let expected: number | null = null;
  if (matches !== null) {
    const row = await parts.store.find(name);
    if (row === undefined) return { kind: "not_found" };
    if (!matches(etagOf(linkOf(row)))) return { kind: "outdated" };
    expected = row.version;
  }
  const removed = await parts.store.remove(name, expected);
  if (removed === undefined) return { kind: expected === null ? "not_found" : "outdated" };
  await parts.publish(removed.key, { kind: "absent", version: removed.version, vouchedAt: now, tombstone: true });
  if (removed.isLimited) await forget(parts, removed.id);
  return { kind: "deleted" };
}

/** The settings after the change: `null` sets a field back, what is not named stays. */
function merge(link: Link, body: ChangeLinkBody): LinkSettings {
  return {
    longUrl: body.longUrl ?? link.longUrl,
    externalId: pick(body.externalId, link.externalId, LINK_DEFAULTS.externalId),
    title: pick(body.title, link.title, LINK_DEFAULTS.title),
    tags: pick(body.tags, link.tags, LINK_DEFAULTS.tags),
    notes: pick(body.notes, link.notes, LINK_DEFAULTS.notes),
    metadata: pick(body.metadata, link.metadata, LINK_DEFAULTS.metadata),
    redirectStatus: pick(body.redirectStatus, link.redirectStatus, LINK_DEFAULTS.redirectStatus),
    validSince: pick(body.validSince, link.validSince, LINK_DEFAULTS.validSince),
    expireAt: pick(body.expireAt, link.expireAt, LINK_DEFAULTS.expireAt),
    maxClicks: pick(body.maxClicks, link.maxClicks, LINK_DEFAULTS.maxClicks),
    forwardQuery: pick(body.forwardQuery, link.forwardQuery, LINK_DEFAULTS.forwardQuery),
    forwardPath: pick(body.forwardPath, link.forwardPath, LINK_DEFAULTS.forwardPath),
    expiredUrl: pick(body.expiredUrl, link.expiredUrl, LINK_DEFAULTS.expiredUrl),
    disabled: pick(body.disabled, link.disabled, LINK_DEFAULTS.disabled),
  };
}

function pick<T>(asked: T | null | undefined, present: T, fallback: T): T {
  return asked === undefined ? present : (asked ?? fallback);
}

/** A count that is left over takes a few bytes and is never asked for again: ids are not given twice. */
async function forget(parts: ChangeParts, linkId: string): Promise<void> {
  try {
    await parts.forgetVisits(linkId);
  } catch (error) {
    log("warn", "count_left_over", { linkId }, error);
  }
}
