/**
 * The filter of custom codes never calls a living code absent, in whatever order codes are made, the filter is built, and Redis
 * loses, or gets back, what it had. Redis is a real one, Postgres is modelled; its statements are tested beside the store.
 *
 * @module
 */
import { env } from "cloudflare:workers";
import { describe, test } from "vitest";
import { geometryFor } from "../../shared/bloom.ts";
import type { CodeKey } from "../../shared/entry.ts";
import { BREAKER_LIMITS, createBreaker } from "../backends/breaker.ts";
import { connectRedis } from "../backends/redis.ts";
import { readConfig } from "../config.ts";
import { live } from "./model/life.ts";
import type { Evaluate } from "./model/past.ts";
import { createWorld, type World } from "./model/world.ts";

const { redisUrl, redisToken, redisPrefix } = readConfig(env);
const breaker = createBreaker("redis", { ...BREAKER_LIMITS, failures: Infinity });
const redis = connectRedis(redisUrl, redisToken, { breaker, clock: () => Date.now(), limitMs: 20_000 });
const evaluate: Evaluate = (script, keys, args) => redis.evaluate(script, keys, args);
const NOW = 1_800_000_000_000;
/** A pause that cannot be overlooked. */
const PAUSE_MS = 2500;
const CAPACITY = 100;

let serial = 0;

function open(): World {
  serial += 1;
  return createWorld(evaluate, `${redisPrefix}world${serial}:`, null, NOW);
}

function keyOf(code: string): CodeKey {
  return { domain: "go.example.com", code };
}

/** A world whose filter serves, with a code in it that came from Postgres. */
async function openServing(): Promise<World> {
  const world = open();
  await world.create(world.isolate(), keyOf("early"));
  await world.rebuild(CAPACITY);
  return world;
}

/** What somebody who has seen nothing yet is told; whatever is compared in the background is done before this answers. */
async function ask(world: World, code: string): Promise<string> {
  const { kind } = await world.lookup(world.isolate(), keyOf(code));
  await world.idle();
  return kind;
}

/** Announces a generation and leaves the rest to the test. */
async function announce(world: World): Promise<{ readonly name: string; readonly epoch: number }> {
  const name = world.newName();
  const plan = { name, geometry: geometryFor(CAPACITY), capacity: CAPACITY, wanted: CAPACITY };
  await world.build.makeBlocks(plan);
  const instead = (await world.build.state())?.building?.name ?? "";
  const epoch = await world.build.begin(plan, instead);
  if (epoch === undefined) throw new Error("another generation is being built");
  return { name, epoch };
}

