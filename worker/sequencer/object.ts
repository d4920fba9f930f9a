/**
 * The Durable Object that owns the sequence of one machine id in one layout. It only persists and serves; the rules are in
 * `shared/sequence.ts`.
 *
 * @module
 */
import { DurableObject } from "cloudflare:workers";
import {
  createSequence,
  type Mark,
  type RefusalReason,
  ROLLBACK_TOLERANCE_MS,
  type Run,
  type Sequence,
  type SequenceState,
} from "../../shared/sequence.ts";
import { type LayoutName, LAYOUTS } from "../../shared/snowflake.ts";

/** Which sequence is meant. An object serves one for ever. */
export interface SequenceName {
  readonly layout: LayoutName;
  readonly machine: number;
}

/** What a call is answered. `runs` hold consecutive ids, rising. */
export type SequencerAnswer =
  | { readonly kind: "issued"; readonly runs: readonly Run[] }
  | {
      readonly kind: "refused";
      readonly reason: RefusalReason;
      readonly driftMs: number;
      readonly waitMs: number | null;
    };

/** What has happened since the object was made. Kept with the mark, so a crash may take the last fraction of a second. */
export interface SequencerCounts {
  readonly issued: number;
  /** How often the clock was found behind an earlier reading. */
  readonly rollbacks: number;
  readonly maxDriftMs: number;
  /** Ids given out of the reserve while the clock was too far behind. */
  readonly fromReserve: number;
  readonly refused: number;
  /** Calls that came because another machine had failed. */
  readonly failovers: number;
}

/** The name and the counts of one sequencer. */
export interface SequencerStatus extends SequenceName {
  readonly counts: SequencerCounts;
}

interface Stored extends SequenceName {
  readonly mark: Mark;
  readonly counts: SequencerCounts;
}

interface Running {
  readonly name: SequenceName;
  readonly sequence: Sequence;
  state: SequenceState;
  counts: SequencerCounts;
  isBehind: boolean;
}

const STORED = "sequence";
const NO_COUNTS: SequencerCounts = { issued: 0, rollbacks: 0, maxDriftMs: 0, fromReserve: 0, refused: 0, failovers: 0 };

/** Ids that are durable before they leave: the output gate holds an answer until what was written is safe. */
export class Sequencer extends DurableObject<Env> {
  #running: Running | undefined;

  /**
   * Gives out `count` ids. `isFailover` says that another machine was asked first. Throws RangeError for a count, a machine id or a
   * sequence that this object cannot serve.
   */
  next(name: SequenceName, count: number, isFailover: boolean): SequencerAnswer {
    const running = this.#start(name);
    const step = running.sequence.next(running.state, Date.now(), count);
    if (step.kind === "issued" && step.mark !== undefined) this.#requireOwnMark(running);
    running.counts = countStep(running, step, count, isFailover);
    running.isBehind = step.driftMs > 0;
    if (step.kind === "refused") {
      return { kind: "refused", reason: step.reason, driftMs: step.driftMs, waitMs: step.waitMs };
    }
    if (step.mark !== undefined) this.#store({ ...name, mark: step.mark, counts: running.counts });
    running.state = step.state;
    return { kind: "issued", runs: step.runs };
  }

  /** What has happened so far. Writes nothing. */
  status(name: SequenceName): SequencerStatus {
    return { ...name, counts: this.#start(name).counts };
  }

  #start(name: SequenceName): Running {
    if (this.#running !== undefined && isSame(this.#running.name, name)) return this.#running;
    const stored = this.ctx.storage.kv.get<Stored>(STORED);
    if (stored !== undefined && !isSame(stored, name)) {
      throw new RangeError(
        `This sequencer serves ${stored.layout} machine ${stored.machine}, not ${name.layout} machine ${name.machine}.`,
      );
    }
    const sequence = createSequence(LAYOUTS[name.layout], name.machine);
    const state = sequence.start(stored?.mark);
    this.#running = { name, sequence, state, counts: stored?.counts ?? NO_COUNTS, isBehind: false };
    return this.#running;
  }

  /** The stored mark must be the one that this instance stored or started from; anything else means that it was replaced. */
  #requireOwnMark(running: Running): void {
    const until = this.ctx.storage.kv.get<Stored>(STORED)?.mark.until ?? 0;
    if (until === running.state.reservedUntil) return;
    this.#running = undefined;
    throw new Error(`The mark is at ${until}, not at ${running.state.reservedUntil}: another instance has taken over.`);
  }

  #store(stored: Stored): void {
    this.ctx.storage.kv.put(STORED, stored);
  }
}

function isSame(a: SequenceName, b: SequenceName): boolean {
  return a.layout === b.layout && a.machine === b.machine;
}

function countStep(
  { counts, isBehind }: Running,
  step: { readonly kind: "issued" | "refused"; readonly driftMs: number },
  count: number,
  isFailover: boolean,
): SequencerCounts {
  const isIssued = step.kind === "issued";
  return {
    issued: counts.issued + (isIssued ? count : 0),
    rollbacks: counts.rollbacks + (step.driftMs > 0 && !isBehind ? 1 : 0),
    maxDriftMs: Math.max(counts.maxDriftMs, step.driftMs),
    fromReserve: counts.fromReserve + (isIssued && step.driftMs > ROLLBACK_TOLERANCE_MS ? count : 0),
    refused: counts.refused + (isIssued ? 0 : 1),
    failovers: counts.failovers + (isFailover ? 1 : 0),
  };
}
