/**
 * Changes and deletes links, and makes the change seen.
 *
 * @module
 */
import { leadsElsewhere } from "../../shared/destinations.ts";
import type { CodeKey, Entry } from "../../shared/entry.ts";
import { type Link, LINK_DEFAULTS, type LinkSettings } from "../../shared/link.ts";
import type { ChangeLinkBody } from "../../shared/schema/link.ts";
import type { UrlPolicy } from "../../shared/url-policy.ts";
import type { ShortLinkRow } from "../backends/schema.ts";
import { log } from "../telemetry/log.ts";
import type { CheckDestinations } from "./checks/check.ts";
import { checkOne, NOT_NOTED, type Noted } from "./noted.ts";
import { hashOnce, type Passwords } from "./passwords.ts";
import { etagOf, isAlready, linkOf, rulesOf } from "./rows.ts";
import { checkSettings, fingerprintOf, type Refused } from "./settings.ts";
import type { LinkName, LinkStore, Updated } from "./store.ts";

/** What changing needs, handed in. */
export interface ChangeParts {
  readonly store: LinkStore;
  /** Makes a changed row, or its tombstone, seen by redirects; never rejects. */
  readonly publish: (key: CodeKey, entry: Entry) => Promise<void>;
  readonly entryOf: (row: ShortLinkRow, now: number) => Entry;
  readonly passwords: Passwords;
  /** Counts the visits that a link had before it was limited. */
  readonly countEarlier: (linkId: string, visits: number) => Promise<void>;
  /** Drops the count of a limited link that is gone. */
  readonly forgetVisits: (linkId: string) => Promise<void>;
  /** Asks others about destinations; null: nobody is asked. */
  readonly check: CheckDestinations | null;
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

/** Written by SQL: to keep them would be a guess, and to drop them would send visitors where nobody said. */
const UNREADABLE_RULES: Refused = {
  kind: "refused",
  code: "invalid_request",
  path: "rules",
  message: "The stored rules cannot be read, so nobody is sent on. Say what they are, or null for none.",
};

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
  const hashForLink = hashOnce(parts.passwords);
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt += 1) {
    const row = await parts.store.find(name);
    if (row === undefined) return { kind: "not_found" };
    const link = linkOf(row);
    if (!matches(etagOf(link))) return { kind: "outdated" };
    if (body.rules === undefined && rulesOf(row) === undefined) return UNREADABLE_RULES;
    const checked = checkSettings(merge(link, body), policy);
    if (checked.kind === "refused") return checked;
    const hashed = body.password === undefined ? link : await hashForLink(body.password, link.passwordHash);
    if ("kind" in hashed && hashed.kind === "refused") return hashed;
    const settings = { ...checked.settings, passwordHash: hashed.passwordHash };

    if (isAlready(row, settings)) return { kind: "changed", link };
    const noted = parts.check === null ? NOT_NOTED : await checkChange(parts.check, link, settings, now);
    if (noted.kind === "refused") return noted;
    if (settings.maxClicks !== null && link.maxClicks === null) await parts.countEarlier(link.id, link.clickCount);
    const updated = await writeChange(parts, row, settings, noted, now);
    if (updated.kind === "external_id_taken") return updated;
    if (updated.kind === "outdated") continue;
    return { kind: "changed", link: linkOf(updated.row) };
  }
  return { kind: "conflict" };
}

/** Asks about the destinations where a change leads somewhere that a visitor was not led to before. */
export async function checkChange(
  check: CheckDestinations,
  before: LinkSettings,
  after: LinkSettings,
  now: number,
): Promise<Noted | Refused> {
  return leadsElsewhere(before, after) ? checkOne(check, after, now) : NOT_NOTED;
}

/** Writes settings that were judged, if the row still has the version that was read, and makes them seen. */
export async function writeChange(
  parts: Pick<ChangeParts, "publish" | "entryOf"> & { readonly store: Pick<LinkStore, "update"> },
  row: ShortLinkRow,
  settings: LinkSettings,
  { note }: Noted,
  now: number,
): Promise<Updated> {
  const key = { domain: row.domain, code: row.shortCode };
  const fingerprint = row.fingerprint === null ? null : await fingerprintOf(settings);
  const { id, version } = row;
  const updated = await parts.store.update(
    key,
    settings,
    fingerprint,
    { version },
    now,
    note && { linkId: id, ...note },
  );
  if (updated.kind === "updated") await parts.publish(key, parts.entryOf(updated.row, now));
  return updated;
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

/** The settings after the change: `null` sets a field back, what is not named stays, and so does the password for now. */
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
    rules: pick(body.rules, link.rules, LINK_DEFAULTS.rules),
    expiredUrl: pick(body.expiredUrl, link.expiredUrl, LINK_DEFAULTS.expiredUrl),
    passwordHash: link.passwordHash,
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
