/**
 * Walks the tiers from the nearest to the last. The first fresh entry wins and fills the tiers above it; a stale one
 * is served only when everything below knows nothing or is down.
 *
 * @module
 */
import type { CodeKey, Entry } from "../../shared/entry.ts";
import type { WaitUntil } from "../http/context.ts";
import type { Join } from "./flight.ts";
import { log } from "../telemetry/log.ts";
import type { Answer, Tier, TierName } from "./tier.ts";

/** How long an entry may be served after it was vouched for. */
export interface Freshness {
  readonly presentMs: number;
  readonly absentMs: number;
}

/** What came of a look-up. `refused`: no such code can exist. `unavailable`: nothing that could know was reachable. */
export type Resolution =
  | { readonly kind: "found"; readonly entry: Entry; readonly tier: TierName; readonly stale: boolean }
  | { readonly kind: "refused" }
  | { readonly kind: "unavailable" };

/** Looks a code up. `waitUntil` takes the filling, which the visitor does not wait for. Never throws. */
export type Resolve = (key: CodeKey, now: number, waitUntil: WaitUntil) => Promise<Resolution>;

/** A tier that answers at once. */
export interface NearestTier extends Tier {
  lookup(key: CodeKey, now: number): Answer;
}

/** What a look-up is made of. */
export interface ResolveParts {
  readonly memory: NearestTier;
  /** The others, nearest first. */
  readonly below: readonly Tier[];
  readonly freshness: Freshness;
  /** Numbers from 0 to 1. */
  readonly dice: () => number;
  /** Lets those that ask for one code at once share one look-up. */
  readonly join: Join<Resolution>;
}

/** Builds the look-up. */
export function createResolve(parts: ResolveParts): Resolve {
  return async (key, now, waitUntil) => {
    const near = parts.memory.lookup(key, now);
    if (near.kind === "entry" && near.isSpare !== true && isFresh(near.entry, now, parts)) {
      return { kind: "found", entry: near.entry, tier: parts.memory.name, stale: false };
    }
    return parts.join(`${key.domain}/${key.code}`, now, () => walk(parts, key, now, waitUntil));
  };
}

async function walk(parts: ResolveParts, key: CodeKey, now: number, waitUntil: WaitUntil): Promise<Resolution> {
  const tiers = [parts.memory, ...parts.below];
  let stale: { readonly entry: Entry; readonly tier: TierName } | undefined;
  for (const [index, tier] of tiers.entries()) {
    const answer = await tier.lookup(key, now);
    if (answer.kind === "refuse") {
      return stale === undefined ? { kind: "refused" } : { kind: "found", ...stale, stale: true };
    }
    if (answer.kind === "down") log("warn", "tier_down", { tier: tier.name }, answer.cause);
    if (answer.kind !== "entry") continue;
    const { entry } = answer;
    if (answer.isSpare !== true && isFresh(entry, now, parts)) {
      if (index > 0) waitUntil(fillAbove(tiers.slice(0, index), key, entry));
      return { kind: "found", entry, tier: tier.name, stale: false };
    }
    if (stale === undefined || entry.version > stale.entry.version) stale = { entry, tier: tier.name };
  }
  return stale === undefined ? { kind: "unavailable" } : { kind: "found", ...stale, stale: true };
}

/**
 * Towards its end an entry is looked up again by chance (Vattani and others, "Optimal Probabilistic Cache Stampede Prevention", 2015):
 * what was vouched for at one moment is not asked for again at one moment.
 */
const JITTER = 0.1;

function isFresh(entry: Entry, now: number, { freshness, dice }: ResolveParts): boolean {
  const limitMs = entry.kind === "present" ? freshness.presentMs : freshness.absentMs;
  const ageMs = now - entry.vouchedAt;
  return ageMs < limitMs * (1 - JITTER) || ageMs < limitMs * (1 - JITTER * dice());
}

/** A tier that cannot be filled costs its next look-up, nothing else. */
async function fillAbove(tiers: readonly Tier[], key: CodeKey, entry: Entry): Promise<void> {
  const fills = tiers.map(async (tier) => {
    try {
      await tier.fill?.(key, entry);
    } catch (error) {
      log("warn", "fill_failed", { tier: tier.name }, error);
    }
  });
  await Promise.all(fills);
}
