/**
 * The gate in front of a link with a password, before it is decided where the link leads. Who has no pass learns that the link asks for
 * a password, or that it is over; no address, no title, no time.
 *
 * @module
 */
import type { GuardedEntry } from "../../shared/entry.ts";
import type { RequestScope } from "../http/context.ts";
import { ask, guardedPreview } from "./ask.ts";
import type { VisitsLeft } from "./limit.ts";
import type { Asking } from "./path.ts";
import { hasPass } from "./pass.ts";
import { fail } from "./respond.ts";

/**
 * Whether the password can lead anywhere at all; else the link is answered as one without a password would be. A link that is over and
 * leads elsewhere then does ask: that address is one of the link's own as well.
 */
export function canOpen(entry: GuardedEntry, { now }: RequestScope, { rest, wish }: Asking): boolean {
  const { disabled, validSince, expireAt, expiredUrl, forwardPath } = entry;
  if (disabled || (validSince !== null && now < validSince) || (rest !== "" && !forwardPath)) return false;
  return expireAt === null || now < expireAt || (expiredUrl !== null && wish === "visit");
}

/** Answers who may not pass; undefined lets the visit, which is no POST, go on. A pass opens no preview, which would show what is behind. */
export async function stopAtGate(
  request: Request,
  scope: RequestScope,
  entry: GuardedEntry,
  path: Asking,
  visits: VisitsLeft,
): Promise<Response | undefined> {
  if (!canOpen(entry, scope, path)) return undefined;
  const { linkId, maxClicks, expiredUrl } = entry;
  const isVisit = path.wish === "visit";
  if (isVisit && (await hasPass(request, entry, scope.now))) return undefined;
  // Nobody shall type a password in vain.
  if (maxClicks !== null && (expiredUrl === null || !isVisit) && !(await visits.hasLeft(linkId, maxClicks)))
    return fail(request, scope, "gone");
  if (!isVisit) return guardedPreview(scope);
  return ask(request, scope, "password_required", "This link opens with a password.", originIn(request, scope));
}

/** Where the visitor came from, without what is theirs: the host alone is counted. Empty for this very host, and where nobody says. */
function originIn({ headers }: Request, { host }: RequestScope): string {
  const referrer = headers.get("Referer");
  if (referrer === null || !URL.canParse(referrer)) return "";
  const { protocol, hostname, origin } = new URL(referrer);
  return /^https?:$/.test(protocol) && hostname !== host ? origin : "";
}
