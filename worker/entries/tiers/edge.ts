/**
 * The second tier: the data centre's cache, shared by its isolates.
 *
 * @module
 */
import { type CodeKey, decodeEntry, encodeEntry, type Entry } from "../../../shared/entry.ts";
import type { EdgeCache } from "../../backends/edge-cache.ts";
import { within } from "../../backends/deadline.ts";
import { log } from "../../telemetry/log.ts";
import { PASS, type Tier } from "../tier.ts";

/** A cache in the same building that takes longer than this is of no use. */
const LIMIT_MS = 200;
/** Stale entries are kept a day, for when everything below is down. */
const KEPT_SECONDS = 24 * 60 * 60;

/** The tier, and the tag by which a purge names an entry. */
export interface EdgeTier extends Tier {
  readonly tagOf: (key: CodeKey) => string;
}

/** Builds the tier over a cache of text. Another `epoch` is another, empty cache. */
export function createEdgeTier(cache: EdgeCache, epoch: string): EdgeTier {
  // On the link's own host, under a path that no visitor's request reaches the cache with.
  const addressOf = ({ domain, code }: CodeKey): string =>
    `https://${domain}/.well-known/hop/entry${epoch}/${encodeURIComponent(code)}`;
  const read = async (key: CodeKey): Promise<Entry | undefined> => {
    const text = await within("edge", LIMIT_MS, cache.read(addressOf(key)));
    if (text === null) return undefined;
    const entry = decodeEntry(text);
    if (entry === undefined) log("warn", "broken_entry", { tier: "edge" });
    return entry;
  };
  return {
    name: "edge",
    tagOf,
    async lookup(key) {
      try {
        const entry = await read(key);
        return entry === undefined ? PASS : { kind: "entry", entry };
      } catch (cause) {
        return { kind: "down", cause };
      }
    },
    async fill(key, entry) {
      const known = await read(key);
      if (known !== undefined && known.version > entry.version) return;
      await cache.write(addressOf(key), encodeEntry(entry), KEPT_SECONDS, tagOf(key));
    },
  };
}

/** What a world-wide purge of this entry would name; a tag is printable ASCII without spaces. */
function tagOf({ domain, code }: CodeKey): string {
  return `hop:${domain}/${encodeURIComponent(code)}`;
}
