/**
 * Where one visit goes: a pure decision from the entry and the time. Of a link with rules the entry is that of `rules.ts`, for this visitor.
 *
 * @module
 */
import type { Entry, PresentEntry, RedirectStatus } from "../../shared/entry.ts";
import { forward } from "./forward.ts";

/** A visit that is sent on. */
export interface Redirection {
  readonly kind: "redirect";
  /** Where the visitor goes. */
  readonly location: string;
  /** The destination as it is stored: what is forwarded to it is the visitor's own, and no figure's. */
  readonly longUrl: string;
  readonly status: RedirectStatus;
  readonly linkId: string;
  /** How many visits may pass, or null for all: the link's own object says whether this one may. */
  readonly maxClicks: number | null;
  /** Where to go when none is left; null: nowhere. */
  readonly expiredUrl: string | null;
  /** Another visitor, or the same one later, may go elsewhere: the link has rules. */
  readonly depends: boolean;
}

/** What the visitor gets. Only `redirect` is a click. */
export type Destination =
  | Redirection
  /** Its time is over, and its owner said where to go instead: 302, not counted. */
  | { readonly kind: "expired_elsewhere"; readonly location: string }
  | { readonly kind: "expired" }
  | { readonly kind: "not_found" };

/** What of a visit decides, beside the link. */
export interface Asked {
  /** Epoch milliseconds. */
  readonly now: number;
  /** The short URL as it was asked for; read only when the link forwards. */
  readonly url: URL;
}

/**
 * Decides. `rest` is the path behind the code, percent-encoded, or empty: only a link that forwards paths has anything there. A link
 * is over at the very millisecond of `expireAt`, and begins at the very one of `validSince`.
 */
export function destinationOf(entry: Entry, asked: Asked, rest: string): Destination {
  if (entry.kind === "absent" || entry.disabled) return { kind: "not_found" };
  const { longUrl, redirectStatus, linkId, validSince, expireAt, expiredUrl, maxClicks, forwardPath } = entry;
  if (rest !== "" && !forwardPath) return { kind: "not_found" };
  if (validSince !== null && asked.now < validSince) return { kind: "not_found" };
  if (expireAt !== null && asked.now >= expireAt) {
    return expiredUrl === null ? { kind: "expired" } : { kind: "expired_elsewhere", location: expiredUrl };
  }
  const location = forwardPath || entry.forwardQuery ? forwarded(entry, asked, rest) : longUrl;
  if (location === undefined) return { kind: "not_found" };
  const depends = entry.rules.length > 0;
  return { kind: "redirect", location, longUrl, status: redirectStatus, linkId, maxClicks, expiredUrl, depends };
}

function forwarded({ longUrl, forwardQuery }: PresentEntry, { url }: Asked, rest: string): string | undefined {
  return forward(longUrl, rest, forwardQuery ? url.search.slice(1) : "");
}
