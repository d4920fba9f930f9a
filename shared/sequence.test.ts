/**
 * What the sequence does for each reading of the clock, row by row.
 *
 * @module
 */
import * as fc from "fast-check";
import { describe, test } from "vitest";
import {
  COUNT_MAX,
  createSequence,
  idsOf,
  type Issued,
  type Mark,
  SEQUENCE_LIMITS,
  type Sequence,
  type SequenceState,
  type Step,
} from "./sequence.ts";
import { decompose, exhaustsAt, type Layout, LAYOUT_NAMES, LAYOUTS, tickAt, tickStartAt } from "./snowflake.ts";

const { classic, compact } = LAYOUTS;
const MACHINE = 7;
const NOW_MS = 1_800_000_000_000;
const layouts = LAYOUT_NAMES.map((name) => LAYOUTS[name]);
const sequences = { classic: createSequence(classic, MACHINE), compact: createSequence(compact, MACHINE) };

/** The step, which must have given ids. */
function issued(step: Step): Issued {
  if (step.kind === "refused") throw new Error(`refused: ${step.reason}`);
  return step;
}

/** The tick and sequence of each id of a step. */
function places(layout: Layout, step: Step): (readonly [tick: number, sequence: number])[] {
  return idsOf(issued(step).runs).map((id) => {
    const parts = decompose(layout, id);
    if (parts?.machine !== MACHINE) throw new Error(`${id} is of another machine`);
    return [parts.tick - tickAt(layout, NOW_MS), parts.sequence];
  });
}

/** A sequence that has given out one id at `NOW_MS`. */
function running(sequence: Sequence): SequenceState {
  return issued(sequence.next(sequence.start(undefined), NOW_MS, 1)).state;
}

describe("the clock", () => {
  const { classic: sequence } = sequences;
  const state = running(sequence);

  test("ahead of the last time: the new millisecond, sequence 0", ({ expect }) => {
    expect(places(classic, sequence.next(state, NOW_MS + 3, 2))).toEqual([
      [3, 0],
      [3, 1],
    ]);
  });

  test("the same millisecond: the next sequence", ({ expect }) => {
    expect(places(classic, sequence.next(state, NOW_MS, 2))).toEqual([
      [0, 1],
      [0, 2],
    ]);
  });

  test("the same millisecond after sequence 4095: the next millisecond is borrowed", ({ expect }) => {
    const full = issued(sequence.next(state, NOW_MS, 4094)).state;
    expect(full).toMatchObject({ sequence: 4094 });
    expect(places(classic, sequence.next(full, NOW_MS, 2))).toEqual([
      [0, 4095],
      [1, 0],
    ]);
    const borrowed = issued(sequence.next(full, NOW_MS, 2)).state;
    expect(places(classic, sequence.next(borrowed, NOW_MS + 1, 1)), "the clock reaches what was borrowed").toEqual([
      [1, 1],
    ]);
  });

  test.for([1, 3, 5])("back by %d ms: goes on from the last time, also past the reserve", (backMs, { expect }) => {
    expect(places(classic, sequence.next(state, NOW_MS - backMs, 1))).toEqual([[0, 1]]);
    const used = { ...state, reservedUntil: state.tick };
    expect(issued(sequence.next(used, NOW_MS - backMs, 1))).toMatchObject({
      driftMs: backMs,
      mark: { clockMs: NOW_MS },
    });
  });

  test.for([6, 50, 1000, 3_600_000])(
    "back by %d ms: goes on inside the reserve, then refuses",
    (backMs, { expect }) => {
      expect(issued(sequence.next(state, NOW_MS - backMs, 1))).toMatchObject({ driftMs: backMs, mark: undefined });
      const used = { ...state, reservedUntil: state.tick };
      expect(sequence.next(used, NOW_MS - backMs, 1)).toEqual({
        kind: "refused",
        reason: "clock_rollback",
        driftMs: backMs,
        waitMs: backMs - 5,
      });
    },
  );

  test("back again and again by 5 ms: measured from the highest reading, so it is caught", ({ expect }) => {
    const used = { ...state, reservedUntil: state.tick };
    const next = issued(sequence.next(used, NOW_MS - 5, 1)).state;
    expect(next.clockMs).toBe(NOW_MS);
    expect(sequence.next({ ...next, reservedUntil: next.tick }, NOW_MS - 10, 1)).toMatchObject({ driftMs: 10 });
  });

  test("a reserve that holds a part of the call is not enough: all or nothing", ({ expect }) => {
    const almost = { ...state, sequence: 4090, reservedUntil: state.tick + 1 };
    expect(sequence.next(almost, NOW_MS - 50, 5).kind).toBe("issued");
    expect(sequence.next(almost, NOW_MS - 50, 6)).toMatchObject({ kind: "refused", reason: "clock_rollback" });
  });

  test.for([Number.NaN, Infinity, -Infinity, -1, 0, 1_699_999_999_999])(
    "a reading of %d is no time",
    (nowMs, { expect }) => {
      for (const layout of layouts) {
        const { next, start } = sequences[layout.name];
        expect(next(start(undefined), nowMs, 1)).toMatchObject({ kind: "refused", reason: "clock_invalid" });
      }
    },
  );

  test.for(layouts)("past the end of $name: refused, and nothing is remembered of it", (layout, { expect }) => {
    const { next, start } = sequences[layout.name];
    const endAt = exhaustsAt(layout);
    for (const nowMs of [endAt, endAt + 1, 9e15, 1e300]) {
      expect(next(start(undefined), nowMs, 1)).toMatchObject({ reason: "exhausted", waitMs: null });
    }
    expect(issued(next(start(undefined), endAt - 1, layout.idsPerTick)).runs).toHaveLength(1);
    expect(next(start(undefined), endAt - 1, layout.idsPerTick + 1 > COUNT_MAX ? COUNT_MAX : 257).kind).toBe(
      layout.name === "classic" ? "issued" : "refused",
    );
    const last = issued(next(start(undefined), endAt - 1, layout.idsPerTick)).state;
    expect(next(last, endAt - 1, 1)).toMatchObject({ reason: "exhausted" });
  });
});

