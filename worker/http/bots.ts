/**
 * Which visitors are programs that look at links on their own: crawlers, and the previews of chats and networks.
 *
 * @module
 */
import { isbot } from "isbot";

/** Programs that the list of `isbot` 5.2.3 does not know. */
const ALSO_BOTS = /Bluesky Cardyb/;
/** Tools and libraries that the list counts among bots: they go where a person, or that person's program, sends them. */
const TOOLS =
  /^(?:axios|curl|Dart|Go-http-client|got|HTTPie|insomnia|Java|node|node-fetch|okhttp|PostmanRuntime|python-requests|undici|Wget)\b/i;

/** Whether a user agent is that of a known bot. One that says nothing of itself is not known. */
export function isKnownBot(userAgent: string | null): boolean {
  if (userAgent === null || userAgent === "" || TOOLS.test(userAgent)) return false;
  return isbot(userAgent) || ALSO_BOTS.test(userAgent);
}
