/**
 * What the path segment of a short link is: a generated code, which proves itself; a custom one; a reserved word; or
 * nothing that could be a link. All of it without I/O, since every redirect asks.
 *
 * Generated and custom codes never meet: a generated one has exactly the width of a configured format and only characters
 * of its alphabet, and a custom one that would look like that is refused where it is made.
 *
 * @module
 */
import { BASE62_ALPHABET, type Codec, createCodec, SAFE_ALPHABET } from "./alphabet.ts";
import { type CipherKey, createPermutation, type Permutation } from "./permutation.ts";
import { SEQUENCE_LIMITS } from "./sequence.ts";
import { decompose, type Layout, type LayoutName, shardsProblem, tickAt } from "./snowflake.ts";

/** The names of the alphabets; the first is the default. */
export const ALPHABET_NAMES = ["safe", "base62"] as const;

/** The name of an alphabet. */
export type AlphabetName = (typeof ALPHABET_NAMES)[number];

const ALPHABETS: Readonly<Record<AlphabetName, string>> = { safe: SAFE_ALPHABET, base62: BASE62_ALPHABET };

/** How many characters a generated code has: enough for all bits of its layout in either alphabet. */
export const CODE_WIDTHS: Readonly<Record<LayoutName, number>> = { classic: 11, compact: 8 };

/** The most code points of a custom code. */
export const CUSTOM_CODE_MAX_CODE_POINTS = 64;

/** NFC makes at most four UTF-16 units into one code point (U+1F82 and its like), so longer texts need no look. */
const CUSTOM_CODE_MAX_UNITS = CUSTOM_CODE_MAX_CODE_POINTS * 4;

/** Clocks of two data centres, and of the launch, may be this far apart; codes made meanwhile are none the less real. */
export const GUARD_CLOCK_SKEW_MS = 60_000;

/** Paths that the service, browsers, crawlers and Cloudflare ask for by name. Compared without regard to case. */
export const RESERVED_WORDS: readonly string[] = `
  admin api dashboard docs healthz login logout metrics openapi.json readyz
  assets cdn-cgi static .well-known
  ads.txt app-ads.txt humans.txt llms.txt robots.txt security.txt
  sitemap.xml sitemap.xml.gz sitemap_index.xml index.htm index.html index.php
  apple-touch-icon.png apple-touch-icon-precomposed.png favicon.ico favicon.png favicon.svg
  apple-app-site-association browserconfig.xml crossdomain.xml manifest.json site.webmanifest
  service-worker.js sw.js
`
  .trim()
  .split(/\s+/);

/** One way in which ids are, or were, written as codes. */
export interface CodeFormat {
  readonly layout: Layout;
  readonly alphabet: AlphabetName;
  /** Undefined: the code is the plain number, so it tells when it was made, and its neighbours can be guessed. */
  readonly key?: CipherKey | undefined;
}

/** What the guard and custom codes are held against. */
export interface CodeRules {
  /** When the first id may have been made, in epoch milliseconds. Too late a date refuses real codes. */
  readonly launchedAtMs: number;
  /** Machine ids 0 to `shards - 1` give out ids, or have ever done so. */
  readonly shards: number;
  /** Reserved segments, in lower case. */
  readonly reserved: readonly string[];
}

/** What a path segment is. */
export type Segment =
  | { readonly kind: "generated"; readonly code: string }
  /** `code` is in NFC. */
  | { readonly kind: "custom"; readonly code: string }
  | { readonly kind: "reserved" }
  | { readonly kind: "malformed" };

/** Why a custom code cannot be had. */
export type CustomCodeReason = "empty" | "too_long" | "characters" | "edge_dot" | "reserved" | "looks_generated";

/** Whether a custom code can be had. `suggestion` is a code like it that can be. */
export type CustomCodeCheck =
  | { readonly ok: true; readonly code: string }
  | {
      readonly ok: false;
      readonly reason: CustomCodeReason;
      readonly message: string;
      readonly suggestion: string | undefined;
    };

