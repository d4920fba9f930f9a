/**
 * Whether a visit of a limited link may pass. Only people spend a visit: a bot sees where the link leads, and a browser that
 * looks ahead is told to come back.
 *
 * @module
 */
import type { Redirection } from "./destination.ts";
import { isPrefetch } from "../http/visitor.ts";

/** The visits left of one link. */
export interface VisitsLeft {
  /** Spends one visit; answers whether there was one left. Rejects when nobody can say. */
  readonly take: (linkId: string, limit: number) => Promise<boolean>;
  /** Whether a visit is left. Rejects when nobody can say. */
  readonly hasLeft: (linkId: string, limit: number) => Promise<boolean>;
}

/** What becomes of a visit. */
export type Passage = "pass" | "spent" | "show_to_bot" | "look_ahead";

/** Decides on a visit of a link that allows `limit` of them. */
export async function passageOf(
  request: Request,
  { linkId }: Redirection,
  limit: number,
  visits: VisitsLeft,
): Promise<Passage> {
  if (isPrefetch(request)) return "look_ahead";
  // Loaded here: most links have no limit, and the list of bots is long.
  const { isKnownBot } = await import("../http/bots.ts");
  if (isKnownBot(request.headers.get("User-Agent"))) return "show_to_bot";
  const mayPass = request.method === "HEAD" ? visits.hasLeft(linkId, limit) : visits.take(linkId, limit);
  return (await mayPass) ? "pass" : "spent";
}