describe("a rebuild", () => {
  test("takes what stands in Postgres, and what comes meanwhile; the old generation serves until it is done", async ({
    expect,
  }) => {
    const world = await openServing();
    const { name, epoch } = await announce(world);
    await world.create(world.isolate(), keyOf("meanwhile"));
    expect([await ask(world, "early"), await ask(world, "meanwhile")]).toEqual(["pass", "pass"]);
    expect(await ask(world, "nobody")).toBe("absent");
    world.truth.raise(epoch);
    await world.build.open(name);
    expect(await world.rebuild(CAPACITY)).toBe("served");
    expect((await world.build.state())?.serving?.name).toBe(name);
    expect([await ask(world, "early"), await ask(world, "meanwhile")]).toEqual(["pass", "pass"]);
    expect(await ask(world, "nobody")).toBe("absent");
    expect(world.falseNegatives).toEqual([]);
  });

  test("is begun when there is no filter, another capacity, too many codes, or a week is over; else it is not", async ({
    expect,
  }) => {
    const world = open();
    expect(await world.rebuild(CAPACITY)).toBe("served");
    expect(await world.rebuild(CAPACITY)).toBe("idle");
    expect(await world.rebuild(CAPACITY + 20)).toBe("served");
    expect((await world.build.state())?.serving?.capacity).toBe(CAPACITY + 20);
    world.advance(PAUSE_MS);
    await world.past.flush();
    expect(await world.rebuild(3)).toBe("served");
    for (let number = 0; number < 5; number += 1) await world.create(world.isolate(), keyOf(`many-${number}`));
    expect(await world.rebuild(3)).toBe("served");
    expect((await world.build.state())?.serving?.capacity).toBeGreaterThan(5);
    expect(await world.rebuild(3)).toBe("idle");
    world.advance(8 * 24 * 60 * 60 * 1000);
    expect(await world.rebuild(3)).toBe("served");
  });

  test("goes on where it was cut off, and leaves nothing of old generations behind", async ({ expect }) => {
    const world = open();
    for (let number = 0; number < 24; number += 1) await world.create(world.isolate(), keyOf(`long-${number}`));
    const stamp = await world.isolate().add(keyOf("slow"));
    expect(await world.rebuild(CAPACITY)).toBe("paused");
    // Its code went to no generation that is being built, and its row would come behind the cursor.
    expect(world.truth.insert(keyOf("slow"), stamp)).toBe("outdated");
    expect((await world.build.state())?.building?.cursor).toBe("20");
    expect(await world.rebuild(CAPACITY)).toBe("served");
    for (const code of ["long-0", "long-19", "long-20", "long-23"]) expect(await ask(world, code)).toBe("pass");
    world.advance(8 * 24 * 60 * 60 * 1000);
    await world.rebuild(CAPACITY);
    await world.rebuild(CAPACITY);
    const state = await world.build.state();
    expect([state?.old, state?.building]).toEqual([[], undefined]);
    expect(await world.past.blocks()).toBe(1);
  });

  test("holds a code that came after the last page was read", async ({ expect }) => {
    const world = await openServing();
    const { name, epoch } = await announce(world);
    world.truth.raise(epoch);
    await world.build.open(name);
    await world.build.load(name, "0", "1", [keyOf("early")], true);
    await world.create(world.isolate(), keyOf("behind"));
    expect(await world.rebuild(CAPACITY)).toBe("served");
    expect([await ask(world, "behind"), await ask(world, "nobody")]).toEqual(["pass", "absent"]);
  });

  test("refuses the row of a creation that added to the old generation only and was slow", async ({ expect }) => {
    const world = await openServing();
    const isolate = world.isolate();
    const stamp = await isolate.add(keyOf("slow"));
    await world.past.lose("block");
    await ask(world, "slow");
    const outcomes = [await world.rebuild(CAPACITY), world.truth.insert(keyOf("slow"), stamp)];
    expect(outcomes).toEqual(["served", "outdated"]);
    await world.create(isolate, keyOf("slow"));
    expect(await ask(world, "slow")).toBe("pass");
  });

  test("by two builders at once is one rebuild, and one that wakes up late changes nothing", async ({ expect }) => {
    const world = open();
    for (let number = 0; number < 9; number += 1) await world.create(world.isolate(), keyOf(`both-${number}`));
    const outcomes = await Promise.all([world.rebuild(CAPACITY), world.rebuild(CAPACITY)]);
    expect(outcomes).toContain("served");
    const name = (await world.build.state())?.serving?.name ?? "";
    expect(await world.build.load(name, "9", "10", [], true)).toBe(false);
    expect(await world.build.open(name)).toBe(false);
    expect((await world.build.serve(name, NOW)).verdict).toBe("moved");
    for (let number = 0; number < 9; number += 1) expect(await ask(world, `both-${number}`)).toBe("pass");
    expect(await ask(world, "nobody")).toBe("absent");
  });
});

