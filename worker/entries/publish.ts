/**
 * Makes a change seen: after the row is committed, its new entry (or tombstone) replaces what caches hold. What cannot be
 * reached now is put into the queue, which tries until it holds.
 *
 * @module
 */
import type { Change } from "../../shared/change.ts";
import type { CodeKey, Entry } from "../../shared/entry.ts";
import { log } from "../telemetry/log.ts";
import type { Tier } from "./tier.ts";

/** Writes the entry of a row that was just changed to every tier that keeps entries. Never rejects: the row stands. */
export type Publish = (key: CodeKey, entry: Entry) => Promise<void>;

/** Where entries are published. Each compares versions, so a late write of an older row loses. */
export interface PublishParts {
  /** The caches of this place. */
  readonly near: readonly Tier[];
  /** The cache that all places share. */
  readonly redis: Tier;
  /** Hands a change to the queue. */
  readonly enqueue: (change: Change) => Promise<void>;
  /** Whether the other places' caches can be purged. */
  readonly canPurge: boolean;
}

/** Builds the publisher. */
export function createPublish({ near, redis, enqueue, canPurge }: PublishParts): Publish {
  return async (key, entry) => {
    const [isInRedis] = await Promise.all([keep(redis, key, entry), ...near.map((tier) => keep(tier, key, entry))]);
    if (isInRedis && !canPurge) return;
    try {
      await enqueue({ key, entry, redis: !isInRedis, purge: canPurge });
    } catch (error) {
      // Redis forgets what it has within the hour, and other places within the freshness budget after that.
      log("error", "change_not_published", { redis: !isInRedis, purge: canPurge }, error);
    }
  };
}

async function keep(tier: Tier, key: CodeKey, entry: Entry): Promise<boolean> {
  try {
    await tier.fill?.(key, entry);
    return true;
  } catch (error) {
    log("warn", "publish_failed", { tier: tier.name }, error);
    return false;
  }
}
