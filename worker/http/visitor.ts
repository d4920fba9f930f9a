/**
 * What a request tells of its visitor: noted as it stands while the visitor waits, cleaned and cut to size afterwards.
 *
 * @module
 */
import { CLICK_TEXT_LIMITS, cleanText, type ClickText, type IpMode, type Trigger } from "../../shared/click.ts";
import { clientAddress, cloudflareTells } from "./context.ts";
import { cutAddress } from "./cut-address.ts";

/** What was read of a request, as it stood there: any field may be missing, and any may hold anything. */
export interface Sighting {
  readonly country: unknown;
  readonly region: unknown;
  readonly city: unknown;
  readonly referrer: string | null;
  readonly language: string | null;
  readonly userAgent: string | null;
  readonly address: string | null;
  /** The query of the short link's address, without its question mark; empty where there is none. */
  readonly query: string;
  /** The visitor asked not to be tracked: nothing else was looked at. */
  readonly untracked: boolean;
}

/** What a click tells of its visitor. */
export type Visitor = Readonly<Record<Exclude<ClickText, "destination">, string | null>> & {
  readonly trigger: Trigger;
  readonly untracked: boolean;
};

/** Of a visitor who asks not to be tracked: the visit alone is counted. */
const NOTHING: Sighting = {
  country: null,
  region: null,
  city: null,
  referrer: null,
  language: null,
  userAgent: null,
  address: null,
  query: "",
  untracked: true,
};

/**
 * Reads a request. Only plain data is kept, so that another request's work may go on with it. Who sends `Sec-GPC: 1` (Global Privacy
 * Control) or `DNT: 1` (Tracking Preference Expression) is not looked at.
 */
export function sight(request: Request): Sighting {
  const { headers } = request;
  // In lower case, as they are kept: each that is not costs the runtime a copy.
  if (headers.get("sec-gpc") === "1" || headers.get("dnt") === "1") return NOTHING;
  const place = cloudflareTells(request);
  return {
    country: place["country"],
    region: place["region"],
    city: place["city"],
    referrer: headers.get("referer"),
    language: headers.get("accept-language"),
    userAgent: headers.get("user-agent"),
    address: clientAddress(request),
    query: queryOf(request.url),
    untracked: false,
  };
}

/** What is kept of a visitor. Never throws. */
export function describeVisitor(seen: Sighting, ipMode: IpMode): Visitor {
  const query = seen.query === "" ? NO_QUERY : new URLSearchParams(seen.query);
  return {
    country: text("country", seen.country),
    region: text("region", seen.region),
    city: text("city", seen.city),
    referrer: text("referrer", referrerHost(seen.referrer)),
    language: text("language", firstLanguage(seen.language)),
    userAgent: text("userAgent", seen.userAgent),
    ip: cutAddress(seen.address, ipMode),
    utmSource: text("utmSource", query.get("utm_source")),
    utmMedium: text("utmMedium", query.get("utm_medium")),
    utmCampaign: text("utmCampaign", query.get("utm_campaign")),
    utmTerm: text("utmTerm", query.get("utm_term")),
    utmContent: text("utmContent", query.get("utm_content")),
    trigger: query.has("qr") ? "qr" : "link",
    untracked: seen.untracked,
  };
}

const NO_QUERY = new URLSearchParams();

/** `Request.url` never has a fragment. */
function queryOf(address: string): string {
  const at = address.indexOf("?");
  return at === -1 ? "" : address.slice(at + 1);
}

function text(name: ClickText, value: unknown): string | null {
  return typeof value === "string" ? cleanText(value, CLICK_TEXT_LIMITS[name]) : null;
}

/** Whether the browser asks ahead of the visitor, who may never come (`Sec-Purpose`, and `Purpose` of older ones). */
export function isPrefetch({ headers }: Request): boolean {
  const purpose = headers.get("sec-purpose") ?? headers.get("purpose");
  return purpose !== null && /\b(?:prefetch|preview)\b/i.test(purpose);
}

/** The host alone: paths and queries of other sites may hold what is not ours to keep. */
function referrerHost(referrer: string | null): string | null {
  if (referrer === null || !URL.canParse(referrer)) return null;
  const { hostname } = new URL(referrer);
  return hostname === "" ? null : hostname;
}

/** The first tag of `Accept-Language` (RFC 9110, section 12.5.4), or null for `*` and nonsense. */
function firstLanguage(header: string | null): string | null {
  const tag = header?.split(/[,;]/, 1)[0]?.trim() ?? "";
  return /^[a-z]{1,8}(?:-[a-z0-9]{1,8})*$/i.test(tag) ? tag : null;
}
