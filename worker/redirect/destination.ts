/**
 * Where one visit goes: a pure decision from the entry and the time.
 *
 * @module
 */
import type { Entry, RedirectStatus } from "../../shared/entry.ts";

/** What the visitor gets. Only `redirect` is a click. */
export type Destination =
  | { readonly kind: "redirect"; readonly location: string; readonly status: RedirectStatus; readonly linkId: string }
  /** Its time is over, and its owner said where to go instead: 302, not counted. */
  | { readonly kind: "expired_elsewhere"; readonly location: string }
  | { readonly kind: "expired" }
  | { readonly kind: "not_found" };

/** Decides. A link is over at the very millisecond of `expireAt`, and begins at the very one of `validSince`. */
export function destinationOf(entry: Entry, now: number): Destination {
  if (entry.kind === "absent" || entry.disabled) return { kind: "not_found" };
  if (entry.validSince !== null && now < entry.validSince) return { kind: "not_found" };
  if (entry.expireAt !== null && now >= entry.expireAt) {
    return entry.expiredUrl === null ? { kind: "expired" } : { kind: "expired_elsewhere", location: entry.expiredUrl };
  }
  return { kind: "redirect", location: entry.longUrl, status: entry.redirectStatus, linkId: entry.linkId };
}