describe("Redis that is put back to an earlier state", () => {
  test("does not deny the codes that came since: they are found, and the filter is given up until it is rebuilt", async ({
    expect,
  }) => {
    const world = await openServing();
    const snapshot = await world.past.keep();
    await world.create(world.isolate(), keyOf("lost"));
    expect(await ask(world, "nobody")).toBe("absent");
    world.advance(PAUSE_MS);
    await world.past.restore(snapshot);
    expect([await ask(world, "lost"), await ask(world, "lost"), await ask(world, "nobody")]).toEqual([
      "pass",
      "pass",
      "pass",
    ]);
    expect(await world.rebuild(CAPACITY)).toBe("served");
    expect([await ask(world, "lost"), await ask(world, "nobody")]).toEqual(["pass", "absent"]);
    expect(world.falseNegatives).toEqual([]);
  });

  test("is trusted again at once when nothing was lost", async ({ expect }) => {
    const world = await openServing();
    const snapshot = await world.past.keep();
    world.advance(PAUSE_MS);
    await world.past.restore(snapshot);
    expect([await ask(world, "nobody"), await ask(world, "nobody"), await ask(world, "early")]).toEqual([
      "pass",
      "absent",
      "pass",
    ]);
  });

  test("refuses the row of a creation that was under way, once it is trusted again", async ({ expect }) => {
    const world = await openServing();
    const snapshot = await world.past.keep();
    const isolate = world.isolate();
    const stamp = await isolate.add(keyOf("under-way"));
    world.advance(PAUSE_MS);
    await world.past.restore(snapshot);
    await ask(world, "nobody");
    expect(await ask(world, "under-way")).toBe("absent");
    expect(world.truth.insert(keyOf("under-way"), stamp)).toBe("outdated");
    await world.create(isolate, keyOf("under-way"));
    expect(await ask(world, "under-way")).toBe("pass");
  });

  test("is found out also when as many codes were added since then as were lost", async ({ expect }) => {
    const world = await openServing();
    const snapshot = await world.past.keep();
    await world.create(world.isolate(), keyOf("lost"));
    world.advance(PAUSE_MS);
    await world.past.restore(snapshot);
    for (const code of ["one", "two", "three"]) await world.create(world.isolate(), keyOf(code));
    await ask(world, "nobody");
    for (const code of ["lost", "one", "two", "three"]) expect(await ask(world, code), code).toBe("pass");
    expect(world.falseNegatives).toEqual([]);
  });

  test("during a rebuild, or while it is compared, is compared once more", async ({ expect }) => {
    const world = await openServing();
    const { name, epoch } = await announce(world);
    world.truth.raise(epoch);
    await world.build.open(name);
    const snapshot = await world.past.keep();
    await world.build.load(name, "0", "1", [keyOf("early")], true);
    world.advance(PAUSE_MS);
    await world.past.restore(snapshot);
    expect(await world.build.load(name, "1", "2", [], true)).toBe(false);
    expect(await world.rebuild(CAPACITY)).toBe("served");
    expect(await ask(world, "early")).toBe("pass");

    const { claim } = await world.build.claim(name);
    expect(claim).toBeUndefined();
    world.advance(8 * 24 * 60 * 60 * 1000);
    const next = await announce(world);
    world.truth.raise(next.epoch);
    await world.build.open(next.name);
    await world.build.load(next.name, "0", "1", [keyOf("early")], true);
    const first = await world.build.claim(next.name);
    world.advance(PAUSE_MS);
    const told = await world.build.serve(next.name, first.claim?.epoch ?? 0);
    expect(told.verdict).toBe("again");
    expect((await world.build.serve(next.name, first.claim?.epoch ?? 0)).verdict).toBe("moved");
    expect((await world.build.serve(next.name, told.claim?.epoch ?? 0)).verdict).toBe("trusted");
  });

  test("while a generation is built, does not have it serve without the codes that came since", async ({ expect }) => {
    const world = await openServing();
    const { name, epoch } = await announce(world);
    world.truth.raise(epoch);
    await world.build.open(name);
    await world.build.load(name, "0", "1", [keyOf("early")], true);
    const snapshot = await world.past.keep();
    await world.create(world.isolate(), keyOf("lost"));
    world.advance(PAUSE_MS);
    await world.past.restore(snapshot);
    expect(await world.rebuild(CAPACITY)).toBe("dropped");
    expect(await world.rebuild(CAPACITY)).toBe("served");
    expect([await ask(world, "lost"), await ask(world, "nobody")]).toEqual(["pass", "absent"]);
  });

  test("is not forgiven by a rebuild that begins before it was compared", async ({ expect }) => {
    const world = await openServing();
    const snapshot = await world.past.keep();
    await world.create(world.isolate(), keyOf("lost"));
    world.advance(PAUSE_MS);
    await world.past.restore(snapshot);
    await announce(world);
    expect([await ask(world, "lost"), await ask(world, "lost"), await ask(world, "lost")]).toEqual([
      "pass",
      "pass",
      "pass",
    ]);
    expect(world.falseNegatives).toEqual([]);
  });

  test("without a pause is found out by the next creation, whose stamp a row has already", async ({ expect }) => {
    const world = await openServing();
    const snapshot = await world.past.keep();
    await world.create(world.isolate(), keyOf("lost"));
    await world.past.restore(snapshot);
    await world.create(world.isolate(), keyOf("next"));
    expect([await ask(world, "lost"), await ask(world, "next")]).toEqual(["pass", "pass"]);
  });
});

describe("in many lives of isolates, builders and misfortunes no living code is denied", () => {
  const SEEDS = 4;
  const EVENTS = 120;
  for (let seed = 1; seed <= SEEDS; seed += 1) {
    test(`seed ${seed}`, { timeout: 60_000 }, async ({ expect }) => {
      const lived = await live(evaluate, `${redisPrefix}life${seed}:`, seed, EVENTS);
      expect(lived.falseNegatives, JSON.stringify(lived.tally)).toEqual([]);
      expect(lived.guardsAgain).toBe(true);
      expect(lived.tally.created * lived.tally.absent).toBeGreaterThan(0);
    });
  }
});
