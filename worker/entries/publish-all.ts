/**
 * Makes many new links seen at once, in few requests. Only what may have been looked for in vain before needs it: a code that was
 * generated a moment ago has never been anybody's, and is read from Postgres when it is first asked for.
 *
 * The data centre's own cache takes one entry at a time, so it is left alone: what it holds of a code that did not exist is believed for ten
 * seconds at most.
 *
 * @module
 */
import type { Change } from "../../shared/change.ts";
import { partsOf } from "../../shared/parts.ts";
import { log } from "../telemetry/log.ts";
import type { NearTier } from "./tier.ts";
import type { Published, RedisTier } from "./tiers/redis.ts";

/** Publishes the entries of rows that were just made. Never rejects: the rows stand. */
export type PublishAll = (published: readonly Published[]) => Promise<void>;

/** Where they are published. */
export interface PublishAllParts {
  readonly memory: NearTier;
  readonly redis: Pick<RedisTier, "fillAll">;
  /** Hands changes to the queue, in as few requests as it takes. */
  readonly enqueueAll: (changes: readonly Change[]) => Promise<void>;
}

/** Well below Upstash's smallest limit for a request, 1 MB. */
const PART = { items: 1000, size: 500_000 };
/** What an entry and its key have beside their URLs, which are ASCII: an id, times, a code and a domain. */
const ENTRY_OVERHEAD_BYTES = 600;

/** Builds the publisher. */
export function createPublishAll({ memory, redis, enqueueAll }: PublishAllParts): PublishAll {
  return async (published) => {
    for (const { key, entry } of published) memory.fill?.(key, entry);
    const parts = partsOf(published, sizeOf, PART);
    for (const [index, part] of parts.entries()) {
      try {
        await redis.fillAll(part);
      } catch (error) {
        log("warn", "publish_failed", { tier: "redis", entries: part.length }, error);
        await leave(parts.slice(index).flat(), enqueueAll);
        return;
      }
    }
  };
}

function sizeOf({ entry }: Published): number {
  return ENTRY_OVERHEAD_BYTES + entry.longUrl.length + (entry.expiredUrl?.length ?? 0);
}

/** What Redis does not take now reaches it through the queue. */
async function leave(published: readonly Published[], enqueueAll: PublishAllParts["enqueueAll"]): Promise<void> {
  try {
    await enqueueAll(published.map(({ key, entry }) => ({ key, entry, redis: true, purge: false })));
  } catch (error) {
    log("error", "change_not_published", { redis: true, purge: false, entries: published.length }, error);
  }
}
