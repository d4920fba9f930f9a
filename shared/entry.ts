/**
 * The entry: all that decides one redirect, and what every cache holds. Never a finished response, and never a
 * judgement that depends on the time: expiry is decided when the answer is made.
 *
 * Its stored form is parsed by hand, since a redirect must not pay for a schema library.
 *
 * @module
 */
import { isRecord, type JsonRecord, parseJson } from "./json.ts";
import { PLAIN_HOST } from "./plain-host.ts";
import { NO_RULES, readRules, type Rule } from "./rules.ts";
import { FORBIDDEN_SCHEMES } from "./scheme.ts";

/** The statuses a redirect may have. */
export type RedirectStatus = 301 | 302 | 307 | 308;

/** A link as the redirect sees it. Times are epoch milliseconds. */
export interface PresentEntry {
  readonly kind: "present";
  /** The row's version: microseconds since 1970 of its last change, strictly rising for one code. */
  readonly version: number;
  /** When Redis or Postgres last said that this is so. */
  readonly vouchedAt: number;
  /** The link's id in decimal. */
  readonly linkId: string;
  /** ASCII, as the WHATWG serialiser gives it. */
  readonly longUrl: string;
  readonly redirectStatus: RedirectStatus;
  readonly validSince: number | null;
  readonly expireAt: number | null;
  readonly expiredUrl: string | null;
  readonly disabled: boolean;
  /** How many visits may pass; the link's own object counts them. */
  readonly maxClicks: number | null;
  /** Whether the visitor's query is added to the destination's. */
  readonly forwardQuery: boolean;
  /** Whether the path behind the code is added to the destination's. */
  readonly forwardPath: boolean;
  /** What a password is proved against before anything of the link is told (`shared/password.ts`); null: it asks for none. */
  readonly passwordHash: string | null;
  /** The first that fits the visitor gives the destination in the place of `longUrl`. */
  readonly rules: readonly Rule[];
}

/** Known not to exist. */
export interface AbsentEntry {
  readonly kind: "absent";
  /** Whatever has an older version is gone: of a deletion its own version, of a look-up in vain a moment before it. */
  readonly version: number;
  /** Left by a deletion: it must outlive everyone who read the row before. */
  readonly tombstone: boolean;
  readonly vouchedAt: number;
}

/** A link that asks for a password. */
export type GuardedEntry = PresentEntry & { readonly passwordHash: string };

/** Whether an entry is that of a link that asks for a password. */
export function isGuarded(entry: Entry): entry is GuardedEntry {
  return entry.kind === "present" && entry.passwordHash !== null;
}

/** What is known of one code on one domain. */
export type Entry = PresentEntry | AbsentEntry;

/** What names an entry. The domain is part of it, so a code of one domain never answers on another. */
export interface CodeKey {
  /** Host name, lower case, no port. */
  readonly domain: string;
  /** The code in NFC. */
  readonly code: string;
}

/** Goes up when the stored form changes; a form that is not known is a miss, never a guess. */
const FORMAT = 1;
/**
 * Of a link with a password or rules. A Worker from before there were any takes it for a miss, where it would else send everybody to
 * `longUrl`.
 */
const LATER_FORMAT = 2;
/** Digits of the version in front of the stored form: 16 hold microseconds until the year 2286. */
export const VERSION_DIGITS = 16;
/**
 * The text that caches store: the version in {@link VERSION_DIGITS} digits, so that Redis can compare two of them as
 * text, and then JSON.
 */
export function encodeEntry(entry: Entry): string {
  const version = String(entry.version).padStart(VERSION_DIGITS, "0");
  if (entry.kind === "absent")
    return `${version}${JSON.stringify({ f: FORMAT, at: entry.vouchedAt, gone: entry.tombstone })}`;
  return `${version}${JSON.stringify({
    f: isPlain(entry) ? FORMAT : LATER_FORMAT,
    at: entry.vouchedAt,
    id: entry.linkId,
    to: entry.longUrl,
    st: entry.redirectStatus,
    vs: entry.validSince,
    ex: entry.expireAt,
    xu: entry.expiredUrl,
    off: entry.disabled,
    max: entry.maxClicks,
    // Only where they are set: most links have neither, and entries from before there were any read the same.
    ...(entry.forwardQuery && { fq: true }),
    ...(entry.forwardPath && { fp: true }),
    ...(entry.passwordHash !== null && { pw: entry.passwordHash }),
    ...(entry.rules.length > 0 && { ru: entry.rules }),
  })}`;
}

