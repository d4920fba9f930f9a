/**
 * Asks the sequencers for ids: the one that this place prefers, then the others.
 *
 * @module
 */
import type { Run } from "../../shared/sequence.ts";
import { BackendDown } from "../../shared/backend-down.ts";
import { within } from "../backends/deadline.ts";
import { log } from "../telemetry/log.ts";
import type { Sequencer, SequencerAnswer } from "./object.ts";

/** The next `count` ids (1 to 4,096) in rising runs, never given before. Rejects with `BackendDown` when no sequencer gives any. */
export type NextIds = (count: number) => Promise<readonly Run[]>;

/** A sequencer in another part of the world answers within a few hundred milliseconds. */
const LIMIT_MS = 2000;
/** How many are asked before the caller is told to come back. */
const MAX_ATTEMPTS = 3;

/** Builds the client over the machine ids 0 to `shards` − 1. `choose` gives a number from 0 to 1: where to begin. */
export function createNextIds(
  namespace: DurableObjectNamespace<Sequencer>,
  shards: number,
  choose: () => number,
): NextIds {
  return async (count) => {
    const first = Math.floor(choose() * shards);
    let cause: unknown;
    for (let attempt = 0; attempt < Math.min(MAX_ATTEMPTS, shards); attempt += 1) {
      const machine = (first + attempt) % shards;
      try {
        const answer = await within("sequencer", LIMIT_MS, ask(namespace, machine, count));
        if (answer.kind === "issued") return answer.runs;
        cause = new Error(`machine ${machine} refused: ${answer.reason}, ${answer.driftMs} ms`);
      } catch (error) {
        cause = error;
      }
      log("warn", "sequencer_failed", { machine }, cause);
    }
    throw new BackendDown("sequencer", cause);
  };
}

async function ask(
  namespace: DurableObjectNamespace<Sequencer>,
  machine: number,
  count: number,
): Promise<SequencerAnswer> {
  return await namespace.get(namespace.idFromName(`machine-${machine}`)).next(machine, count);
}
