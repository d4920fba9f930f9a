/**
 * The click, and how clicks travel: packed many to a queue message, each with an id minted where it happened, so that a
 * message delivered twice is counted once.
 *
 * @module
 */
import { type CountReport, writeReport } from "./counters.ts";
import { isRecord, parseJson } from "./json.ts";

/** One visit that was sent on. All text is cleaned and cut to {@link CLICK_TEXT_LIMITS}; null where nothing is known. */
export interface Click {
  /** A UUID, minted at the edge. */
  readonly id: string;
  /** The link's id in decimal. */
  readonly linkId: string;
  /** Epoch milliseconds. */
  readonly at: number;
  /** ISO 3166-1 alpha-2, upper case; also T1 (Tor). */
  readonly country: string | null;
  readonly region: string | null;
  readonly city: string | null;
  /** The host of the page that the visitor came from. */
  readonly referrer: string | null;
  /** The visitor's first language, a BCP 47 tag. */
  readonly language: string | null;
  readonly userAgent: string | null;
  /** What `IP_MODE` leaves of the address. */
  readonly ip: string | null;
  /** The campaign parameters of the short link's own address (`utm_source` and so on). */
  readonly utmSource: string | null;
  readonly utmMedium: string | null;
  readonly utmCampaign: string | null;
  readonly utmTerm: string | null;
  readonly utmContent: string | null;
  /** Where the visitor was sent. */
  readonly destination: string | null;
  /** What led here: the link, or its QR code, whose address carries `qr`. */
  readonly trigger: Trigger;
  /** Tells the visitors of one link on one day (UTC) apart: 64 bits in hex, under a salt that is gone when the day is. */
  readonly visitor: string | null;
  /** The visitor asked not to be tracked: all the texts are null, and nothing is concluded from that. */
  readonly untracked: boolean;
}

/** How a visitor came to the link. */
export type Trigger = "link" | "qr";

/** How much of a visitor's address is kept: all of it, its network (IPv4 /24, IPv6 /48), or nothing. */
export type IpMode = "full" | "truncated" | "none";

/** The names of a click's texts. */
export type ClickText = Exclude<keyof Click, "id" | "linkId" | "at" | "trigger" | "visitor" | "untracked">;

/** The most UTF-16 units that are kept of each text. A host name has 253 characters at most (RFC 1035). */
export const CLICK_TEXT_LIMITS: Readonly<Record<ClickText, number>> = {
  country: 2,
  region: 128,
  city: 128,
  referrer: 253,
  language: 35,
  userAgent: 512,
  ip: 45,
  utmSource: 100,
  utmMedium: 100,
  utmCampaign: 100,
  utmTerm: 100,
  utmContent: 100,
  destination: 512,
};

/**
 * A queue takes 128 KB a message and bills each 64 KB that is written, read or deleted (Cloudflare Queues, limits and
 * pricing): a message under 60 KB, its envelope included, is one unit.
 */
export const MESSAGE_MAX_BYTES = 60_000;
/** Rows a message: what one statement of the consumer takes from it. */
export const MESSAGE_MAX_CLICKS = 100;

/** Goes up when the form of a message changes. */
const FORMAT = 2;
/** Messages of the version before may still be in the queue after an upgrade; what they do not tell is null. */
const READABLE: ReadonlySet<unknown> = new Set([1, FORMAT]);
const encoder = new TextEncoder();
/** A UTF-16 unit is at most three bytes of UTF-8 (a pair of them four). */
const MAX_BYTES_PER_UNIT = 3;

/** One message for the queue. */
export interface PackedMessage {
  readonly body: string;
  /** How many clicks it carries. */
  readonly clicks: number;
}

/**
 * The clicks as messages, in their order, each within {@link MESSAGE_MAX_CLICKS} and {@link MESSAGE_MAX_BYTES}: clicks that are
 * too wide together are halved until they fit. A single click always fits: its texts are cut to {@link CLICK_TEXT_LIMITS}. The first
 * message takes counts along.
 */
export function packMessages(clicks: readonly Click[], report?: CountReport): readonly PackedMessage[] {
  if (clicks.length === 0) return [];
  if (clicks.length <= MESSAGE_MAX_CLICKS) {
    const body = bodyOf(clicks, report);
    if (clicks.length === 1 || fits(body)) return [{ body, clicks: clicks.length }];
  }
  const middle = Math.ceil(clicks.length / 2);
  return [...packMessages(clicks.slice(0, middle), report), ...packMessages(clicks.slice(middle))];
}