/** Reads what {@link encodeEntry} wrote. Anything else, and a destination that must not be sent, is undefined: a miss. */
export function decodeEntry(text: string): Entry | undefined {
  const digits = text.slice(0, VERSION_DIGITS);
  if (!/^\d{16}$/.test(digits)) return undefined;
  const fields = parseJson(text.slice(VERSION_DIGITS));
  if (!isRecord(fields)) return undefined;
  const { f, pw = null } = fields;
  if (pw !== null && typeof pw !== "string") return undefined;
  const rules = rulesIn(fields);
  if (rules === undefined || f !== (isPlain({ passwordHash: pw, rules }) ? FORMAT : LATER_FORMAT)) return undefined;
  const version = Number(digits);
  const vouchedAt = fields["at"];
  if (!isNumber(vouchedAt)) return undefined;
  if (!("id" in fields)) return { kind: "absent", version, vouchedAt, tombstone: fields["gone"] === true };

  const { id, to, st, vs, ex, xu, off, max, fq = false, fp = false } = fields;
  if (typeof id !== "string" || typeof off !== "boolean" || !isRedirectStatus(st)) return undefined;
  if (typeof fq !== "boolean" || typeof fp !== "boolean") return undefined;
  if (!isNumberOrNull(vs) || !isNumberOrNull(ex) || !isNumberOrNull(max)) return undefined;
  if (typeof to !== "string" || !isSendable(to)) return undefined;
  if (xu !== null && (typeof xu !== "string" || !isSendable(xu))) return undefined;
  return {
    kind: "present",
    version,
    vouchedAt,
    linkId: id,
    longUrl: to,
    redirectStatus: st,
    validSince: vs,
    expireAt: ex,
    expiredUrl: xu,
    disabled: off,
    maxClicks: max,
    forwardQuery: fq,
    forwardPath: fp,
    passwordHash: pw,
    rules,
  };
}

/** The rules of an entry, by its format; undefined where the format is not known, or one of them must not be followed. */
function rulesIn({ f, ru }: JsonRecord): readonly Rule[] | undefined {
  if (f === FORMAT || ru === undefined) return NO_RULES;
  return readRules(ru, (url) => (isSendable(url) ? url : undefined));
}

/** Whether a Worker from before there were passwords and rules would do right by it. */
function isPlain({ passwordHash, rules }: Pick<PresentEntry, "passwordHash" | "rules">): boolean {
  return passwordHash === null && rules.length === 0;
}

/** The database's clock, which dates versions, and that of the Worker which reads it may be this far apart. */
const CLOCK_SKEW_MS = 60_000;

/**
 * What a look-up at `now` that found no row says: a version from before is gone. One that was made since, or just before
 * by another clock, is not denied.
 */
export function notFoundAt(now: number): AbsentEntry {
  return { kind: "absent", version: Math.max(0, (now - CLOCK_SKEW_MS) * 1000), vouchedAt: now, tombstone: false };
}

/** The same entry, vouched for at `now`. */
export function vouched(entry: Entry, now: number): Entry {
  return { ...entry, vouchedAt: now };
}

/**
 * The form of a stored destination that may stand in a `Location` header: WHATWG-serialised, so always ASCII and on one
 * line, or undefined when it does not parse or would run code. Rows that came by SQL or import pass here too.
 */
export function sendableUrl(stored: string): string | undefined {
  if (!URL.canParse(stored)) return undefined;
  const url = new URL(stored);
  return FORBIDDEN_SCHEMES.has(url.protocol.slice(0, -1)) ? undefined : url.href;
}

/** Whether a number is a status that a redirect may have. */
export function isRedirectStatus(value: unknown): value is RedirectStatus {
  return value === 301 || value === 302 || value === 307 || value === 308;
}

/**
 * Destinations of the usual form, which the URL parser would leave as they are and whose scheme is harmless: a plain host, no port, no
 * dot segments, and none of the characters that some part of a URL has percent-encoded. Entries come from caches at every
 * look-up, and the parser costs more than reading all the rest of one.
 */
const PLAIN_DESTINATION = new RegExp(
  String.raw`^https?://${PLAIN_HOST}/(?!(?:[^?#]*/)?(?:\.|%2[eE]))[\w~!$&()*+,;=:@%/?#.-]*$`,
);

function isSendable(text: string): boolean {
  return PLAIN_DESTINATION.test(text) || sendableUrl(text) === text;
}

function isNumber(value: unknown): value is number {
  return typeof value === "number" && Number.isFinite(value);
}

function isNumberOrNull(value: unknown): value is number | null {
  return value === null || isNumber(value);
}
