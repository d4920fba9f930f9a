/**
 * No id twice, whatever the clock does: millions of steps of several live instances of one machine id over one store, with
 * hostile clocks, crashes between any two writes, and calls interleaved. The driver here keeps the three rules that
 * `sequence.ts` asks of a driver, and nothing else.
 *
 * @module
 */
import { describe, test } from "vitest";
import { type Issued, type Mark, createSequence, type SequenceState } from "./sequence.ts";
import { decompose, exhaustsAt, type Layout, LAYOUT_NAMES, LAYOUTS, tickStartAt } from "./snowflake.ts";
import { createDice, type Dice } from "./testing/dice.ts";

const MACHINE = 3;
const START_MS = 1_750_000_000_000;
const YEAR_MS = 365 * 86_400_000;
const INSTANCES_MAX = 3;
const EPISODES = 150;
const STEPS = 10_000;

/** A live instance. `pending` is a step whose ids have not left; `isStored` tells whether its mark is written. */
interface Instance {
  state: SequenceState;
  /** The last id that left it. */
  last: bigint;
  pending: { readonly step: Issued; isStored: boolean } | undefined;
}

/** What an episode did, so that one in which nothing happens is no proof. */
interface Tally {
  calls: number;
  ids: number;
  refusals: number;
  fenced: number;
}

type Clock = (nowMs: number, dice: Dice, markAt: number) => number;

/** Ways in which clocks go wrong. A reading follows from the one before. */
const clocks: Readonly<Record<string, Clock>> = {
  "stands still": (nowMs) => nowMs,
  runs: (nowMs, dice) => nowMs + dice.below(3),
  "trembles by the tolerance": (nowMs, dice) => nowMs + dice.below(11) - 5,
  "is set back and forth": (nowMs, dice) =>
    nowMs + dice.pick([1, 1, 1, -3, -50, 50, -1000, 1000, -3_600_000, 3_600_000]),
  "leaps years": (nowMs, dice) =>
    dice.below(500) === 0 ? nowMs + (dice.below(5) - 1) * YEAR_MS : nowMs + dice.below(2),
  "swings about the mark": (_, dice, markAt) => markAt + dice.below(13) - 6,
  "reads nonsense": (nowMs, dice) => (dice.below(4) === 0 ? dice.pick([Number.NaN, -1, 0, Infinity, 1e15]) : nowMs + 1),
};

/** Plays one episode and gives the runs that left, as first and last places in the sequence. */
function play(layout: Layout, clock: Clock, seed: number): { tally: Tally; firsts: number[]; lasts: number[] } {
  const dice = createDice(seed);
  const sequence = createSequence(layout, MACHINE);
  const tally: Tally = { calls: 0, ids: 0, refusals: 0, fenced: 0 };
  const firsts: number[] = [];
  const lasts: number[] = [];
  let stored: Mark | undefined;
  let readingMs = START_MS;

  const spawn = (): Instance => ({ state: sequence.start(stored), last: -1n, pending: undefined });
  const instances = [spawn()];

  function call(instance: Instance): void {
    const before = readingMs;
    readingMs = clock(before, dice, tickStartAt(layout, stored?.until ?? 0) + (layout.tickMs >> 1));
    const step = sequence.next(instance.state, readingMs, dice.pick([1, 1, 1, 2, 100, 4096]));
    if (!(readingMs > 0 && readingMs < exhaustsAt(layout))) readingMs = Number.isFinite(before) ? before : START_MS;
    tally.calls++;
    if (step.kind === "refused") tally.refusals++;
    else instance.pending = { step, isStored: false };
  }

  /** The write by compare-and-set. False: the instance has been replaced. */
  function store(instance: Instance, step: Issued): boolean {
    if (step.mark === undefined) return true;
    if ((stored?.until ?? 0) !== instance.state.reservedUntil) return false;
    stored = step.mark;
    return true;
  }

  function answer(instance: Instance, step: Issued): void {
    for (const { first, count } of step.runs) {
      const parts = decompose(layout, first);
      if (first <= instance.last) throw new Error(`seed ${seed}: ${first} left after ${instance.last}`);
      if (parts?.machine !== MACHINE) throw new Error(`seed ${seed}: ${first} is of another machine`);
      const place = parts.tick * layout.idsPerTick + parts.sequence;
      firsts.push(place);
      lasts.push(place + count - 1);
      instance.last = first + BigInt(count - 1);
      tally.ids += count;
    }
    instance.state = step.state;
    instance.pending = undefined;
  }

  function advance(at: number, instance: Instance): void {
    const { pending } = instance;
    if (pending === undefined) call(instance);
    else if (pending.isStored) answer(instance, pending.step);
    else if (store(instance, pending.step)) pending.isStored = true;
    else {
      tally.fenced++;
      instances[at] = spawn();
    }
  }

  for (let step = 0; step < STEPS; step++) {
    const at = dice.below(instances.length);
    const instance = instances[at];
    const event = dice.below(400);
    if (instance === undefined || (event === 0 && instances.length < INSTANCES_MAX)) instances.push(spawn());
    // A crash: what was pending is lost, whether its mark was written or not.
    else if (event === 1) instances[at] = spawn();
    // An instance that is forgotten while it still has a reserve.
    else if (event === 2 && instances.length > 1) instances.splice(at, 1);
    else advance(at, instance);
  }
  return { tally, firsts, lasts };
}

describe.for(LAYOUT_NAMES.map((name) => LAYOUTS[name]))("$name", (layout) => {
  test.for(Object.entries(clocks))(
    "a clock that %s: no id twice, each instance's rising",
    ([name, clock], { expect }) => {
      const sum: Tally = { calls: 0, ids: 0, refusals: 0, fenced: 0 };
      for (let episode = 0; episode < EPISODES; episode++) {
        const seed = episode * 1000 + name.length;
        const { tally, firsts, lasts } = play(layout, clock, seed);
        for (const key of ["calls", "ids", "refusals", "fenced"] as const) sum[key] += tally[key];

        // Runs are disjoint if and only if sorted beginnings and ends alternate.
        const begins = Float64Array.from(firsts).toSorted();
        const ends = Float64Array.from(lasts).toSorted();
        for (let run = 1; run < begins.length; run++) {
          const [end, begin] = [ends[run - 1] ?? 0, begins[run] ?? 0];
          if (begin <= end) expect.fail(`seed ${seed}: place ${begin} was given out twice`);
        }
      }
      expect(sum.ids, "ids were given").toBeGreaterThan(EPISODES * 100);
      expect(sum.fenced, "replaced instances were fenced off").toBeGreaterThan(EPISODES / 10);
    },
  );
});