/** A message of counts alone. */
export function packCounts(report: CountReport): string {
  return bodyOf([], report);
}

function bodyOf(clicks: readonly Click[], report: CountReport | undefined): string {
  return JSON.stringify({ v: FORMAT, clicks, ...(report && { counters: writeReport(report) }) });
}

function fits(body: string): boolean {
  return body.length * MAX_BYTES_PER_UNIT <= MESSAGE_MAX_BYTES || encoder.encode(body).length <= MESSAGE_MAX_BYTES;
}

/** What a message held, or why it cannot be read. */
export type Unpacked =
  | { readonly ok: true; readonly clicks: readonly Click[] }
  | { readonly ok: false; readonly reason: string };

/** Reads a message. Trusts nothing: a consumer may meet messages of an older version, or of somebody else. */
export function unpackMessage(body: unknown): Unpacked {
  if (typeof body !== "string") return { ok: false, reason: `the body is ${typeof body}, not text` };
  const message = parseJson(body);
  if (!isRecord(message)) return { ok: false, reason: "the body is not a JSON object" };
  if (!READABLE.has(message["v"])) return { ok: false, reason: `format ${JSON.stringify(message["v"])} is not known` };
  const { clicks } = message;
  if (!Array.isArray(clicks)) return { ok: false, reason: "there is no list of clicks" };
  const items: readonly unknown[] = clicks;
  const read: Click[] = [];
  for (const [index, item] of items.entries()) {
    const click = readClick(item);
    if (click === undefined) return { ok: false, reason: `click ${index} is broken` };
    read.push(click);
  }
  return { ok: true, clicks: read };
}

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const ID = /^\d{1,19}$/;
const MAX_ID = 2n ** 63n - 1n;
/** The years 2000 to 2100: outside, a clock was wrong or the field is something else. */
const MIN_AT = 946_684_800_000;
const MAX_AT = 4_102_444_800_000;

function readClick(value: unknown): Click | undefined {
  if (!isRecord(value)) return undefined;
  const { id, linkId, at } = value;
  if (typeof id !== "string" || !UUID.test(id)) return undefined;
  if (typeof linkId !== "string" || !ID.test(linkId) || BigInt(linkId) > MAX_ID) return undefined;
  if (typeof at !== "number" || !Number.isInteger(at) || at < MIN_AT || at > MAX_AT) return undefined;
  const text = (name: ClickText): string | null => {
    const field = value[name];
    return typeof field === "string" ? cleanText(field, CLICK_TEXT_LIMITS[name]) : null;
  };
  return {
    id,
    linkId,
    at,
    country: text("country"),
    region: text("region"),
    city: text("city"),
    referrer: text("referrer"),
    language: text("language"),
    userAgent: text("userAgent"),
    ip: text("ip"),
    utmSource: text("utmSource"),
    utmMedium: text("utmMedium"),
    utmCampaign: text("utmCampaign"),
    utmTerm: text("utmTerm"),
    utmContent: text("utmContent"),
    destination: text("destination"),
    trigger: value["trigger"] === "qr" ? "qr" : "link",
    visitor: visitorIn(value),
    untracked: value["untracked"] === true,
  };
}

function visitorIn({ visitor }: Readonly<Record<string, unknown>>): string | null {
  return typeof visitor === "string" && /^[0-9a-f]{16}$/.test(visitor) ? visitor : null;
}

/**
 * Text that every store takes: no control characters, no lone surrogates (Postgres refuses NUL and both halves), no
 * space at the ends, at most `limit` UTF-16 units and never half a character. Null when nothing is left.
 */
export function cleanText(text: string, limit: number): string | null {
  // oxlint-disable-next-line no-control-regex -- control characters are what it removes
  const printable = text.toWellFormed().replace(/[\u0000-\u001f\u007f-\u009f]/g, "");
  const cut = printable.trim().slice(0, limit);
  const last = cut.charCodeAt(cut.length - 1);
  const whole = last >= 0xd800 && last <= 0xdbff ? cut.slice(0, -1) : cut;
  return whole === "" ? null : whole;
}
