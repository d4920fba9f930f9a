/**
 * The sequence of one machine id as a pure step: state, clock reading and count in; ids and next state, or a refusal, out.
 * It has no clock and no store. Whoever drives it keeps an id from ever being given twice by three rules:
 *
 * 1. A step that carries a mark is answered only after the mark is stored, by compare-and-set: the stored mark is replaced
 *    if its `until` equals the `reservedUntil` of the state before the step (a store without a mark counts as 0).
 * 2. The next state is kept only when that write has succeeded. Otherwise, or when it is unknown whether it has, the state
 *    is thrown away and the sequence started again from the stored mark: the instance has been replaced.
 * 3. A new instance starts from the stored mark, never from anything else.
 *
 * Why that is enough: ids below a stored `until` belong to the one instance whose write stored it, each instance only
 * moves upwards, and one that starts has nothing reserved, so it must win a write before its first id. Of two live
 * instances the one that writes first wins; the other may use up what it reserved, which the winner never touches, and
 * then fails at its write for good, since `until` only rises.
 *
 * @module
 */
import { compose, EPOCH_AT, isMachine, type Layout, type LayoutName, tickAt } from "./snowflake.ts";

/** The most ids that one call may ask for. */
export const COUNT_MAX = 4096;

/** A clock that is behind the highest reading by no more than this is taken for the same clock (a step of NTP). */
export const ROLLBACK_TOLERANCE_MS = 5;

/** Two widths, in ticks of a layout. */
export interface SequenceLimits {
  /**
   * How far ahead of the ids given out a mark is set. It is the price of a crash (that many ticks without ids), the time
   * for which ids go on after the clock was set back, and the inverse of how often a busy sequence writes.
   */
  readonly reserveTicks: number;
  /**
   * How far ids may be ahead of the highest clock reading, by borrowing and by restarts. Within it a burst needs no
   * waiting on a clock that stands still; beyond it ids are refused, since their time would be a lie and the guard of
   * codes, which allows the same width, would refuse a real one.
   */
  readonly maxAheadTicks: number;
}

/**
 * Classic: four writes a second at most under steady load; a minute ahead is 245 million ids, or 240 crashes without the
 * clock moving. Compact: its tick is a second and holds 256 ids, so 100,000 at once are 391 s ahead; an hour is 921,600.
 */
export const SEQUENCE_LIMITS: Readonly<Record<LayoutName, SequenceLimits>> = {
  classic: { reserveTicks: 250, maxAheadTicks: 60_000 },
  compact: { reserveTicks: 2, maxAheadTicks: 3600 },
};

/** What must outlive the instance. */
export interface Mark {
  /** No id of this tick or a later one has been given out. */
  readonly until: number;
  /** The highest clock reading, in epoch milliseconds, when the mark was made. */
  readonly clockMs: number;
}

/** Where a sequence stands. It is replaced, never changed. */
export interface SequenceState {
  /** The tick of the last id given out, and its number within the tick. */
  readonly tick: number;
  readonly sequence: number;
  /** The highest clock reading so far in epoch milliseconds; 0 when there was none. */
  readonly clockMs: number;
  /** Ids before this tick may be given out without a write. It equals the `until` of the stored mark. */
  readonly reservedUntil: number;
}

/** Consecutive ids: `first`, `first + 1`, … */
export interface Run {
  readonly first: bigint;
  readonly count: number;
}

/** Why no id was given. */
export type RefusalReason =
  /** The clock went back and the reserve is used up. */
  | "clock_rollback"
  /** So many ids have been borrowed that the clock must catch up first. */
  | "too_far_ahead"
  /** The layout has no tick left for this clock reading. */
  | "exhausted"
  /** The reading is no time, or lies before the layout's epoch. */
  | "clock_invalid";

/** Ids were given out. */
export interface Issued {
  readonly kind: "issued";
  /** In rising order, `count` ids altogether; a run ends where its tick ends. */
  readonly runs: readonly Run[];
  readonly state: SequenceState;
  /** To be stored before the ids leave; undefined when they are within the reserve. */
  readonly mark: Mark | undefined;
  /** How far the clock was behind its highest reading. */
  readonly driftMs: number;
}

/** No id was given out, and the state stays as it was. */
export interface Refused {
  readonly kind: "refused";
  readonly reason: RefusalReason;
  /** How far the clock was behind its highest reading; 0 when it was not, or was no time. */
  readonly driftMs: number;
  /** After how long the same call would succeed if the clock runs on; null when it never will. */
  readonly waitMs: number | null;
}

/** What came of one step. */
export type Step = Issued | Refused;

