/**
 * Makes a change seen: after the row is committed, its new entry (or tombstone) replaces what caches hold.
 *
 * @module
 */
import type { CodeKey, Entry } from "../../shared/entry.ts";
import { log } from "../telemetry/log.ts";
import type { Tier } from "./tier.ts";

/** Writes the entry of a row that was just changed to every tier that keeps entries. Never throws: the row stands. */
export type Publish = (key: CodeKey, entry: Entry) => Promise<void>;

/** A first failure is often a passing one. */
const ATTEMPTS = 2;

/** Builds the publisher over the tiers that keep entries. Each compares versions, so a late write of an older row loses. */
export function createPublish(tiers: readonly Tier[]): Publish {
  return async (key, entry) => {
    await Promise.all(tiers.map((tier) => keep(tier, key, entry)));
  };
}

async function keep(tier: Tier, key: CodeKey, entry: Entry): Promise<void> {
  for (let attempt = 1; attempt <= ATTEMPTS; attempt += 1) {
    try {
      await tier.fill?.(key, entry);
      return;
    } catch (error) {
      log(attempt < ATTEMPTS ? "warn" : "error", "publish_failed", { tier: tier.name, attempt }, error);
    }
  }
}
