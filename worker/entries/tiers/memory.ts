/**
 * The first tier: this isolate's memory. Costs a map look-up. Bounded in entries and in bytes; entries of codes that
 * do not exist live in a small space of their own, so that a flood of them pushes no link out.
 *
 * @module
 */
import { LRUCache } from "lru-cache";
import type { CodeKey, Entry } from "../../../shared/entry.ts";
import type { Rule } from "../../../shared/rules.ts";
import { type NearTier, PASS } from "../tier.ts";

/** The most that each space may hold. */
export interface MemoryBounds {
  readonly presentEntries: number;
  readonly presentBytes: number;
  readonly absentEntries: number;
}

/** An isolate has 128 MB for everything; the entries take an eighth of it at most. */
export const MEMORY_BOUNDS: MemoryBounds = {
  presentEntries: 50_000,
  presentBytes: 16 * 1024 * 1024,
  absentEntries: 2_000,
};

/** What an entry costs beside its texts: the object, the list node and the map slot, estimated on V8. */
const ENTRY_OVERHEAD_BYTES = 300;

/** What rules take beside their JSON: a short rule is a few small objects. */
const RULE_OVERHEAD = 2;

/** The tier. */
export interface MemoryTier extends NearTier {
  fill(key: CodeKey, entry: Entry): void;
}

/**
 * How long an isolate serves what it has without a look at the data centre's cache. No other isolate and no purge can reach this
 * memory, so this is how soon a change made elsewhere in the data centre, or a purge, is seen.
 */
export const MEMORY_KEPT_MS = 5000;

interface Kept {
  readonly entry: Entry;
  readonly filledAt: number;
}

/** Builds the tier. `clock` gives epoch milliseconds. Whether an entry is still fresh is not its business. */
export function createMemoryTier(clock: () => number, bounds: MemoryBounds = MEMORY_BOUNDS): MemoryTier {
  const present = new LRUCache<string, Kept>({
    max: bounds.presentEntries,
    maxSize: bounds.presentBytes,
    sizeCalculation: sizeOf,
  });
  const absent = new LRUCache<string, Kept>({ max: bounds.absentEntries });
  return {
    name: "memory",
    lookup({ domain, code }, now) {
      const key = `${domain}/${code}`;
      const kept = present.get(key) ?? absent.get(key);
      if (kept === undefined) return PASS;
      return { kind: "entry", entry: kept.entry, isSpare: now - kept.filledAt >= MEMORY_KEPT_MS };
    },
    fill({ domain, code }, entry) {
      const key = `${domain}/${code}`;
      const known = present.peek(key) ?? absent.peek(key);
      if (known !== undefined && !replaces(entry, known.entry)) return;
      const [into, from] = entry.kind === "present" ? [present, absent] : [absent, present];
      from.delete(key);
      // A copy: whoever filled it may go on to change theirs.
      into.set(key, { entry: { ...entry }, filledAt: clock() });
    },
  };
}

/** Newer, or the same row vouched for more recently. */
function replaces(entry: Entry, known: Entry): boolean {
  return entry.version > known.version || (entry.version === known.version && entry.vouchedAt >= known.vouchedAt);
}

/** As JSON, whose punctuation stands for the objects and lists. */
function sizeOfRules(rules: readonly Rule[]): number {
  return rules.length === 0 ? 0 : RULE_OVERHEAD * JSON.stringify(rules).length;
}

/** Bytes, a UTF-16 string counted at its worst. */
function sizeOf({ entry }: Kept, key: string): number {
  const texts =
    entry.kind === "present"
      ? entry.longUrl.length +
        (entry.expiredUrl?.length ?? 0) +
        (entry.passwordHash?.length ?? 0) +
        sizeOfRules(entry.rules)
      : 0;
  return ENTRY_OVERHEAD_BYTES + 2 * (key.length + texts);
}
