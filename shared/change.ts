/**
 * A change that has still to be made seen somewhere, as it travels through the queue: it holds the entry itself, so
 * whoever delivers it needs no other store, and its version keeps a late delivery from undoing a newer change.
 *
 * @module
 */
import { type CodeKey, decodeEntry, encodeEntry, type Entry } from "./entry.ts";
import { isRecord, parseJson } from "./json.ts";

/** One entry that must reach Redis, the world's edge caches, or both. */
export interface Change {
  readonly key: CodeKey;
  readonly entry: Entry;
  /** Redis did not take it. */
  readonly redis: boolean;
  /** Other data centres may hold an older one. */
  readonly purge: boolean;
}

/** Goes up when the form of a message changes. */
const FORMAT = 1;

/** The text of a message. */
export function packChange({ key, entry, redis, purge }: Change): string {
  return JSON.stringify({ v: FORMAT, change: { ...key, entry: encodeEntry(entry), redis, purge } });
}

/** What a message holds, or undefined when it is no change. */
export function unpackChange(body: unknown): Change | undefined {
  const message = typeof body === "string" ? parseJson(body) : undefined;
  if (!isRecord(message) || message["v"] !== FORMAT || !isRecord(message["change"])) return undefined;
  const { domain, code, entry: text, redis, purge } = message["change"];
  if (typeof domain !== "string" || typeof code !== "string" || typeof text !== "string") return undefined;
  const entry = decodeEntry(text);
  return entry === undefined
    ? undefined
    : { key: { domain, code }, entry, redis: redis === true, purge: purge === true };
}