/** The rules for one machine id. */
export interface Sequence {
  /** The state of a new instance. Throws RangeError on a mark that cannot be: better no ids than ids given twice. */
  readonly start: (mark: Mark | undefined) => SequenceState;
  /**
   * Gives out `count` ids (1 to {@link COUNT_MAX}; RangeError otherwise) for the clock reading `nowMs` in epoch
   * milliseconds: all of them, or none. It never waits: an answer takes the same time whatever the clock does.
   *
   * A leap of the clock forward is believed, since a long sleep looks the same; after it is set right again, the
   * sequence refuses until the clock is where it was. The driver's client then asks another machine id.
   */
  readonly next: (state: SequenceState, nowMs: number, count: number) => Step;
}

/** Builds the rules for a machine id. Throws RangeError when the layout does not have it. */
export function createSequence(
  layout: Layout,
  machine: number,
  limits: SequenceLimits = SEQUENCE_LIMITS[layout.name],
): Sequence {
  if (!isMachine(layout, machine)) {
    throw new RangeError(`The ${layout.name} layout has machine ids 0 to ${layout.machines - 1}, not ${machine}.`);
  }
  return {
    start: (mark) => startState(layout, mark),
    next: (state, nowMs, count) => step(layout, machine, limits, state, nowMs, count),
  };
}

/** Every id of some runs, in order. */
export function idsOf(runs: readonly Run[]): bigint[] {
  return runs.flatMap(({ first, count }) => Array.from({ length: count }, (_, at) => first + BigInt(at)));
}

function startState(layout: Layout, mark: Mark | undefined): SequenceState {
  const { until, clockMs } = mark ?? { until: 0, clockMs: 0 };
  if (!Number.isSafeInteger(until) || until < 0 || !Number.isFinite(clockMs) || clockMs < 0) {
    throw new RangeError(`A mark until tick ${until} with clock ${clockMs} cannot have been stored by a sequence.`);
  }
  // As if the tick before the mark were full: the next id is the first of `until`.
  return { tick: until - 1, sequence: layout.idsPerTick - 1, clockMs, reservedUntil: until };
}

function step(
  layout: Layout,
  machine: number,
  limits: SequenceLimits,
  state: SequenceState,
  nowMs: number,
  count: number,
): Step {
  if (!Number.isInteger(count) || count < 1 || count > COUNT_MAX) {
    throw new RangeError(`A sequence gives 1 to ${COUNT_MAX} ids in one call, not ${count}.`);
  }
  if (!Number.isFinite(nowMs) || nowMs < EPOCH_AT) return refuse("clock_invalid", 0, null);

  const clockMs = Math.max(state.clockMs, nowMs);
  const driftMs = clockMs - nowMs;
  const clockTick = tickAt(layout, clockMs);
  const isAhead = clockTick > state.tick;
  const from = isAhead ? clockTick : state.tick;
  // Counted from the first id of `from`; a full tick runs over into the next.
  const fromSequence = isAhead ? 0 : state.sequence + 1;
  const last = fromSequence + count - 1;
  const sequence = last % layout.idsPerTick;
  const tick = from + (last - sequence) / layout.idsPerTick;

  if (tick >= layout.ticks) return refuse("exhausted", driftMs, null);
  const isReserved = tick < state.reservedUntil;
  const excessTicks = tick - clockTick - limits.maxAheadTicks;
  const waitMs = excessTicks > 0 ? excessTicks * layout.tickMs + driftMs : driftMs - ROLLBACK_TOLERANCE_MS;
  if (driftMs > ROLLBACK_TOLERANCE_MS && !isReserved) return refuse("clock_rollback", driftMs, waitMs);
  if (excessTicks > 0) return refuse("too_far_ahead", driftMs, waitMs);

  const mark = isReserved ? undefined : { until: tick + limits.reserveTicks, clockMs };
  return {
    kind: "issued",
    runs: runsFrom(layout, machine, from, fromSequence, count),
    state: { tick, sequence, clockMs, reservedUntil: mark?.until ?? state.reservedUntil },
    mark,
    driftMs,
  };
}

function runsFrom(layout: Layout, machine: number, from: number, fromSequence: number, count: number): Run[] {
  const runs: Run[] = [];
  const { idsPerTick } = layout;
  let tick = fromSequence < idsPerTick ? from : from + 1;
  let sequence = fromSequence < idsPerTick ? fromSequence : 0;
  for (let left = count; left > 0; tick++) {
    const size = Math.min(left, idsPerTick - sequence);
    runs.push({ first: compose(layout, { tick, machine, sequence }), count: size });
    left -= size;
    sequence = 0;
  }
  return runs;
}

function refuse(reason: RefusalReason, driftMs: number, waitMs: number | null): Refused {
  return { kind: "refused", reason, driftMs, waitMs };
}
