/**
 * What the files of other services have in common: short links to take apart, and texts that are longer than Hop takes.
 *
 * @module
 */
import { type Fields, firstOf } from "./fields.ts";

/** Hop's limits on texts, in UTF-16 units; `shared/schema/link.ts` holds them for everybody. */
const TITLE_MAX = 512;
const NOTES_MAX = 4096;
const TAG_MAX = 64;
const TAGS_MAX = 64;

/** A short link, taken apart. */
export interface ShortLink {
  /** In lower case, with the port if it has one. */
  readonly domain: string;
  /** Percent-decoded; undefined where the link is the domain itself. */
  readonly shortCode: string | undefined;
}

/** The parts of a short link, with or without its scheme: `https://bit.ly/3abc` or `bit.ly/3abc`. */
export function shortLinkOf(text: string | undefined): ShortLink | undefined {
  if (text === undefined) return undefined;
  const url = URL.parse(/^[a-z][a-z0-9+.-]*:\/\//i.test(text) ? text : `https://${text}`);
  if (url === null || url.host === "") return undefined;
  const path = url.pathname.replace(/^\//, "").replace(/\/$/, "");
  return { domain: url.host, shortCode: path === "" ? undefined : decoded(path) };
}

function decoded(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}

/** A title that Hop takes. Services fetch titles from pages, so one that is too long is cut, and told, rather than the link lost. */
export function titleOf(fields: Fields, ...names: readonly string[]): string | undefined {
  return fitting(fields, "title", TITLE_MAX, names);
}

/** Notes that Hop takes, likewise. */
export function notesOf(fields: Fields, ...names: readonly string[]): string | undefined {
  return fitting(fields, "notes", NOTES_MAX, names);
}

/** Tags that Hop takes, likewise. `separators` are those of text; a list is taken as it is. */
export function tagsOf(fields: Fields, separators: RegExp, ...names: readonly string[]): readonly string[] | undefined {
  const value = fields.value(...names);
  const written = Array.isArray(value)
    ? value.map(tagName)
    : typeof value === "string"
      ? parted(value, separators)
      : [];
  const tags = [...new Set(written.map((tag) => clean(tag).trim()).filter((tag) => tag !== ""))];
  const kept = tags.filter((tag) => tag.length <= TAG_MAX).slice(0, TAGS_MAX);
  const lost = tags.filter((tag) => !kept.includes(tag));
  if (lost.length > 0) fields.note(`Tags left out, being too long or too many: ${firstOf(lost)}.`);
  return kept.length === 0 ? undefined : kept;
}

/** A rule that sends the visitors of one kind of device to a destination of their own. */
export function deviceRule(device: "ios" | "android" | "desktop", longUrl: string | undefined): readonly unknown[] {
  return longUrl === undefined ? [] : [{ if: { device: [device] }, then: { longUrl } }];
}

/** What is said of a password that a file does not hold. */
export const PASSWORD_MISSING = "It had a password, which the file does not hold.";

/** What is said of an archived link: at Bitly and Dub it still redirects, and only leaves the list. */
export const STILL_REDIRECTS =
  "It was archived, which only takes a link off the list there: here it redirects as well.";

function fitting(fields: Fields, kind: string, max: number, names: readonly string[]): string | undefined {
  const text = clean(fields.text(...names) ?? "");
  if (text.trim() === "") return undefined;
  if (text.length > max) fields.note(`The ${kind} was cut to ${max} characters.`);
  return cut(text, max);
}

/** Without control characters and half characters, which no text of Hop has. */
function clean(text: string): string {
  // oxlint-disable-next-line no-control-regex -- control characters are what it looks for
  return text.toWellFormed().replaceAll(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f]/g, " ");
}

function cut(text: string, max: number): string {
  return text
    .slice(0, max)
    .toWellFormed()
    .replace(/\u{fffd}$/u, "");
}

/** Dub's tags are objects. */
function tagName(tag: unknown): string {
  if (typeof tag === "string") return tag;
  return typeof tag === "object" && tag !== null && "name" in tag && typeof tag.name === "string" ? tag.name : "";
}

function parted(text: string, separators: RegExp): readonly string[] {
  if (text.startsWith("[") && text.endsWith("]")) {
    try {
      const list: unknown = JSON.parse(text);
      if (Array.isArray(list)) return list.map(tagName);
    } catch {
      // Tags in brackets.
    }
  }
  return text.split(separators);
}
