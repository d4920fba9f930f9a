/**
 * Asks a visitor for the password of a link: with a form, or with a problem document where `Accept` prefers JSON.
 *
 * @module
 */
import { type ProblemCode, PROBLEMS } from "../../shared/problem.ts";
import type { RequestScope } from "../http/context.ts";
import { prefersJson } from "../http/negotiate.ts";
import { problemResponse } from "../http/problem.ts";
import { FORM_HEADERS, GUARDED_PREVIEW, passwordPage } from "../pages/password-page.tsx";

/** Seconds after which an address that has tried too often may go on: the period of the limit. */
const RETRY_SECONDS = 60;

/** Why it asks. `password_required`: it has not asked before, and for a person that is no failure. */
export type Reason = Extract<
  ProblemCode,
  | "password_required"
  | "wrong_password"
  | "rate_limited"
  | "invalid_request"
  | "payload_too_large"
  | "unsupported_media_type"
>;

/** Builds the answer. `detail` is for the visitor to read; `from` is the origin of the page that led to the form. */
export function ask(request: Request, scope: RequestScope, reason: Reason, detail: string, from: string): Response {
  const { status } = PROBLEMS[reason];
  const headers: Record<string, string> = { "Cache-Control": "no-store", "X-Robots-Tag": "noindex", Vary: "Accept" };
  if (reason === "rate_limited") headers["Retry-After"] = String(RETRY_SECONDS);
  const isJson = prefersJson(request.headers.get("Accept"));
  const isFirst = reason === "password_required" && !isJson;
  // A 401 has to name a scheme (RFC 9110, 15.5.2). Of one that it does not know a browser makes nothing and shows the page.
  if (status === 401 && !isFirst) headers["WWW-Authenticate"] = "Form";
  if (isJson) return problemResponse(scope, reason, detail, headers);
  return new Response(passwordPage(isFirst ? null : detail, from), {
    status: isFirst ? 200 : status,
    headers: { ...FORM_HEADERS, ...headers, "X-Request-Id": scope.requestId },
  });
}

/** What a preview shows of a link with a password. */
export function guardedPreview({ requestId }: RequestScope): Response {
  return new Response(GUARDED_PREVIEW, {
    headers: { ...FORM_HEADERS, "X-Robots-Tag": "noindex", "X-Request-Id": requestId },
  });
}
