/**
 * A crowd that follows from a seed: who clicks on which link, when, with what, and what has to be concluded from it. Any click can be made
 * again from its number, so a million of them need no memory.
 *
 * @module
 */
import { type Click, MESSAGE_MAX_CLICKS, packMessages } from "../shared/click.ts";
import { createDice, type Dice } from "../shared/testing/dice.ts";

/** What a consumer has to conclude from a click. Written by hand here: the benches know nothing of the Worker's lists. */
export interface Concluded {
  readonly source: string | null;
  readonly device: string | null;
  readonly browser: string | null;
  readonly os: string | null;
  readonly bot: string | null;
}

/** A click with what is to be concluded from it. */
export type CrowdClick = Click & Concluded;

/** How large a crowd is. */
export interface CrowdSize {
  readonly clicks: number;
  readonly links: number;
  readonly seed: number;
  /** Epoch milliseconds of the first click, and how long they go on. */
  readonly from: number;
  readonly spanMs: number;
}

/** A crowd. */
export interface Crowd extends CrowdSize {
  /** The links' ids, the most popular first. */
  readonly linkIds: readonly string[];
  /** Messages of a hundred clicks. */
  readonly messages: number;
  /** The click of a number. */
  clickAt(index: number): CrowdClick;
  /** The numbers of the clicks in a message. */
  indexesOf(message: number): readonly number[];
  /** The body of a message, as a buffer packs it. */
  bodyOf(message: number): string;
}

const FIRST_LINK = 421_234_567_890_000_000n;
const ANDROID = "Mozilla/5.0 (Linux; Android 10; K) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/141.0.0.0";
const APPLE = "AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.6 Mobile/15E148 Safari/604.1";
const WINDOWS = "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/141.0.0.0";

interface Agent extends Omit<Concluded, "source"> {
  readonly userAgent: string | null;
}

const person = (userAgent: string, device: string, browser: string, os: string): Agent => ({
  userAgent,
  device,
  browser,
  os,
  bot: null,
});
const program = (userAgent: string | null, bot: string): Agent => ({
  userAgent,
  device: null,
  browser: null,
  os: null,
  bot,
});

type Campaign = readonly [source: string, medium: string];

const AGENTS = [
  person(`${WINDOWS} Safari/537.36`, "desktop", "Chrome", "Windows"),
  person(`${WINDOWS} Safari/537.36`, "desktop", "Chrome", "Windows"),
  person(`${ANDROID} Mobile Safari/537.36`, "mobile", "Chrome", "Android"),
  person(`${ANDROID} Mobile Safari/537.36`, "mobile", "Chrome", "Android"),
  person(`Mozilla/5.0 (iPhone; CPU iPhone OS 18_6 like Mac OS X) ${APPLE}`, "mobile", "Mobile Safari", "iOS"),
  person(`Mozilla/5.0 (iPhone; CPU iPhone OS 18_6 like Mac OS X) ${APPLE}`, "mobile", "Mobile Safari", "iOS"),
  person(`Mozilla/5.0 (iPad; CPU OS 16_7 like Mac OS X) ${APPLE}`, "tablet", "Mobile Safari", "iOS"),
  person(`${WINDOWS} Safari/537.36 Edg/141.0.0.0`, "desktop", "Edge", "Windows"),
  person("Mozilla/5.0 (X11; Linux x86_64; rv:143.0) Gecko/20100101 Firefox/143.0", "desktop", "Firefox", "Linux"),
  program("curl/8.5.0", "tool"),
  program("Twitterbot/1.0", "crawler"),
  program(null, "silent"),
] as const;

/** The host that a browser sends, and the source it stands for. */
const REFERRERS = [
  [null, null],
  [null, null],
  ["l.facebook.com", "Facebook"],
  ["t.co", "X"],
  ["www.google.de", "Google"],
  ["com.linkedin.android", "LinkedIn"],
  ["www.news.example", "news.example"],
  ["blog.example", "blog.example"],
] as const;
const COUNTRIES = ["DE", "DE", "DE", "US", "US", "FR", "GB", "JP", "BR", "IN", "PL", "AT"] as const;
const LANGUAGES = ["de-DE", "en-US", "en-GB", "fr", "ja", "pt-BR", null] as const;
/** Source and medium of a campaign. */
const CAMPAIGNS: readonly [Campaign, ...Campaign[]] = [
  ["newsletter", "email"],
  ["poster", "print"],
  ["instagram", "social"],
];
const UNTRACKED_IN = 50;
const PEOPLE = 5000;
/** An odd number, so that what it multiplies stays apart modulo a power of two (Knuth, The Art of Computer Programming, 6.4). */
const SPREAD = 0x9e37_79b9_7f4a_7c15n;
const DAY_MS = 24 * 60 * 60 * 1000;

