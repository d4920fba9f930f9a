/**
 * The shared cache: one Redis for all data centres. What it holds counts as vouched for when it is read, since every
 * change is written to it; entries live an hour at most all the same.
 *
 * @module
 */
import { type CodeKey, decodeEntry, encodeEntry, type Entry, vouched } from "../../../shared/entry.ts";
import type { RedisClient } from "../../backends/redis.ts";
import { log } from "../../telemetry/log.ts";
import { KEEP_UNLESS_OLDER } from "../scripts.ts";
import { PASS, type Tier } from "../tier.ts";

const PRESENT_SECONDS = 60 * 60;
/** A code that never existed is forgotten soon, so that its creation elsewhere is seen. */
const ABSENT_SECONDS = 10;

/** The tier, and the write that a change makes, which must tell whether it came through. */
export interface RedisTier extends Tier {
  fill(key: CodeKey, entry: Entry): Promise<void>;
}

/** Builds the tier. `client` is asked for when first needed and may reject like any of its commands. */
export function createRedisTier(client: () => Promise<RedisClient>, prefix: string): RedisTier {
  const keyOf = ({ domain, code }: CodeKey): string => `${prefix}entry:${domain}/${code}`;
  return {
    name: "redis",
    async lookup(key, now) {
      try {
        const text = await (await client()).get(keyOf(key));
        if (text === null) return PASS;
        const entry = decodeEntry(text);
        if (entry !== undefined) return { kind: "entry", entry: vouched(entry, now) };
        log("warn", "broken_entry", { tier: "redis" });
        return PASS;
      } catch (cause) {
        return { kind: "down", cause };
      }
    },
    async fill(key, entry) {
      const seconds = lifetimeSeconds(entry);
      await (await client()).evaluate(KEEP_UNLESS_OLDER, [keyOf(key)], [encodeEntry(entry), String(seconds)]);
    },
  };
}

/** A tombstone must outlive every reader that read the row before its deletion. */
function lifetimeSeconds(entry: Entry): number {
  return entry.kind === "present" || entry.tombstone ? PRESENT_SECONDS : ABSENT_SECONDS;
}
