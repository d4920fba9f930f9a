/**
 * An id holds its fields exactly, and never becomes a number.
 *
 * @module
 */
import * as fc from "fast-check";
import { describe, test } from "vitest";
import {
  compose,
  decompose,
  EPOCH_AT,
  exhaustsAt,
  isMachine,
  LAYOUT_NAMES,
  LAYOUTS,
  shardsProblem,
  tickAt,
  tickStartAt,
} from "./snowflake.ts";

const layouts = LAYOUT_NAMES.map((name) => LAYOUTS[name]);

describe("layouts", () => {
  test("classic has 41, 10 and 12 bits of milliseconds; compact 32, 6 and 8 of seconds", ({ expect }) => {
    expect(LAYOUTS.classic).toMatchObject({ totalBits: 63, tickMs: 1, machines: 1024, idsPerTick: 4096 });
    expect(LAYOUTS.compact).toMatchObject({ totalBits: 46, tickMs: 1000, machines: 64, idsPerTick: 256 });
  });

  test("time begins at 2023-11-14T22:13:20Z and runs out in 2093 and 2159", ({ expect }) => {
    expect(new Date(EPOCH_AT).toISOString()).toBe("2023-11-14T22:13:20.000Z");
    expect(new Date(exhaustsAt(LAYOUTS.classic)).toISOString()).toBe("2093-07-21T14:00:55.552Z");
    expect(new Date(exhaustsAt(LAYOUTS.compact)).toISOString()).toBe("2159-12-22T04:41:36.000Z");
  });
});

describe("ids", () => {
  test("a classic id is time × 2^22 + machine × 2^12 + sequence", ({ expect }) => {
    expect(compose(LAYOUTS.classic, { tick: 1, machine: 1, sequence: 1 })).toBe(2n ** 22n + 2n ** 12n + 1n);
    expect(compose(LAYOUTS.classic, { tick: 2 ** 41 - 1, machine: 1023, sequence: 4095 })).toBe(2n ** 63n - 1n);
  });

  test("a compact id is time × 2^14 + machine × 2^8 + sequence", ({ expect }) => {
    expect(compose(LAYOUTS.compact, { tick: 1, machine: 1, sequence: 1 })).toBe(2n ** 14n + 2n ** 8n + 1n);
    expect(compose(LAYOUTS.compact, { tick: 2 ** 32 - 1, machine: 63, sequence: 255 })).toBe(2n ** 46n - 1n);
  });

  test.for(layouts)("$name ids come apart into what they were made of", (layout, { expect }) => {
    const parts = fc.record({
      tick: fc.integer({ min: 0, max: layout.ticks - 1 }),
      machine: fc.integer({ min: 0, max: layout.machines - 1 }),
      sequence: fc.integer({ min: 0, max: layout.idsPerTick - 1 }),
    });
    fc.assert(
      fc.property(parts, (fields) => {
        expect(decompose(layout, compose(layout, fields))).toEqual(fields);
      }),
    );
  });

  test.for(layouts)("a field that does not fit $name makes no id", (layout, { expect }) => {
    const good = { tick: 5, machine: 5, sequence: 5 };
    const limits = { tick: layout.ticks, machine: layout.machines, sequence: layout.idsPerTick };
    for (const field of ["tick", "machine", "sequence"] as const) {
      for (const bad of [-1, 0.5, Number.NaN, Infinity, limits[field]]) {
        expect(() => compose(layout, { ...good, [field]: bad }), `${field} ${bad}`).toThrow(RangeError);
      }
    }
  });

  test.for(layouts)("a number with more bits than $name is no id", (layout, { expect }) => {
    expect(decompose(layout, -1n)).toBeUndefined();
    expect(decompose(layout, 2n ** BigInt(layout.totalBits))).toBeUndefined();
    expect(decompose(layout, 2n ** 200n)).toBeUndefined();
  });

  test("B119: 10,000 consecutive ids are 10,000 texts, though a number could not hold half of them", ({ expect }) => {
    const ids = Array.from({ length: 10_000 }, (_, sequence) =>
      compose(LAYOUTS.classic, {
        tick: 60_000_000_000 + Math.floor(sequence / 4096),
        machine: 0,
        sequence: sequence % 4096,
      }),
    );
    expect(new Set(ids.map(String)).size).toBe(10_000);
    expect(new Set(ids.map(Number)).size).toBeLessThan(5000);
    expect(ids.map(String).map(BigInt)).toEqual(ids);
  });
});

describe("ticks", () => {
  test.for(layouts)("a $name tick holds the readings from its start to the next", (layout, { expect }) => {
    const tick = 123_456;
    const startAt = tickStartAt(layout, tick);
    expect(tickAt(layout, startAt)).toBe(tick);
    expect(tickAt(layout, startAt + layout.tickMs - 0.5)).toBe(tick);
    expect(tickAt(layout, startAt - 0.5)).toBe(tick - 1);
    expect(tickAt(layout, EPOCH_AT - 1)).toBe(-1);
  });
});

describe("machine ids", () => {
  test("each layout has its own range", ({ expect }) => {
    expect([0, 1023].every((machine) => isMachine(LAYOUTS.classic, machine))).toBe(true);
    expect([-1, 1024, 1.5, Number.NaN].some((machine) => isMachine(LAYOUTS.classic, machine))).toBe(false);
    expect(isMachine(LAYOUTS.compact, 63)).toBe(true);
    expect(isMachine(LAYOUTS.compact, 64)).toBe(false);
  });

  test("more shards than machine ids are a problem that names both", ({ expect }) => {
    expect(shardsProblem(LAYOUTS.classic, 1024)).toBeUndefined();
    expect(shardsProblem(LAYOUTS.compact, 64)).toBeUndefined();
    expect(shardsProblem(LAYOUTS.compact, 65)).toBe(
      "65 shards cannot be used with the compact layout: it has 64 machine ids, and each shard needs one of its own.",
    );
    for (const shards of [0, -1, 1.5, Number.NaN, 1025]) {
      expect(shardsProblem(LAYOUTS.classic, shards), String(shards)).toContain("1024 machine ids");
    }
  });
});
