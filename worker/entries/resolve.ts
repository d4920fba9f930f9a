/**
 * Walks the tiers from the nearest to the last. The first fresh entry wins and fills the tiers above it; a stale one
 * is served only when everything below knows nothing or is down.
 *
 * @module
 */
import type { CodeKey, Entry } from "../../shared/entry.ts";
import type { WaitUntil } from "../http/context.ts";
import type { Join } from "./flight.ts";
import { count, type Counter, counterOf } from "../telemetry/counters.ts";
import { log } from "../telemetry/log.ts";
import type { Answer, NearTier, Tier, TierName } from "./tier.ts";

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

/**
 * Looks a code up: at once, when a tier that answers at once can tell. `waitUntil` takes the filling, which the visitor does not
 * wait for. Never throws.
 */
export type Resolve = (key: CodeKey, now: number, waitUntil: WaitUntil) => Resolution | Promise<Resolution>;

/** What a look-up is made of. */
export interface ResolveParts {
  /** The tiers that answer at once, nearest first: most look-ups end there, and cost no promise. */
  readonly near: readonly NearTier[];
  /** The others, nearest first. */
  readonly below: readonly Tier[];
  readonly freshness: Freshness;
  /** Numbers from 0 to 1. */
  readonly dice: () => number;
  /** Lets those that ask for one code at once share one look-up. */
  readonly join: Join<Resolution>;
  /** Waits until the answer has left: what begins in the turn in which an answer is made still holds it up. */
  readonly answerFirst: () => Promise<void>;
}

/** Builds the look-up. */
export function createResolve(parts: ResolveParts): Resolve {
  const tiers = [...parts.near, ...parts.below];
  return (key, now, waitUntil) => {
    const walk: Walk = { parts, tiers, key, now, waitUntil, spare: undefined };
    let above = 0;
    for (const tier of parts.near) {
      const resolution = weigh(walk, tier.name, above, tier.lookup(key, now));
      if (resolution !== undefined) return resolution;
      above += 1;
    }
    return parts.join(`${key.domain}/${key.code}`, now, () => walkBelow(walk));
  };
}

/** A look-up under way. */
interface Walk {
  readonly parts: ResolveParts;
  readonly tiers: readonly Tier[];
  readonly key: CodeKey;
  readonly now: number;
  readonly waitUntil: WaitUntil;
  /** The newest of what was found and is not fresh: served when nothing below can tell. */
  spare: { readonly entry: Entry; readonly tier: TierName } | undefined;
}

async function walkBelow(walk: Walk): Promise<Resolution> {
  let above = walk.parts.near.length;
  for (const tier of walk.parts.below) {
    const resolution = weigh(walk, tier.name, above, await tier.lookup(walk.key, walk.now));
    if (resolution !== undefined) return resolution;
    above += 1;
  }
  return walk.spare === undefined ? { kind: "unavailable" } : staleAnswer(walk.spare);
}

function staleAnswer(spare: NonNullable<Walk["spare"]>): Resolution {
  count("stale_answers");
  return { kind: "found", ...spare, stale: true };
}

/** What the answer of one tier settles, which has so many `above` it; undefined: the next one is to be asked. */
function weigh(walk: Walk, name: TierName, above: number, answer: Answer): Resolution | undefined {
  switch (answer.kind) {
    case "pass":
      LOOKUPS[name].pass.value += 1;
      return undefined;
    case "refuse":
      LOOKUPS[name].refused.value += 1;
      return walk.spare === undefined ? REFUSED : staleAnswer(walk.spare);
    case "down":
      LOOKUPS[name].down.value += 1;
      log("warn", "tier_down", { tier: name }, answer.cause);
      return undefined;
    case "entry": {
      const { entry } = answer;
      if (answer.isSpare !== true && isFresh(entry, walk.now, walk.parts)) {
        LOOKUPS[name].hit.value += 1;
        if (above > 0) fillAbove(walk, above, entry);
        return { kind: "found", entry, tier: name, stale: false };
      }
      LOOKUPS[name].stale.value += 1;
      if (walk.spare === undefined || entry.version > walk.spare.entry.version) walk.spare = { entry, tier: name };
      return undefined;
    }
  }
}

/** What a tier said to look-ups; `stale`: it knew an entry, but no fresh one. */
type LookupCounters = Readonly<Record<"hit" | "stale" | "pass" | "refused" | "down", Counter>>;

const LOOKUPS: Readonly<Record<TierName, LookupCounters>> = {
  memory: lookupsOf("memory"),
  guard: lookupsOf("guard"),
  edge: lookupsOf("edge"),
  redis: lookupsOf("redis"),
  postgres: lookupsOf("postgres"),
};

function lookupsOf(tier: TierName): LookupCounters {
  const of = (outcome: keyof LookupCounters): Counter => counterOf(`lookups:${tier}:${outcome}`);
  return { hit: of("hit"), stale: of("stale"), pass: of("pass"), refused: of("refused"), down: of("down") };
}

const REFUSED: Resolution = { kind: "refused" };

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

/** Fills what answers at once now, and the others when the visitor has left. */
function fillAbove({ parts, tiers, key, waitUntil }: Walk, above: number, entry: Entry): void {
  for (const tier of parts.near) tier.fill?.(key, entry);
  const slow = tiers.slice(parts.near.length, above);
  if (slow.length > 0) waitUntil(fillAll(parts, slow, key, entry));
}

/** A tier that cannot be filled costs its next look-up, nothing else. */
async function fillAll(
  { answerFirst }: ResolveParts,
  tiers: readonly Tier[],
  key: CodeKey,
  entry: Entry,
): Promise<void> {
  await answerFirst();
  const fills = tiers.map(async (tier) => {
    try {
      await tier.fill?.(key, entry);
    } catch (error) {
      log("warn", "fill_failed", { tier: tier.name }, error);
    }
  });
  await Promise.all(fills);
}
