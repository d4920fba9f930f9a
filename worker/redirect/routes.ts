/**
 * The redirect's door: reads the path, looks the code up, decides, answers, and counts after the answer has left.
 *
 * @module
 */
import type { CodeBook } from "../../shared/code.ts";
import type { CodeKey } from "../../shared/entry.ts";
import type { Resolution, Resolve } from "../entries/resolve.ts";
import { clientAddress, hostOf, type RequestScope, type WaitUntil } from "../http/context.ts";
import { destinationOf } from "./destination.ts";
import { segmentOf } from "./path.ts";
import { fail, redirectTo } from "./respond.ts";

/** What the redirect needs, handed in. */
export interface RedirectParts {
  /** Tells what a path segment is. */
  readonly codes: Pick<CodeBook, "classify">;
  readonly resolve: Resolve;
  /** Counts a visit that is sent on; returns at once. */
  readonly capture: (request: Request, linkId: string, at: number, waitUntil: WaitUntil) => void;
  /** Whether this address may ask for one more code that does not exist. */
  readonly mayMiss: (address: string) => Promise<boolean>;
  readonly debugTiming: boolean;
}

/** Answers `GET` and `HEAD` of `/{code}`. */
export type Redirect = (request: Request, scope: RequestScope) => Promise<Response>;

/** Builds the redirect. */
export function createRedirect(parts: RedirectParts): Redirect {
  return async (request, scope) => {
    const segment = segmentOf(scope.url.pathname);
    if (segment === null) return fail(request, scope, "invalid_code");
    const code = parts.codes.classify(segment);
    if (code.kind === "malformed") return fail(request, scope, "invalid_code");
    if (code.kind === "reserved") return fail(request, scope, "not_found");

    const key: CodeKey = { domain: hostOf(scope.url), code: code.code };
    const resolution = await parts.resolve(key, scope.now, scope.waitUntil);
    return answer(parts, request, scope, resolution);
  };
}

async function answer(
  parts: RedirectParts,
  request: Request,
  scope: RequestScope,
  resolution: Resolution,
): Promise<Response> {
  if (resolution.kind === "unavailable") return fail(request, scope, "unavailable");
  if (resolution.kind === "refused") return unknown(parts, request, scope);

  const destination = destinationOf(resolution.entry, scope.now);
  const tier = parts.debugTiming ? resolution.tier : null;
  switch (destination.kind) {
    case "redirect":
      parts.capture(request, destination.linkId, scope.now, scope.waitUntil);
      return redirectTo(scope, destination.location, destination.status, tier);
    case "expired_elsewhere":
      return redirectTo(scope, destination.location, 302, tier);
    case "expired":
      return fail(request, scope, "gone");
    case "not_found":
      return resolution.entry.kind === "absent" ? unknown(parts, request, scope) : fail(request, scope, "not_found");
  }
}

/** A code that does not exist: one address may ask for a few, not for all of them. */
async function unknown(parts: RedirectParts, request: Request, scope: RequestScope): Promise<Response> {
  const address = clientAddress(request);
  const allowed = address === null || (await parts.mayMiss(address));
  return fail(request, scope, allowed ? "not_found" : "rate_limited");
}