describe("a clock that stands still", () => {
  test.for(layouts)("$name gives 100,000 ids, rising and within the bound", (layout, { expect }) => {
    const { next, start } = sequences[layout.name];
    for (const count of [1, 7, 100, COUNT_MAX]) {
      let state = start(undefined);
      let previous = -1n;
      for (let given = 0; given < 100_000; given += count) {
        const step = issued(next(state, NOW_MS, count));
        for (const { first, count: size } of step.runs) {
          if (first <= previous) expect.fail(`${first} after ${previous}`);
          previous = first + BigInt(size - 1);
        }
        state = step.state;
      }
      const aheadTicks = Math.floor((100_000 - 1) / layout.idsPerTick);
      expect(state.tick - tickAt(layout, NOW_MS)).toBeGreaterThanOrEqual(aheadTicks);
      expect(state.tick - tickAt(layout, NOW_MS)).toBeLessThanOrEqual(aheadTicks + 1 + COUNT_MAX / layout.idsPerTick);
    }
  });

  test.for(layouts)(
    "$name refuses beyond its bound, and gives again when the clock has run on",
    (layout, { expect }) => {
      const { next, start } = sequences[layout.name];
      const { maxAheadTicks } = SEQUENCE_LIMITS[layout.name];
      const tick = tickAt(layout, NOW_MS) + maxAheadTicks;
      const full = { ...start(undefined), tick, sequence: layout.idsPerTick - 1, clockMs: NOW_MS };
      const step = next(full, NOW_MS, 1);
      expect(step).toEqual({ kind: "refused", reason: "too_far_ahead", driftMs: 0, waitMs: layout.tickMs });
      expect(next(full, NOW_MS + layout.tickMs, 1).kind).toBe("issued");
    },
  );
});

describe("a refusal", () => {
  test.for(layouts)(
    "by $name holds no longer than it says: the same call succeeds after `waitMs`",
    (layout, { expect }) => {
      const { next } = sequences[layout.name];
      const { maxAheadTicks } = SEQUENCE_LIMITS[layout.name];
      const tick = tickAt(layout, NOW_MS);
      const state = fc.record({
        tick: fc.integer({ min: tick, max: tick + maxAheadTicks }),
        sequence: fc.nat(layout.idsPerTick - 1),
        clockMs: fc.constant(NOW_MS),
        reservedUntil: fc.integer({ min: tick, max: tick + maxAheadTicks + 10 }),
      });
      let refusals = 0;
      fc.assert(
        fc.property(state, fc.nat(10_000), fc.integer({ min: 1, max: COUNT_MAX }), (before, backMs, count) => {
          const step = next(before, NOW_MS - backMs, count);
          if (step.kind === "issued") return;
          refusals++;
          expect(next(before, NOW_MS - backMs + (step.waitMs ?? Number.NaN), count).kind).toBe("issued");
        }),
        { numRuns: 1000 },
      );
      expect(refusals).toBeGreaterThan(100);
    },
  );
});