/** Writes, tells apart and proves codes. */
export interface CodeBook {
  /** The code of an id in the newest format. Throws RangeError when the id has more bits than its layout. */
  readonly encode: (id: bigint) => string;
  /** What a path segment is, which has been percent-decoded once. Lexical only: nothing is decoded or looked up. */
  readonly classify: (segment: string) => Segment;
  /**
   * The id that a generated-looking code was made from, in the first format that it can be of; undefined when there is
   * none, and then such a link has never been made. `nowMs` is epoch milliseconds.
   *
   * A code made up at random passes with probability `age × shards × ids a tick / codes`. Classic, 4 shards: in the safe
   * alphabet (55^11 codes) 1 in 330,000 at an age of 30 days, 1 in 100,000 at 98 days, 1 in 27,000 at a year; in
   * base62 (62^11) 1 in 100,000 at a year. It grows with age and shards, and each further format of the same width adds
   * its own. Below 1 in 100,000 stay: base62 with one shard for 4 years, the safe alphabet with one shard for 13 months.
   * Compact trades it for short codes: 4 shards, 30 days, safe alphabet: 1 in 32,000. An exact `launchedAtMs` matters
   * most: without one the age counts from 2023-11-14.
   */
  readonly prove: (code: string, nowMs: number) => bigint | undefined;
  /**
   * Whether an older format may have given the same code to another id, some time before `nowMs`. Whoever makes a link
   * then takes another id, so that a change of key can never give one code twice. True about as often as a random code
   * passes {@link CodeBook.prove}; always false with one format.
   */
  readonly isShadowed: (code: string, nowMs: number) => boolean;
  /**
   * Whether a custom code can be had: 1 to 64 code points in NFC; letters and digits of any script, the combining marks
   * that belong to a letter, and `-`, `_`, and `.` between others. Not allowed are emoji and what renders as nothing
   * (variation selectors, joiners, fillers): two codes that look the same would lead to two places.
   */
  readonly checkCustom: (code: string) => CustomCodeCheck;
}

/**
 * Builds the book of some formats, newest first. Throws RangeError without one, and when the newest has too few machine
 * ids for the shards. A format that is added later takes its lexical class from custom codes: those made before that lie
 * in it are refused by the guard from then on, so look for them first.
 */
export function createCodeBook(formats: readonly CodeFormat[], rules: CodeRules): CodeBook {
  if (formats[0] === undefined) throw new RangeError("A code book needs a format.");
  const problem = shardsProblem(formats[0].layout, rules.shards);
  if (problem !== undefined) throw new RangeError(problem);
  const newest = createPage(formats[0], rules);
  const older = formats.slice(1).map((format) => createPage(format, rules));
  const pages = [newest, ...older];
  const reserved = new Set(rules.reserved);
  const looksGenerated = createGeneratedTest(formats);

  function classify(segment: string): Segment {
    if (looksGenerated(segment)) return { kind: "generated", code: segment };
    if (segment.length > CUSTOM_CODE_MAX_UNITS) return MALFORMED;
    const code = segment.normalize("NFC");
    if (reserved.has(code.toLowerCase())) return RESERVED;
    // NFC can bring a text into the generated class: U+212A, the Kelvin sign, becomes K.
    return customFault(code) === undefined && !looksGenerated(code) ? { kind: "custom", code } : MALFORMED;
  }

  function checkCustom(text: string): CustomCodeCheck {
    const code = text.length > CUSTOM_CODE_MAX_UNITS ? text : text.normalize("NFC");
    const reason = reserved.has(code.toLowerCase())
      ? "reserved"
      : (customFault(code) ?? (looksGenerated(code) ? "looks_generated" : undefined));
    if (reason === undefined) return { ok: true, code };
    const suggestion = suggestionFor(code, reason);
    const isFree = classify(suggestion).kind === "custom";
    return { ok: false, reason, message: MESSAGES[reason], suggestion: isFree ? suggestion : undefined };
  }

  return {
    encode: newest.encode,
    classify,
    prove: (code, nowMs) => firstProof(pages, code, nowMs),
    isShadowed: (code, nowMs) => firstProof(older, code, nowMs) !== undefined,
    checkCustom,
  };
}

const MALFORMED: Segment = { kind: "malformed" };
const RESERVED: Segment = { kind: "reserved" };

/** One format with what it needs at hand. */
interface Page {
  readonly encode: CodeBook["encode"];
  readonly prove: CodeBook["prove"];
}

function createPage({ layout, alphabet, key }: CodeFormat, rules: CodeRules): Page {
  const codec = createCodec(ALPHABETS[alphabet]);
  const width = CODE_WIDTHS[layout.name];
  const permutation = key === undefined ? undefined : createPermutation(key, domainOf(layout, codec, width));
  const idEnd = 2n ** BigInt(layout.totalBits);
  const firstTick = tickAt(layout, rules.launchedAtMs - GUARD_CLOCK_SKEW_MS);
  const aheadTicks = SEQUENCE_LIMITS[layout.name].maxAheadTicks;

  return {
    encode(id) {
      if (id < 0n || id >= idEnd) throw new RangeError(`${id} is no ${layout.name} id.`);
      return codec.encodeFixed(permutation === undefined ? id : permutation.permute(id), width);
    },
    prove(code, nowMs) {
      const place = codec.decodeFixed(code, width);
      if (place === undefined) return undefined;
      const id = idAt(place, permutation);
      const parts = id === undefined ? undefined : decompose(layout, id);
      if (parts === undefined || parts.machine >= rules.shards || parts.tick < firstTick) return undefined;
      return parts.tick <= tickAt(layout, nowMs + GUARD_CLOCK_SKEW_MS) + aheadTicks ? id : undefined;
    },
  };
}

