/**
 * The answers of the redirect, as responses.
 *
 * @module
 */
import type { ProblemCode } from "../../shared/problem.ts";
import type { RedirectStatus } from "../../shared/entry.ts";
import type { TierName } from "../entries/tier.ts";
import type { RequestScope } from "../http/context.ts";
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
  const headers = new Headers({
    Location: location,
    "X-Robots-Tag": "noindex",
    "X-Request-Id": scope.requestId,
  });
  // A 301 or 308 is what its owner asked browsers to remember: for a day, so that a change is seen at last. Anything else must
  // reach us each time.
  const isRemembered = status === 301 || status === 308;
  headers.set("Cache-Control", isRemembered ? `public, max-age=${REMEMBERED_SECONDS}` : "no-store");
  if (tier !== null) headers.set("Server-Timing", `resolve;desc="${tier}"`);
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
export async function fail(request: Request, scope: RequestScope, failure: Failure): Promise<Response> {
  const headers: Record<string, string> = { "Cache-Control": "no-store", "X-Robots-Tag": "noindex", Vary: "Accept" };
  if (failure === "unavailable" || failure === "rate_limited") headers["Retry-After"] = String(RETRY_SECONDS[failure]);
  const code: ProblemCode = failure;
  const problem = problemResponse(scope, code, DETAILS[failure], headers);
  if (prefersJson(request.headers.get("Accept"))) return problem;

  // Most redirects need no page, so a cold isolate does not load them.
  const [pages, { PAGE_POLICY }] = await Promise.all([
    import("../pages/visitor-pages.tsx"),
    import("../pages/layout.tsx"),
  ]);
  const page = {
    not_found: pages.notFoundPage,
    gone: pages.gonePage,
    invalid_code: pages.badAddressPage,
    rate_limited: pages.slowDownPage,
    unavailable: pages.unavailablePage,
  }[failure];
  return html(scope, page, problem.status, PAGE_POLICY, headers);
}

/** What a link looks like to a program that must not be sent on: where it leads, as a page. */
export async function preview(scope: RequestScope, location: string): Promise<Response> {
  const [{ previewPage }, { PAGE_POLICY }] = await Promise.all([
    import("../pages/visitor-pages.tsx"),
    import("../pages/layout.tsx"),
  ]);
  const headers = { "Cache-Control": "no-store", "X-Robots-Tag": "noindex" };
  return html(scope, previewPage(location), 200, PAGE_POLICY, headers);
}

function html(
  scope: RequestScope,
  page: string,
  status: number,
  policy: string,
  headers: Readonly<Record<string, string>>,
): Response {
  return new Response(page, {
    status,
    headers: {
      ...headers,
      "Content-Type": "text/html; charset=utf-8",
      "Content-Security-Policy": policy,
      "X-Content-Type-Options": "nosniff",
      "X-Request-Id": scope.requestId,
    },
  });
}
