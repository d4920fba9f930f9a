/**
 * The named values of one row, whether they were cells of a CSV or fields of a JSON object. Names match in any case and with
 * any punctuation: `Long URL`, `long_url` and `longUrl` are one. What nobody asked for is told at the end.
 *
 * @module
 */
import type { FormatName, ImportedLink } from "./format.ts";
import { timeOf } from "./times.ts";

const SHOWN_TEXTS = 20;
const SHOWN_CHARACTERS = 60;

/** A field's name as it is compared. */
export function nameKey(name: string): string {
  return name.toLowerCase().replaceAll(/[^\p{L}\p{N}]/gu, "");
}

/** The keys of the names that formats ask for, which are written in the code and few. */
const askedKeys = new Map<string, string>();

function askedKey(name: string): string {
  let key = askedKeys.get(name);
  if (key === undefined) {
    key = nameKey(name);
    askedKeys.set(name, key);
  }
  return key;
}

/** A value with the name it has in the file. */
export interface Field {
  readonly name: string;
  readonly value: unknown;
}

/** Reads the values of one row. Of several names the first that has a value counts. Null, empty text, an empty list and an empty object are no value. */
export interface Fields {
  /** The value as it is. */
  readonly value: (...names: readonly string[]) => unknown;
  /** Text; numbers and booleans as they are written. */
  readonly text: (...names: readonly string[]) => string | undefined;
  /** Text without white space around it. */
  readonly word: (...names: readonly string[]) => string | undefined;
  /** Epoch milliseconds. */
  readonly time: (...names: readonly string[]) => number | undefined;
  /** A whole number from 0. */
  readonly count: (...names: readonly string[]) => number | undefined;
  readonly flag: (...names: readonly string[]) => boolean | undefined;
  /** Texts, from a JSON list or from text with commas. */
  readonly list: (...names: readonly string[]) => readonly string[] | undefined;
  /** Marks values as known, though nothing is made of them. */
  readonly skip: (...names: readonly string[]) => void;
  /** Adds a sentence to the notes. */
  readonly note: (sentence: string) => void;
  /** All notes, with one about the fields that nobody asked for. */
  readonly notes: () => readonly string[];
}

/** The fields of a row, by `nameKey`. */
export function fieldsOf(row: ReadonlyMap<string, Field>): Fields {
  const asked = new Set<string>();
  const notes: string[] = [];

  function find(names: readonly string[]): Field | undefined {
    let found: Field | undefined;
    for (const name of names) {
      const key = askedKey(name);
      const field = row.get(key);
      if (field === undefined || !hasValue(field.value) || found !== undefined) continue;
      asked.add(key);
      found = field;
    }
    return found;
  }

  /** Reads a value, or says that it cannot be read. */
  function read<T>(names: readonly string[], kind: string, parse: (value: unknown) => T | undefined): T | undefined {
    const field = find(names);
    if (field === undefined) return undefined;
    const parsed = parse(field.value);
    if (parsed === undefined) notes.push(`${field.name} was left out: ${shown(field.value)} is no ${kind}.`);
    return parsed;
  }

  return {
    value: (...names) => find(names)?.value,
    text: (...names) => read(names, "text", textOf),
    word: (...names) => read(names, "text", (value) => textOf(value)?.trim()) || undefined,
    time: (...names) => read(names, "time that can be told for certain", timeOf),
    count: (...names) => read(names, "count", countOf),
    flag: (...names) => read(names, "yes or no", flagOf),
    list: (...names) => read(names, "list", listOf),
    skip: (...names) => {
      for (const name of names) asked.add(askedKey(name));
    },
    note: (sentence) => {
      notes.push(sentence);
    },
    notes: () => {
      const left: string[] = [];
      for (const [key, { name, value }] of row) if (!asked.has(key) && hasValue(value)) left.push(name);
      return left.length === 0 ? notes : [...notes, `Hop has no place for: ${firstOf(left)}.`];
    },
  };
}

/** Settings without those that are undefined. */
export function said(settings: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const kept: Record<string, unknown> = {};
  for (const name of Object.keys(settings)) if (settings[name] !== undefined) kept[name] = settings[name];
  return kept;
}

/** A link, or why the row gives none. */
export type LinkOrRefusal = ImportedLink | { readonly refused: string };

/** How one service's rows are read. */
export interface Format {
  readonly name: FormatName;
  /** Whether a header, or the names of an object's fields, can only be this format's; names are those of `nameKey`. */
  readonly knows: (names: ReadonlySet<string>) => boolean;
  /** The names of the destination, of which a file must have one. */
  readonly destination: readonly string[];
  /** Whether its writer puts a `'` before what could be a formula. */
  readonly harmless?: boolean;
  /** Texts that stand for no value. */
  readonly nothing?: readonly string[];
  readonly link: (fields: Fields) => LinkOrRefusal;
}

/** RFC 3339 text of an epoch time. */
export function rfc3339(at: number | undefined): string | undefined {
  return at === undefined ? undefined : new Date(at).toISOString();
}

function hasValue(value: unknown): boolean {
  if (typeof value === "object" && value !== null) return Object.keys(value).length > 0;
  return value !== undefined && value !== null && value !== "";
}

function textOf(value: unknown): string | undefined {
  if (typeof value === "string") return value;
  return typeof value === "number" || typeof value === "boolean" ? String(value) : undefined;
}

function countOf(value: unknown): number | undefined {
  const text = textOf(value)?.trim() ?? "";
  const digits = /^\d{1,3}(?:,\d{3})+$/.test(text) ? text.replaceAll(",", "") : text;
  const count = /^\d+$/.test(digits) ? Number(digits) : Number.NaN;
  return Number.isSafeInteger(count) ? count : undefined;
}

/** Yes or no, as spreadsheets and services write it. */
export function flagOf(value: unknown): boolean | undefined {
  const text = textOf(value)?.trim().toLowerCase() ?? "";
  if (["true", "1", "yes"].includes(text)) return true;
  return ["false", "0", "no"].includes(text) ? false : undefined;
}

/** Texts: a JSON list, also as text, or text with commas between. */
export function listOf(value: unknown): readonly string[] | undefined {
  if (Array.isArray(value)) {
    const texts = value.map((item) => textOf(item));
    return texts.every((text) => text !== undefined) ? texts : undefined;
  }
  const text = textOf(value);
  if (text === undefined) return undefined;
  if (text.startsWith("[")) {
    try {
      const parsed: unknown = JSON.parse(text);
      if (Array.isArray(parsed)) return listOf(parsed);
    } catch {
      // A tag that begins with a bracket.
    }
  }
  return text
    .split(",")
    .map((item) => item.trim())
    .filter((item) => item !== "");
}

function shown(value: unknown): string {
  return `“${cutTo(textOf(value) ?? JSON.stringify(value) ?? "")}”`;
}

/** The first of many, as text: a note stands in the report of each row. */
export function firstOf(texts: readonly string[]): string {
  const more = texts.length - SHOWN_TEXTS;
  return texts.slice(0, SHOWN_TEXTS).map(cutTo).join(", ") + (more > 0 ? ` and ${more} more` : "");
}

function cutTo(text: string): string {
  return text.length > SHOWN_CHARACTERS ? `${text.slice(0, SHOWN_CHARACTERS).toWellFormed()}…` : text;
}
