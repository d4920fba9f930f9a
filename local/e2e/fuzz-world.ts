/**
 * What a fuzzer knows of the service that it asks: names that answers told it, each kind bounded.
 *
 * @module
 */
import { isRecord, parseJson } from "../../shared/json.ts";
import type { Dice } from "../../shared/testing/dice.ts";

/** How many names of a kind are remembered; the oldest is forgotten first. */
const REMEMBERED = 500;

/** Kinds of names; a link's is its domain and code, with a slash between. */
export type Kind = "link" | "cursor" | "etag" | "key" | "webhook" | "delivery" | "apiKeyId";

/** Names by their kind. */
export interface World {
  /** One of a kind, or undefined while none is known. */
  readonly some: (kind: Kind, dice: Dice) => string | undefined;
  /** Takes what an answer tells. `path` is that of its request. */
  readonly learn: (path: string, etag: string | undefined, text: string) => void;
}

/** A world of which nothing is known yet. */
export function createWorld(): World {
  const names = new Map<Kind, string[]>();
  const note = (kind: Kind, value: unknown): void => {
    if (typeof value !== "string") return;
    const list = names.get(kind) ?? [];
    names.set(kind, list);
    list.push(value);
    if (list.length > REMEMBERED) list.shift();
  };
  const learnFrom = (path: string, value: unknown, depth: number): void => {
    if (depth > 4) return;
    if (Array.isArray(value)) for (const item of value) learnFrom(path, item, depth + 1);
    if (!isRecord(value)) return;
    if (typeof value["shortCode"] === "string") note("link", `${String(value["domain"])}/${value["shortCode"]}`);
    note("cursor", value["nextCursor"]);
    note("key", value["key"]);
    if (path.startsWith("/api/v1/keys")) note("apiKeyId", value["id"]);
    if (path.startsWith("/api/v1/webhooks")) note(path.includes("/deliveries") ? "delivery" : "webhook", value["id"]);
    for (const item of Object.values(value)) if (typeof item === "object") learnFrom(path, item, depth + 1);
  };
  return {
    some(kind, dice) {
      const list = names.get(kind) ?? [];
      return list[dice.below(list.length)];
    },
    learn(path, etag, text) {
      note("etag", etag);
      if (text.startsWith("{")) learnFrom(path, parseJson(text), 0);
    },
  };
}