function idAt(place: bigint, permutation: Permutation | undefined): bigint | undefined {
  if (permutation === undefined) return place;
  return place < permutation.size ? permutation.invert(place) : undefined;
}

/**
 * The numbers that are permuted. Compact: its own 46 bits, of which there are fewer than codes. Classic: 64 bits, the
 * 63 of its ids and one that must be 0, or all codes where these are fewer (55^11 < 2^64), so that no code is too long.
 */
function domainOf(layout: Layout, codec: Codec, width: number): bigint {
  const codes = BigInt(codec.base) ** BigInt(width);
  const numbers = 2n ** BigInt(layout.name === "classic" ? 64 : layout.totalBits);
  return numbers < codes ? numbers : codes;
}

function firstProof(pages: readonly Page[], code: string, nowMs: number): bigint | undefined {
  for (const page of pages) {
    const id = page.prove(code, nowMs);
    if (id !== undefined) return id;
  }
  return undefined;
}

/** One bit for each alphabet. */
function bitOf(alphabet: AlphabetName): number {
  return 1 << ALPHABET_NAMES.indexOf(alphabet);
}

/** Whether a text has the width of a format and only characters of its alphabet: two table look-ups a character. */
function createGeneratedTest(formats: readonly CodeFormat[]): (text: string) => boolean {
  // Each character has the bits of the alphabets that it is in, each width of those that it occurs with.
  const ofUnit = new Uint8Array(128);
  const ofWidth = new Uint8Array(Math.max(...Object.values(CODE_WIDTHS)) + 1);
  for (const { alphabet, layout } of formats) {
    const width = CODE_WIDTHS[layout.name];
    ofWidth[width] = (ofWidth[width] ?? 0) | bitOf(alphabet);
  }
  for (const name of ALPHABET_NAMES) {
    for (const character of ALPHABETS[name]) {
      const unit = character.charCodeAt(0);
      ofUnit[unit] = (ofUnit[unit] ?? 0) | bitOf(name);
    }
  }
  return (text) => {
    let possible = ofWidth[text.length] ?? 0;
    for (let at = 0; possible !== 0 && at < text.length; at++) possible &= ofUnit[text.charCodeAt(at)] ?? 0;
    return possible !== 0;
  };
}

/** Plain ASCII, which needs no Unicode tables. */
const ASCII_PATTERN = /^[0-9A-Za-z_.-]+$/;
/** Linear: the three branches share no character. Fillers such as U+3164 are letters that render as nothing. */
const UNICODE_PATTERN =
  /^(?:[\p{L}--\p{Default_Ignorable_Code_Point}][\p{M}--\p{Default_Ignorable_Code_Point}]*|[\p{N}_.\-])+$/v;

/** What is wrong with the characters of a text in NFC. */
function customFault(code: string): "empty" | "too_long" | "characters" | "edge_dot" | undefined {
  if (code === "") return "empty";
  if (code.length > CUSTOM_CODE_MAX_CODE_POINTS && codePointsOf(code) > CUSTOM_CODE_MAX_CODE_POINTS) return "too_long";
  if (!ASCII_PATTERN.test(code) && !UNICODE_PATTERN.test(code)) return "characters";
  return code.startsWith(".") || code.endsWith(".") ? "edge_dot" : undefined;
}

/** Stops counting beyond what the caller asks about. */
function codePointsOf(text: string): number {
  let count = 0;
  for (const _ of text) if (++count > CUSTOM_CODE_MAX_CODE_POINTS) break;
  return count;
}

const MESSAGES: Readonly<Record<CustomCodeReason, string>> = {
  empty: "A custom code has at least one character.",
  too_long: `A custom code has at most ${CUSTOM_CODE_MAX_CODE_POINTS} characters.`,
  characters: 'A custom code has letters and digits of any script, "-", "_" and "."; no spaces, emoji or other signs.',
  edge_dot: 'A custom code does not begin or end with ".".',
  reserved: "This word is reserved for the service itself.",
  looks_generated: "This code has the form of a generated one, so it could not be told from them.",
};

/** A code near the one that was refused; it may be refused as well, as the empty one is. */
function suggestionFor(code: string, reason: CustomCodeReason): string {
  if (reason === "characters") return code.replace(/[^\p{L}\p{N}_.]+/gu, "-").replace(/^[-.]+|[-.]+$/g, "");
  if (reason === "edge_dot") return code.replace(/^\.+|\.+$/g, "");
  return reason === "reserved" || reason === "looks_generated" ? nearby(code) : "";
}

/** A hyphen where a word ends within the code, or behind it with a number; no alphabet has a hyphen. */
function nearby(code: string): string {
  const split = code.replace(/(?<=\p{Ll})(?=[\p{Lu}\p{N}])|(?<=\p{N})(?=\p{L})/u, "-");
  return split === code ? `${code}-1` : split;
}
