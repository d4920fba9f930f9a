/**
 * Which visitors are programs: crawlers and the previews of chats and networks, which look at links on their own, and tools.
 *
 * @module
 */
import { isbot } from "isbot";

/** Why a visit is not taken for a person's. */
export type BotKind =
  /** A known crawler, preview or monitor. */
  | "crawler"
  /** A tool or a library: somebody's program, on somebody's behalf. */
  | "tool"
  /** It says nothing of itself, as browsers always do. */
  | "silent";

/** Programs that the list of `isbot` 5.2.3 does not know. */
const ALSO_BOTS = /Bluesky Cardyb|GTmetrix|Miniature\.io\/|YLT Chrome\//;
/** Tools and libraries: they go where a person, or that person's program, sends them. */
const TOOLS =
  /^(?:axios|curl|Dart|Go-http-client|got|HTTPie|insomnia|Java|node|node-fetch|okhttp|PostmanRuntime|python-requests|undici|Wget)\b/i;
/** What a browser never leaves its user agent at. */
const SILENT = /^(?:\W*|Mozilla\/[\d.]+)$/;

/** What kind of program a user agent is that of, or null for a person's browser or app. */
export function botKind(userAgent: string | null): BotKind | null {
  if (userAgent === null || SILENT.test(userAgent)) return "silent";
  if (TOOLS.test(userAgent)) return "tool";
  return isbot(userAgent) || ALSO_BOTS.test(userAgent) ? "crawler" : null;
}

/**
 * Whether a user agent is that of a known bot, which looks at links on its own. A tool is none, nor is who sends no user agent; one that stands
 * there and says nothing is.
 */
export function isKnownBot(userAgent: string | null): boolean {
  const kind = botKind(userAgent);
  return kind === "crawler" || (kind === "silent" && userAgent !== null && userAgent !== "");
}
