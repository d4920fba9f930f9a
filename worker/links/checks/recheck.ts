/**
 * Looks again at the destinations of links: of those that could not be checked when they were made, and of each once more when it is a
 * day old, since names are moved and bad pages are found out. What is refused then is disabled, as its owner would do it.
 *
 * @module
 */
import { destinationsOf } from "../../../shared/destinations.ts";
import type { LinkSettings } from "../../../shared/link.ts";
import { log } from "../../telemetry/log.ts";
import { type ChangeParts, writeChange } from "../change.ts";
import { linkOf } from "../rows.ts";
import type { LinkStore } from "../store.ts";
import type { Checked, CheckDestinations } from "./check.ts";
import { NOT_NOTED } from "../noted.ts";
import { type CheckNote, nextNote } from "./schedule.ts";
import type { CheckStore, ClaimedCheck } from "./store.ts";

/** What looking again needs, handed in. */
export interface RecheckParts extends Pick<ChangeParts, "publish" | "entryOf"> {
  readonly store: Pick<LinkStore, "update">;
  readonly checks: CheckStore;
  readonly check: CheckDestinations;
  /** So many links a run. */
  readonly limit: number;
}

/** What a run came to. */
export interface Rechecked {
  readonly checked: number;
  readonly disabled: number;
}

/** Longer than a run takes: one that dies leaves its links to a later one. */
const LEASE_MS = 4 * 60_000;

/** Makes a run. `now` is epoch milliseconds. Rejects with `BackendDown` when the database cannot be asked. */
export async function recheckDue(parts: RecheckParts, now: number): Promise<Rechecked> {
  const leaseUntil = now + LEASE_MS;
  const claimed = await parts.checks.claim(now, parts.limit, leaseUntil);
  if (claimed.length === 0) return { checked: 0, disabled: 0 };
  // One that is disabled already leads nowhere, and is judged when its owner enables it.
  const open = claimed.filter(({ row }) => !row.disabled);
  const results = open.length === 0 ? [] : await parts.check(open.map(({ row }) => destinationsOf(linkOf(row))));
  const settled = new Map<string, CheckNote | null>(claimed.map(({ row }) => [row.id, null]));
  let disabled = 0;
  for (const [index, link] of open.entries()) {
    const result = results[index] ?? { kind: "unchecked" };
    if (result.kind !== "refused") {
      settled.set(link.row.id, nextNote(result.kind, link, now));
    } else if (await disable(parts, link, result, now)) {
      disabled += 1;
    } else {
      settled.set(link.row.id, { clearAt: link.clearAt, attempts: link.attempts, dueAt: now });
    }
  }
  await parts.checks.settle(settled, leaseUntil);
  return { checked: open.length, disabled };
}

/**
 * Whether it is disabled now. A link that was changed or deleted while it was looked at is left alone: whoever changed where it leads had
 * that checked, and another change is met by the next run.
 */
async function disable(
  parts: RecheckParts,
  { row }: ClaimedCheck,
  { path, reason }: Extract<Checked, { readonly kind: "refused" }>,
  now: number,
): Promise<boolean> {
  const settings: LinkSettings = { ...linkOf(row), disabled: true };
  const updated = await writeChange(parts, row, settings, NOT_NOTED, now);
  if (updated.kind !== "updated") return false;
  log("warn", "link_disabled", { linkId: row.id, domain: row.domain, path, reason: reason ?? null });
  return true;
}
