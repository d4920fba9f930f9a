/**
 * The redirect's door: reads the path, looks the code up, decides, answers, and counts after the answer has left.
 *
 * @module
 */
import { BackendDown } from "../../shared/backend-down.ts";
import type { CodeBook } from "../../shared/code.ts";
import { type CodeKey, type GuardedEntry, isGuarded } from "../../shared/entry.ts";
import type { Resolution, Resolve } from "../entries/resolve.ts";
import { clientAddress, type RequestScope, type WaitUntil } from "../http/context.ts";
import type { TierName } from "../entries/tier.ts";
import type { LinkFacts } from "../pages/visitor-pages.tsx";
import { destinationOf, type Redirection } from "./destination.ts";
import { passageOf, type VisitsLeft } from "./limit.ts";
import { codeOf, type Asking, type Wish } from "./path.ts";
import { entryFor } from "./rules.ts";
import { fail, preview, qrCode, redirectTo } from "./respond.ts";

/** Where a visitor was sent, and when, in epoch milliseconds. */
export interface Departure {
  readonly linkId: string;
  readonly at: number;
  /** As it is stored, without what was forwarded to it. */
  readonly destination: string;
}

/** What the redirect needs, handed in. */
export interface RedirectParts {
  /** Tells what a path segment is. */
  readonly codes: Pick<CodeBook, "classify">;
  readonly resolve: Resolve;
  /** Counts a visit that is sent on; returns at once. */
  readonly capture: (request: Request, departure: Departure, waitUntil: WaitUntil) => void;
  /** Whether this address may ask for one more code that does not exist. */
  readonly mayMiss: (address: string) => Promise<boolean>;
  /** Counts a request for a code that does not exist; returns at once. */
  readonly noteMiss: (key: CodeKey, now: number, waitUntil: WaitUntil) => void;
  /** Counts the visits of links that have a limit. */
  readonly visitsLeft: VisitsLeft;
  /** What a preview tells of a link; undefined when it has no row. Rejects with `BackendDown` when nobody can say. */
  readonly describe: (key: CodeKey) => Promise<LinkFacts | undefined>;
  readonly debugTiming: boolean;
}

/** Answers `GET` and `HEAD` of `/{code}` and what is beside it: at once, when memory knows the link. */
export type Redirect = (request: Request, scope: RequestScope) => Response | Promise<Response>;

/** What is known of a code. */
export type Found = Extract<Resolution, { readonly kind: "found" }>;

/** Builds the redirect. */
export function createRedirect(parts: RedirectParts): Redirect {
  return (request, scope) => {
    const path = codeOf(scope.path);
    if (path.kind === "broken") return fail(request, scope, "invalid_code");
    const code = parts.codes.classify(path.segment);
    if (code.kind === "malformed" || code.kind === "reserved") return fail(request, scope, "not_found");

    const key: CodeKey = { domain: scope.host, code: code.code };
    const resolution = parts.resolve(key, scope.now, scope.waitUntil);
    return resolution instanceof Promise
      ? answerLater(parts, request, scope, key, path, resolution)
      : answer(parts, request, scope, key, path, resolution);
  };
}

async function answerLater(
  parts: RedirectParts,
  request: Request,
  scope: RequestScope,
  key: CodeKey,
  path: Asking,
  resolution: Promise<Resolution>,
): Promise<Response> {
  return answer(parts, request, scope, key, path, await resolution);
}

function answer(
  parts: RedirectParts,
  request: Request,
  scope: RequestScope,
  key: CodeKey,
  path: Asking,
  resolution: Resolution,
): Response | Promise<Response> {
  if (resolution.kind === "unavailable") return fail(request, scope, "unavailable");
  if (resolution.kind === "refused") return unknown(parts, request, scope, key, path);

  const { entry } = resolution;
  if (isGuarded(entry) && path.wish !== "qr") return followIfKnown(parts, request, scope, key, path, resolution, entry);
  return follow(parts, request, scope, key, path, resolution);
}

/** A link with a password: whatever it answers is for this visitor alone, so no cache may keep it. */
async function followIfKnown(
  parts: RedirectParts,
  request: Request,
  scope: RequestScope,
  key: CodeKey,
  path: Asking,
  resolution: Found,
  entry: GuardedEntry,
): Promise<Response> {
  const { stopAtGate } = await import("./password.ts");
  const stopped = await stopAtGate(request, scope, entry, path, parts.visitsLeft);
  if (stopped !== undefined) return stopped;
  const response = await follow(parts, request, scope, key, path, resolution);
  response.headers.set("Cache-Control", "no-store");
  return response;
}

