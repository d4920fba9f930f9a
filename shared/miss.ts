/**
 * Requests for codes that do not exist, counted, and how they travel.
 *
 * @module
 */
import type { CodeKey } from "./entry.ts";
import { isRecord, parseJson } from "./json.ts";

/** How often one code was missed. */
export interface Miss {
  readonly key: CodeKey;
  readonly misses: number;
  /** The last time, in epoch milliseconds. */
  readonly lastAt: number;
}

/** Stands for the codes that are not kept apart. No link has it: a code has a character at least. */
export const OTHER_CODES: CodeKey = { domain: "", code: "" };

/** Goes up when the form of a message changes. */
const FORMAT = 1;

/** The text of a message. */
export function packMisses(misses: readonly Miss[]): string {
  return JSON.stringify({ v: FORMAT, misses: misses.map(({ key, misses: n, lastAt }) => ({ ...key, n, lastAt })) });
}

/** What a message holds, or undefined when it tells of no misses. */
export function unpackMisses(body: unknown): readonly Miss[] | undefined {
  const message = typeof body === "string" ? parseJson(body) : undefined;
  if (!isRecord(message) || message["v"] !== FORMAT || !Array.isArray(message["misses"])) return undefined;
  const items: readonly unknown[] = message["misses"];
  return items.flatMap((item) => readMiss(item) ?? []);
}

function readMiss(item: unknown): Miss | undefined {
  if (!isRecord(item)) return undefined;
  const { domain, code, n, lastAt } = item;
  if (!isStorable(domain) || !isStorable(code)) return undefined;
  if (!isCount(n) || !isCount(lastAt) || new Date(lastAt).getUTCFullYear() > 9999) return undefined;
  return { key: { domain, code }, misses: n, lastAt };
}

/** Postgres takes neither NUL nor half a surrogate pair. */
function isStorable(text: unknown): text is string {
  return typeof text === "string" && text.isWellFormed() && !text.includes("\u0000");
}

function isCount(value: unknown): value is number {
  return typeof value === "number" && Number.isSafeInteger(value) && value > 0 && value < 1e14;
}
