/**
 * Where one visit goes: a pure decision from the entry and the time.
 *
 * @module
 */
import type { Entry, RedirectStatus } from "../../shared/entry.ts";

/** A visit that is sent on. */
export interface Redirection {
  readonly kind: "redirect";
  readonly location: string;
  readonly status: RedirectStatus;
  readonly linkId: string;
  /** How many visits may pass, or null for all: the link's own object says whether this one may. */
  readonly maxClicks: number | null;
  /** Where to go when none is left; null: nowhere. */
  readonly expiredUrl: string | null;
}

/** What the visitor gets. Only `redirect` is a click. */
export type Destination =
  | Redirection
  /** Its time is over, and its owner said where to go instead: 302, not counted. */
  | { readonly kind: "expired_elsewhere"; readonly location: string }
  | { readonly kind: "expired" }
  | { readonly kind: "not_found" };

/** Decides. A link is over at the very millisecond of `expireAt`, and begins at the very one of `validSince`. */
export function destinationOf(entry: Entry, now: number): Destination {
  if (entry.kind === "absent" || entry.disabled) return { kind: "not_found" };
  const { longUrl, redirectStatus, linkId, validSince, expireAt, expiredUrl, maxClicks } = entry;
  if (validSince !== null && now < validSince) return { kind: "not_found" };
  if (expireAt !== null && now >= expireAt) {
    return expiredUrl === null ? { kind: "expired" } : { kind: "expired_elsewhere", location: expiredUrl };
  }
  return { kind: "redirect", location: longUrl, status: redirectStatus, linkId, maxClicks, expiredUrl };
}
