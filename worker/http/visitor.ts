/**
 * What a request tells of its visitor, cleaned and cut to size.
 *
 * @module
 */
import { CLICK_TEXT_LIMITS, cleanText, type ClickText, type IpMode } from "../../shared/click.ts";
import { cutAddress } from "./cut-address.ts";
import { clientAddress } from "./context.ts";

/** The texts of a click. */
export type Visitor = Readonly<Record<ClickText, string | null>>;

/** Reads a request. Any field of `request.cf` may be missing, and any header may hold anything. */
export function describeVisitor(request: Request, ipMode: IpMode): Visitor {
  const place = request.cf ?? {};
  return {
    country: text("country", Reflect.get(place, "country")),
    region: text("region", Reflect.get(place, "region")),
    city: text("city", Reflect.get(place, "city")),
    referrer: text("referrer", referrerHost(request.headers.get("Referer"))),
    language: text("language", firstLanguage(request.headers.get("Accept-Language"))),
    userAgent: text("userAgent", request.headers.get("User-Agent")),
    ip: cutAddress(clientAddress(request), ipMode),
  };
}

function text(name: ClickText, value: unknown): string | null {
  return typeof value === "string" ? cleanText(value, CLICK_TEXT_LIMITS[name]) : null;
}

/** Whether the browser asks ahead of the visitor, who may never come (`Sec-Purpose`, and `Purpose` of older ones). */
export function isPrefetch(request: Request): boolean {
  const purpose = request.headers.get("Sec-Purpose") ?? request.headers.get("Purpose");
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
