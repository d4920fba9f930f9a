/**
 * The Durable Object that owns one machine id's sequence. It only persists and serves; the rules are in
 * `shared/sequence.ts`.
 *
 * @module
 */
import { DurableObject } from "cloudflare:workers";
import {
  createSequence,
  type Mark,
  type RefusalReason,
  type Run,
  type Sequence,
  type SequenceState,
} from "../../shared/sequence.ts";
import { LAYOUTS } from "../../shared/snowflake.ts";

/** What a call is answered. `runs` hold consecutive ids, rising. */
export type SequencerAnswer =
  | { readonly kind: "issued"; readonly runs: readonly Run[] }
  | {
      readonly kind: "refused";
      readonly reason: RefusalReason;
      readonly driftMs: number;
      readonly waitMs: number | null;
    };

/** What stands in storage under {@link STORED}. */
interface Stored extends Mark {
  /** The machine id that this object serves: it never serves another. */
  readonly machine: number;
}

const STORED = "sequence";

/** One machine id's sequence, durable before its ids leave: the output gate holds an answer until what was written is safe. */
export class Sequencer extends DurableObject<Env> {
  #running: { readonly machine: number; readonly sequence: Sequence; state: SequenceState } | undefined;

  /** Gives out `count` ids of `machine`. Throws RangeError for a count, or a machine id, that this object cannot serve. */
  next(machine: number, count: number): SequencerAnswer {
    const running = this.#start(machine);
    const step = running.sequence.next(running.state, this.now(), count);
    if (step.kind === "refused") {
      return { kind: "refused", reason: step.reason, driftMs: step.driftMs, waitMs: step.waitMs };
    }
    if (step.mark !== undefined) this.#store(machine, running.state.reservedUntil, step.mark);
    running.state = step.state;
    return { kind: "issued", runs: step.runs };
  }

  /** Epoch milliseconds, by this object's clock. */
  protected now(): number {
    return Date.now();
  }

  #start(machine: number) {
    if (this.#running !== undefined && this.#running.machine === machine) return this.#running;
    const stored = this.ctx.storage.kv.get<Stored>(STORED);
    if (stored !== undefined && stored.machine !== machine) {
      throw new RangeError(`This sequencer serves machine id ${stored.machine}, not ${machine}.`);
    }
    const sequence = createSequence(LAYOUTS.classic, machine);
    this.#running = { machine, sequence, state: sequence.start(stored) };
    return this.#running;
  }

  /** Stores a mark in place of the one that this instance stored or started from; anything else there means that it was replaced. */
  #store(machine: number, expected: number, mark: Mark): void {
    const stored = this.ctx.storage.kv.get<Stored>(STORED)?.until ?? 0;
    if (stored !== expected) {
      this.#running = undefined;
      throw new Error(`The mark is at ${stored}, not at ${expected}: another instance has taken over.`);
    }
    const next: Stored = { machine, ...mark };
    this.ctx.storage.kv.put(STORED, next);
  }
}
