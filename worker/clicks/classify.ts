/**
 * What is concluded from a click: kind of device, whether a person came, and from where. Done by the consumer, so that a
 * redirect loads none of the lists this takes.
 *
 * @module
 */
import { type Click, CLICK_TEXT_LIMITS, cleanText } from "../../shared/click.ts";
import { type BotKind, botKind } from "../http/bots.ts";
import { sourceOf } from "../http/referrer.ts";
import { readUserAgent } from "../http/user-agent.ts";

/** A click as it is kept. */
export interface ClickRow extends Click {
  readonly device: string | null;
  readonly browser: string | null;
  readonly os: string | null;
  /** Why it is not taken for a person's; null: it is. */
  readonly bot: BotKind | null;
  /** The referrer by the name of its network, or its host. */
  readonly source: string | null;
}

const NAME_LIMIT = 64;
/** What Cloudflare says of a place that it does not know (Cloudflare, "IP geolocation"). */
const NO_COUNTRY = "XX";

interface Agent extends Pick<ClickRow, "device" | "browser" | "os"> {
  readonly bot: BotKind | null;
}

/**
 * Concludes. Of a visitor who asks not to be tracked nothing is known, and nothing is concluded from that: it counts as a person.
 * Reading a user agent is most of the work, and few of them are many clicks': each is read once for as long as this is kept.
 */
export function createClassify(): (click: Click) => ClickRow {
  const agents = new Map<string | null, Agent>();
  return (click) => {
    const known = agents.get(click.userAgent) ?? readAgent(click.userAgent);
    agents.set(click.userAgent, known);
    return {
      ...click,
      country: click.country === NO_COUNTRY ? null : click.country,
      ...known,
      bot: click.untracked ? null : known.bot,
      source: click.referrer === null ? null : cleanText(sourceOf(click.referrer), CLICK_TEXT_LIMITS.referrer),
    };
  };
}

function readAgent(userAgent: string | null): Agent {
  const { device, browser, os } = readUserAgent(userAgent);
  return { device, browser: nameOf(browser), os: nameOf(os), bot: botKind(userAgent) };
}

function nameOf(name: string | null): string | null {
  return name === null ? null : cleanText(name, NAME_LIMIT);
}