/** Makes a crowd. */
export function createCrowd(size: CrowdSize): Crowd {
  const linkIds = Array.from({ length: size.links }, (_, at) => String(FIRST_LINK + BigInt(at) * 4096n));
  const clickAt = (index: number): CrowdClick => makeClick(size, linkIds, index);
  const indexesOf = (message: number): number[] => {
    const first = message * MESSAGE_MAX_CLICKS;
    return Array.from({ length: Math.min(MESSAGE_MAX_CLICKS, size.clicks - first) }, (_, at) => first + at);
  };
  return {
    ...size,
    linkIds,
    messages: Math.ceil(size.clicks / MESSAGE_MAX_CLICKS),
    clickAt,
    indexesOf,
    bodyOf(message) {
      const [packed, second] = packMessages(indexesOf(message).map((index) => travelling(clickAt(index))));
      if (packed === undefined || second !== undefined) throw new Error("the clicks of a message do not fit into one");
      return packed.body;
    },
  };
}

function makeClick(size: CrowdSize, linkIds: readonly string[], index: number): CrowdClick {
  const dice = createDice(size.seed * 1_000_003 + index);
  const linkId = linkIds[popular(dice, linkIds.length)] ?? "";
  const at = size.from + Math.floor((index / size.clicks) * size.spanMs) + dice.below(2000);
  const id = uuidOf(dice, index);
  const base = { id, linkId, at, trigger: dice.below(8) === 0 ? ("qr" as const) : ("link" as const) };
  if (dice.below(UNTRACKED_IN) === 0) return { ...base, ...NOTHING, untracked: true, bot: null };
  const agent = dice.pick(AGENTS);
  const [referrer, source] = dice.pick(REFERRERS);
  const country = dice.pick(COUNTRIES);
  const [utmSource, utmMedium] = dice.below(3) === 0 ? dice.pick(CAMPAIGNS) : ([null, null] as const);
  return {
    ...base,
    ...agent,
    userAgent: agent.userAgent?.replace("141.0", `${120 + dice.below(22)}.0`) ?? null,
    country,
    region: `${country} ${dice.below(2)}`,
    city: `${country} town ${dice.below(5)}`,
    referrer,
    source,
    language: dice.pick(LANGUAGES),
    ip: `203.0.${dice.below(256)}.0`,
    utmSource,
    utmMedium,
    utmCampaign: utmSource === null ? null : "spring",
    utmTerm: null,
    utmContent: null,
    destination: `https://example.com/landing/${linkId.slice(-6)}`,
    visitor: visitorOf(dice.below(PEOPLE), linkId, at),
    untracked: false,
  };
}

/** Half of the clicks go to the square root of the links: popularity falls as 1 / rank does (Zipf). */
function popular(dice: Dice, links: number): number {
  return Math.floor((links + 1) ** (dice.below(2 ** 32) / 2 ** 32)) - 1;
}

/** A UUID whose last digits count, so that none comes twice, and whose first are random, as those of an edge are. */
function uuidOf(dice: Dice, index: number): string {
  const random = (dice.word() & 0xffff_ffff_ffff_4fffn).toString(16).padStart(16, "0");
  return `${random.slice(0, 8)}-${random.slice(8, 12)}-${random.slice(12)}-8000-${index.toString(16).padStart(12, "0")}`;
}

/** A person is another one on each link and day. */
function visitorOf(who: number, linkId: string, at: number): string {
  const whole = (BigInt(who) * BigInt(linkId) + BigInt(Math.floor(at / DAY_MS))) * SPREAD;
  return BigInt.asUintN(64, whole).toString(16).padStart(16, "0");
}

/** What is known of someone who asks not to be tracked. */
const NOTHING = {
  country: null,
  region: null,
  city: null,
  referrer: null,
  source: null,
  language: null,
  userAgent: null,
  ip: null,
  device: null,
  browser: null,
  os: null,
  utmSource: null,
  utmMedium: null,
  utmCampaign: null,
  utmTerm: null,
  utmContent: null,
  destination: null,
  visitor: null,
};

/** What travels: what is concluded, is concluded at the other end. */
function travelling({
  source: _source,
  device: _device,
  browser: _browser,
  os: _os,
  bot: _bot,
  ...click
}: CrowdClick): Click {
  return click;
}
