/**
 * Asks the sequencers for ids: the one that this place prefers, then the others.
 *
 * @module
 */
import { BackendDown } from "../../shared/backend-down.ts";
import type { LocationHint } from "../../shared/location-hint.ts";
import type { Run } from "../../shared/sequence.ts";
import type { LayoutName } from "../../shared/snowflake.ts";
import { within } from "../backends/deadline.ts";
import type { Place } from "../http/context.ts";
import { log } from "../telemetry/log.ts";
import type { SequenceName, Sequencer, SequencerAnswer, SequencerStatus } from "./object.ts";
import { hintOf, preferenceOf } from "./preference.ts";

/**
 * The next `count` ids (1 to 4,096) in rising runs, never given before. `now` is epoch milliseconds. Rejects with `BackendDown` when no
 * sequencer gives any.
 */
export type NextIds = (count: number, place: Place, now: number) => Promise<readonly Run[]>;

/** Which sequencers there are. */
export interface Fleet {
  readonly namespace: DurableObjectNamespace<Sequencer>;
  readonly layout: LayoutName;
  /** Machine ids 0 to this minus one. */
  readonly shards: number;
  /** Where to put them, dealt out in turn; empty leaves it to Cloudflare. */
  readonly hints: readonly LocationHint[];
  /** Whether ids that begin with this one can be used: a clock that leapt ahead gives ids that nobody would believe. */
  readonly isUsable: (first: bigint, now: number) => boolean;
}

/** A sequencer in another part of the world answers within a few hundred milliseconds. */
const LIMIT_MS = 2000;
/** How many are asked before the caller is told to come back. */
const MAX_ATTEMPTS = 8;
/** For how long one that failed is asked last. */
const AVOIDED_MS = 5000;

/** Builds the client. */
export function createNextIds(fleet: Fleet): NextIds {
  const avoidedUntil = new Map<number, number>();
  return async (count, place, now) => {
    const isAvoided = (machine: number): boolean => (avoidedUntil.get(machine) ?? 0) > now;
    const order = preferenceOf(place, fleet.shards, fleet.hints);
    order.sort((a, b) => Number(isAvoided(a)) - Number(isAvoided(b)));

    let cause: unknown;
    let waitMs = Infinity;
    for (const [attempt, machine] of order.slice(0, MAX_ATTEMPTS).entries()) {
      try {
        const answer = await within("sequencer", LIMIT_MS, ask(fleet, machine, count, attempt > 0));
        const first = answer.kind === "issued" ? answer.runs[0]?.first : undefined;
        if (answer.kind === "issued" && first !== undefined && fleet.isUsable(first, now)) return answer.runs;
        cause = new Error(`machine ${machine} ${explain(answer)}`);
        if (answer.kind === "refused") waitMs = Math.min(waitMs, answer.waitMs ?? Infinity);
      } catch (error) {
        cause = error;
      }
      avoidedUntil.set(machine, now + AVOIDED_MS);
      log("warn", "sequencer_failed", { machine }, cause);
    }
    throw new BackendDown("sequencer", cause, Number.isFinite(waitMs) ? Math.ceil(waitMs / 1000) : undefined);
  };
}

/** What every sequencer has counted; one that cannot be asked is left out. */
export async function readStatus(fleet: Fleet): Promise<SequencerStatus[]> {
  const asked = Array.from({ length: fleet.shards }, async (_, machine) => {
    try {
      const name: SequenceName = { layout: fleet.layout, machine };
      return [await within("sequencer", LIMIT_MS, statusOf(fleet, name))];
    } catch (error) {
      log("warn", "sequencer_failed", { machine }, error);
      return [];
    }
  });
  return (await Promise.all(asked)).flat();
}

/** Rejects with `BackendDown` when no sequencer can be asked. */
export async function requireOne(fleet: Fleet): Promise<void> {
  if ((await readStatus(fleet)).length === 0) throw new BackendDown("sequencer", new Error("none of them answers"));
}

async function ask(fleet: Fleet, machine: number, count: number, isFailover: boolean): Promise<SequencerAnswer> {
  const name: SequenceName = { layout: fleet.layout, machine };
  return await stubOf(fleet, name).next(name, count, isFailover);
}

async function statusOf(fleet: Fleet, name: SequenceName): Promise<SequencerStatus> {
  return await stubOf(fleet, name).status(name);
}

/** The hint counts only when the object is first made. */
function stubOf({ namespace, hints }: Fleet, { layout, machine }: SequenceName): DurableObjectStub<Sequencer> {
  const hint = hintOf(machine, hints);
  const id = namespace.idFromName(`${layout}-${machine}`);
  return hint === undefined ? namespace.get(id) : namespace.get(id, { locationHint: hint });
}

function explain(answer: SequencerAnswer): string {
  return answer.kind === "issued"
    ? "gave ids of a time to come"
    : `refused: ${answer.reason}, the clock is ${answer.driftMs} ms behind`;
}