/** Sends a visitor on whom nothing holds up any more, or says why not. */
export function follow(
  parts: RedirectParts,
  request: Request,
  scope: RequestScope,
  key: CodeKey,
  path: Asking,
  resolution: Found,
): Response | Promise<Response> {
  const { wish, rest } = path;
  const destination = destinationOf(entryFor(resolution.entry, request, scope.now), scope, rest);
  const tier = parts.debugTiming ? resolution.tier : null;
  switch (destination.kind) {
    case "redirect":
      if (wish !== "visit") return show(parts, request, scope, key, wish, destination);
      return destination.maxClicks === null
        ? sendOn(parts, request, scope, destination, tier)
        : sendOnIfLeft(parts, request, scope, destination, destination.maxClicks, tier);
    case "expired_elsewhere":
      return wish === "visit" ? redirectTo(scope, destination.location, 302, tier) : fail(request, scope, "gone");
    case "expired":
      return fail(request, scope, "gone");
    case "not_found":
      return resolution.entry.kind === "absent"
        ? unknown(parts, request, scope, key, path)
        : fail(request, scope, "not_found");
  }
}

function sendOn(
  parts: RedirectParts,
  request: Request,
  scope: RequestScope,
  { linkId, location, longUrl, status, depends }: Redirection,
  tier: TierName | null,
): Response {
  parts.capture(request, { linkId, at: scope.now, destination: longUrl }, scope.waitUntil);
  const response = redirectTo(scope, location, status, tier);
  return depends ? forThisVisit(response) : response;
}

/** What no cache may keep, also where the status would let it. */
function forThisVisit(response: Response): Response {
  response.headers.set("Cache-Control", "no-store");
  return response;
}

/** A limited link: its answer is for this visit alone. */
async function sendOnIfLeft(
  parts: RedirectParts,
  request: Request,
  scope: RequestScope,
  destination: Redirection,
  limit: number,
  tier: TierName | null,
): Promise<Response> {
  switch (await passageOf(request, destination, limit, parts.visitsLeft)) {
    case "pass":
      return forThisVisit(sendOn(parts, request, scope, destination, tier));
    case "spent":
      return destination.expiredUrl === null
        ? fail(request, scope, "gone")
        : redirectTo(scope, destination.expiredUrl, 302, tier);
    case "show_to_bot":
      return preview(scope, destination, null);
    case "look_ahead":
      return fail(request, scope, "unavailable");
  }
}

/** What is beside a link that would be followed: nobody is sent on, and nothing is counted. */
async function show(
  parts: RedirectParts,
  request: Request,
  scope: RequestScope,
  key: CodeKey,
  wish: Exclude<Wish, "visit">,
  destination: Redirection,
): Promise<Response> {
  const { linkId, maxClicks } = destination;
  if (maxClicks !== null && !(await parts.visitsLeft.hasLeft(linkId, maxClicks))) return fail(request, scope, "gone");
  return wish === "qr" ? qrCode(request, scope, key) : preview(scope, destination, await factsOf(parts, key));
}

/** What the row tells; null while nobody can be asked, since the entry alone knows where the link leads. */
async function factsOf({ describe }: RedirectParts, key: CodeKey): Promise<LinkFacts | null> {
  try {
    return (await describe(key)) ?? null;
  } catch (error) {
    if (error instanceof BackendDown) return null;
    throw error;
  }
}

/** A code that does not exist: one address may ask for a few, not for all of them. */
async function unknown(
  parts: RedirectParts,
  request: Request,
  scope: RequestScope,
  key: CodeKey,
  { wish, rest }: Asking,
): Promise<Response> {
  const address = clientAddress(request);
  const allowed = address === null || (await parts.mayMiss(address));
  // Whoever tries codes one after the other is no misprint.
  if (allowed && wish === "visit" && rest === "" && request.method === "GET")
    parts.noteMiss(key, scope.now, scope.waitUntil);
  return fail(request, scope, allowed ? "not_found" : "rate_limited");
}