describe("count", () => {
  test.for([0, -1, 1.5, COUNT_MAX + 1, Number.NaN, Infinity])("%d ids cannot be asked for", (count, { expect }) => {
    expect(() => sequences.classic.next(sequences.classic.start(undefined), NOW_MS, count)).toThrow(RangeError);
  });

  test("4,096 compact ids come as runs of at most 256, without a gap", ({ expect }) => {
    const state = { ...running(sequences.compact), sequence: 99 };
    const step = issued(sequences.compact.next(state, NOW_MS, COUNT_MAX));
    expect(step.runs.map(({ count }) => count)).toEqual([156, ...Array.from({ length: 15 }, () => 256), 100]);
    const all = places(compact, step).map(([tick, sequence]) => tick * 256 + sequence);
    expect(all).toEqual(Array.from({ length: COUNT_MAX }, (_, at) => 100 + at));
  });
});

describe("the mark", () => {
  test.for(layouts)("the first $name id is marked, the others of the reserve are not", (layout, { expect }) => {
    const { next, start } = sequences[layout.name];
    const { reserveTicks } = SEQUENCE_LIMITS[layout.name];
    const first = issued(next(start(undefined), NOW_MS, 1));
    const until = tickAt(layout, NOW_MS) + reserveTicks;
    expect(first.mark).toEqual({ until, clockMs: NOW_MS });
    expect(first.state.reservedUntil).toBe(until);
    expect(issued(next(first.state, tickStartAt(layout, until) - 1, 1)).mark).toBeUndefined();
    expect(issued(next(first.state, tickStartAt(layout, until), 1)).mark?.until).toBe(until + reserveTicks);
  });

  test("a second of steady use writes four times", ({ expect }) => {
    let state = sequences.classic.start(undefined);
    let writes = 0;
    for (let at = 0; at < 1000; at++) {
      const step = issued(sequences.classic.next(state, NOW_MS + at, 10));
      state = step.state;
      if (step.mark !== undefined) writes++;
    }
    expect(writes).toBe(4);
  });

  test.for(layouts)(
    "B219: a new $name instance on the same store, in the same tick, starts above it",
    (layout, { expect }) => {
      const { next, start } = sequences[layout.name];
      const first = issued(next(start(undefined), NOW_MS, 5));
      const again = issued(next(start(first.mark), NOW_MS, 1));
      expect(again.runs[0]?.first).toBeGreaterThan(first.runs[0]?.first ?? 0n);
      expect(again.mark, "nothing is reserved for it").toBeDefined();
      expect(again.state.tick).toBe(first.mark?.until);
    },
  );

  test("B120: the clock went back while the sequence was down: the mark protects, and the drift is named", ({
    expect,
  }) => {
    const { next, start } = sequences.classic;
    const mark = issued(next(start(undefined), NOW_MS, 1)).mark;
    expect(next(start(mark), NOW_MS - 3_600_000, 1)).toMatchObject({ reason: "clock_rollback", driftMs: 3_600_000 });
    expect(next(start(mark), NOW_MS - 5, 1).kind).toBe("issued");
  });

  test.for(layouts)("$name after a crash refuses no longer than the reserve is wide", (layout, { expect }) => {
    const { next, start } = sequences[layout.name];
    const { reserveTicks } = SEQUENCE_LIMITS[layout.name];
    const call = fc.record({ advanceMs: fc.nat(2 * layout.tickMs), count: fc.integer({ min: 1, max: COUNT_MAX }) });
    fc.assert(
      fc.property(fc.array(call, { maxLength: 60 }), fc.nat(2000), (calls, crashes) => {
        let nowMs = NOW_MS;
        let mark: Mark | undefined;
        let state = start(undefined);
        const take = (count: number): Step => {
          const step = next(state, nowMs, count);
          if (step.kind === "issued") ({ state, mark = mark } = step);
          return step;
        };
        for (const { advanceMs, count } of calls) {
          nowMs += advanceMs;
          take(count);
        }
        for (let crash = 0; crash < crashes; crash++) {
          state = start(mark);
          if (take(1).kind === "refused") break;
        }
        state = start(mark);
        nowMs += reserveTicks * layout.tickMs;
        expect(take(1).kind).toBe("issued");
      }),
    );
  });

  test("a mark that no sequence can have stored is an error, not a start from zero", ({ expect }) => {
    const good: Mark = { until: 5, clockMs: NOW_MS };
    for (const bad of [-1, 0.5, Number.NaN, Infinity, 2 ** 60]) {
      expect(() => sequences.classic.start({ ...good, until: bad }), `until ${bad}`).toThrow(RangeError);
    }
    for (const bad of [-1, Number.NaN, Infinity]) {
      expect(() => sequences.classic.start({ ...good, clockMs: bad }), `clock ${bad}`).toThrow(RangeError);
    }
  });
});

describe("machine ids", () => {
  test("one that the layout does not have makes no sequence", ({ expect }) => {
    for (const machine of [-1, 64, 1.5, Number.NaN]) {
      expect(() => createSequence(compact, machine)).toThrow("machine ids 0 to 63");
    }
    expect(() => createSequence(classic, 1024)).toThrow("machine ids 0 to 1023");
  });
});
