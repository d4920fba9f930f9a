/**
 * The shared cache: one Redis for all data centres. What it holds counts as vouched for when it is read, since every
 * change is written to it; entries live an hour at most all the same.
 *
 * @module
 */
import {
  type CodeKey,
  decodeEntry,
  encodeEntry,
  type Entry,
  notFoundAt,
  type PresentEntry,
  vouched,
} from "../../../shared/entry.ts";
import type { RedisClient } from "../../backends/redis.ts";
import { log } from "../../telemetry/log.ts";
import type { Filter } from "../filter.ts";
import { KEEP_ALL_UNLESS_OLDER, KEEP_UNLESS_OLDER } from "../scripts.ts";
import { type Answer, PASS, type Tier } from "../tier.ts";

const PRESENT_SECONDS = 60 * 60;
/** A code that never existed is forgotten soon, so that its creation elsewhere is seen. */
const ABSENT_SECONDS = 10;

/** The tier, and the write that a change makes, which must tell whether it came through. */
export interface RedisTier extends Tier {
  fill(key: CodeKey, entry: Entry): Promise<void>;
  /** Keeps several living entries with one command, each unless a newer one stands there. */
  fillAll(published: readonly Published[]): Promise<void>;
}

/** An entry, and what it is the entry of. */
export interface Published {
  readonly key: CodeKey;
  readonly entry: PresentEntry;
}

/** The codes that a filter knows all of, so that the one command which looks for an entry can also say that there is none. */
export interface FilteredCodes {
  readonly filter: Pick<Filter, "lookup">;
  readonly includes: (code: string) => boolean;
}

/** Builds the tier. `client` is asked for when first needed and may reject like any of its commands. */
export function createRedisTier(
  client: () => Promise<RedisClient>,
  prefix: string,
  filtered?: FilteredCodes,
): RedisTier {
  const keyOf = ({ domain, code }: CodeKey): string => `${prefix}entry:${domain}/${code}`;
  return {
    name: "redis",
    async lookup(key, now) {
      try {
        if (filtered?.includes(key.code) === true) {
          const answer = await filtered.filter.lookup(keyOf(key), key);
          if (answer.kind === "absent") return { kind: "entry", entry: notFoundAt(now) };
          return answer.kind === "pass" ? PASS : read(answer.text, now);
        }
        const text = await (await client()).get(keyOf(key));
        return text === null ? PASS : read(text, now);
      } catch (cause) {
        return { kind: "down", cause };
      }
    },
    async fill(key, entry) {
      const seconds = lifetimeSeconds(entry);
      await (await client()).evaluate(KEEP_UNLESS_OLDER, [keyOf(key)], [encodeEntry(entry), String(seconds)]);
    },
    async fillAll(published) {
      const texts = published.map(({ entry }) => encodeEntry(entry));
      const keys = published.map(({ key }) => keyOf(key));
      await (await client()).evaluate(KEEP_ALL_UNLESS_OLDER, keys, [String(PRESENT_SECONDS), ...texts]);
    },
  };
}

function read(text: string, now: number): Answer {
  const entry = decodeEntry(text);
  if (entry !== undefined) return { kind: "entry", entry: vouched(entry, now) };
  log("warn", "broken_entry", { tier: "redis" });
  return PASS;
}

/** A tombstone must outlive every reader that read the row before its deletion. */
function lifetimeSeconds(entry: Entry): number {
  return entry.kind === "present" || entry.tombstone ? PRESENT_SECONDS : ABSENT_SECONDS;
}
