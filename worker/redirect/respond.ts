/**
 * The answers of the redirect, as responses.
 *
 * @module
 */
import type { CodeKey } from "../../shared/entry.ts";
import { qrUrlAt } from "../../shared/link.ts";
import { PROBLEMS } from "../../shared/problem.ts";
import type { RedirectStatus } from "../../shared/entry.ts";
import type * as VisitorPages from "../pages/visitor-pages.tsx";
import type { TierName } from "../entries/tier.ts";
import { originOf, type RequestScope } from "../http/context.ts";
import type { Redirection } from "./destination.ts";
import { prefersJson } from "../http/negotiate.ts";
import { problemResponse } from "../http/problem.ts";

/** Seconds after which a visitor, or the program in between, may try again. */
const RETRY_SECONDS = { unavailable: 5, rate_limited: 60 };

/** How long browsers may keep a permanent redirect. */
const REMEMBERED_SECONDS = 24 * 60 * 60;

/** The redirect itself. `tier` is named in `Server-Timing` when the operator asked for it. */
export function redirectTo(
  scope: RequestScope,
  location: string,
  status: RedirectStatus,
  tier: TierName | null,
): Response {
  // A 301 or 308 is what its owner asked browsers to remember: for a day, so that a change is seen at last. Anything else must
  // reach us each time.
  const isRemembered = status === 301 || status === 308;
  // Not by way of `Headers`, which would be made twice.
  const headers: Record<string, string> = {
    Location: location,
    "Cache-Control": isRemembered ? `public, max-age=${REMEMBERED_SECONDS}` : "no-store",
    "X-Robots-Tag": "noindex",
    "X-Request-Id": scope.requestId,
  };
  if (tier !== null) headers["Server-Timing"] = `resolve;desc="${tier}"`;
  return new Response(null, { status, headers });
}

/** What a visitor may meet instead of a redirect. */
export type Failure = "not_found" | "gone" | "invalid_code" | "rate_limited" | "unavailable";

const DETAILS: Readonly<Record<Failure, string>> = {
  not_found: "There is no link with this code on this domain.",
  gone: "This link has expired.",
  invalid_code: "The path is no short code: it is damaged, too long, or holds characters that no code has.",
  rate_limited: "Too many unknown codes were asked for from this address.",
  unavailable: "Nothing that knows this link can be reached just now.",
};

/** A small page for a person, or a problem document when `Accept` prefers JSON. */
export function fail(request: Request, scope: RequestScope, failure: Failure): Response | Promise<Response> {
  const headers: Record<string, string> = { "Cache-Control": "no-store", "X-Robots-Tag": "noindex", Vary: "Accept" };
  if (failure === "unavailable" || failure === "rate_limited") headers["Retry-After"] = String(RETRY_SECONDS[failure]);
  if (prefersJson(request.headers.get("Accept"))) return problemResponse(scope, failure, DETAILS[failure], headers);
  if (pages !== undefined) return failPage(pages, scope, failure, headers);
  return loadPages().then((loaded) => failPage(loaded, scope, failure, headers));
}

function failPage(
  { FAILURE_PAGES, PAGE_HEADERS }: Pages,
  { requestId }: RequestScope,
  failure: Failure,
  headers: Readonly<Record<string, string>>,
): Response {
  return new Response(FAILURE_PAGES[failure], {
    status: PROBLEMS[failure].status,
    headers: { ...PAGE_HEADERS, ...headers, "X-Request-Id": requestId },
  });
}

/** Where a link leads, as a page: for whoever asks, and for a program that must not be sent on. */
export async function preview(
  { requestId }: RequestScope,
  { location, depends }: Pick<Redirection, "location" | "depends">,
  facts: VisitorPages.LinkFacts | null,
): Promise<Response> {
  const { previewPage, PAGE_HEADERS } = await loadPages();
  return new Response(previewPage(location, depends, facts), {
    headers: { ...PAGE_HEADERS, "X-Robots-Tag": "noindex", "X-Request-Id": requestId },
  });
}

/** The QR code of a link, as SVG. */
export async function qrCode(request: Request, scope: RequestScope, { domain, code }: CodeKey): Promise<Response> {
  const [{ drawSvg, PLAIN_LOOK }, { answerPicture }] = await Promise.all([
    import("../pages/qr.ts"),
    import("../http/picture.ts"),
  ]);
  const picture = drawSvg(qrUrlAt(originOf(scope, domain), code), PLAIN_LOOK);
  return answerPicture(request, "image/svg+xml", picture, "public", {
    "X-Robots-Tag": "noindex",
    "X-Request-Id": scope.requestId,
  });
}

type Pages = typeof VisitorPages;
let pages: Pages | undefined;

/** Most redirects need no page, so a cold isolate does not load them. Kept here: a flood of made-up codes needs them often. */
async function loadPages(): Promise<Pages> {
  pages ??= await import("../pages/visitor-pages.tsx");
  return pages;
}
