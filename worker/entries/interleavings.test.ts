/**
 * One writer and two readers over one Redis and one Postgres, in every order in which their steps can happen: the last word of
 * the owner always wins, in Redis and in every place, and nobody brings back what was there before.
 *
 * The tiers, the walk and the publisher are the real ones; only what is behind them is held in plain maps, so that a step
 * happens when the schedule says so. That Redis' script does what its map does here is shown over a real Redis by the tier's
 * own tests.
 *
 * @module
 */
import { describe, test } from "vitest";
import { type CodeKey, decodeEntry, type Entry, notFoundAt } from "../../shared/entry.ts";
import type { RedisClient } from "../backends/redis.ts";
import { present } from "../testing/entries.ts";
import { explore, type Turn } from "../testing/schedule.ts";
import { createJoin } from "./flight.ts";
import { createPublish } from "./publish.ts";
import { createResolve, type Resolution } from "./resolve.ts";
import { KEEP_UNLESS_OLDER } from "./scripts.ts";
import type { Tier } from "./tier.ts";
import { createEdgeTier } from "./tiers/edge.ts";
import { createMemoryTier } from "./tiers/memory.ts";
import { createPostgresTier } from "./tiers/postgres.ts";
import { createRedisTier } from "./tiers/redis.ts";

const NOW = 1_800_000_000_000;
const FRESH_MS = 60_000;
const KEY: CodeKey = { domain: "go.example", code: "abc" };
const OLD = present({ version: (NOW - 3_600_000) * 1000, longUrl: "https://example.com/old", vouchedAt: NOW });
const NEW = present({ version: NOW * 1000, longUrl: "https://example.com/new", vouchedAt: NOW });
const TOMBSTONE: Entry = { kind: "absent", version: NOW * 1000, vouchedAt: NOW, tombstone: true };
const MAX_RUNS = 200_000;

/** What all places share. `turn` makes a step wait; where it is undefined, it happens at once. */
interface World {
  row: Entry | undefined;
  readonly redis: Map<string, string>;
}

type Step = (name: string) => Promise<void>;
const atOnce: Step = () => Promise.resolve();

function redisOf(world: World, step: Step): RedisClient {
  return {
    async get(key) {
      await step("redis get");
      return world.redis.get(key) ?? null;
    },
    async evaluate(script, [key = ""], [text = ""]) {
      await step("redis keep");
      if (script !== KEEP_UNLESS_OLDER) throw new Error("another script");
      const known = world.redis.get(key);
      if (known === undefined || known.slice(0, 16) <= text.slice(0, 16)) world.redis.set(key, text);
      return 1;
    },
    ping: () => Promise.resolve(),
  };
}

/** One isolate with a data centre's cache of its own, or one that it shares. */
function placeOf(world: World, step: Step, edgeStep: Step = atOnce, cache = new Map<string, string>()) {
  const memory = createMemoryTier(() => NOW, { presentEntries: 4, presentBytes: 10_000, absentEntries: 4 });
  const edge = createEdgeTier(
    {
      async read(url) {
        await edgeStep("edge read");
        return cache.get(url) ?? null;
      },
      async write(url, text) {
        await edgeStep("edge write");
        cache.set(url, text);
      },
    },
    "",
  );
  const redis = createRedisTier(() => Promise.resolve(redisOf(world, step)), "");
  const postgres = createPostgresTier(() =>
    Promise.resolve({
      async read(_key: CodeKey, now: number) {
        await step("postgres read");
        return world.row ?? notFoundAt(now);
      },
    }),
  );
  const below: readonly Tier[] = [edge, redis, postgres];
  const resolve = createResolve({
    near: [memory],
    below,
    freshness: { presentMs: FRESH_MS, absentMs: 10_000 },
    dice: () => 0,
    join: createJoin<Resolution>(() => Promise.resolve()),
    answerFirst: () => Promise.resolve(),
  });
  const read = async (now = NOW): Promise<Entry | undefined> => {
    const work: Promise<unknown>[] = [];
    const found = await resolve(KEY, now, (promise) => void work.push(promise));
    await Promise.all(work);
    return found.kind === "found" ? found.entry : undefined;
  };
  const publish = createPublish({ near: [memory, edge], redis, enqueue: () => Promise.resolve(), canPurge: false });
  const write = async (row: Entry): Promise<void> => {
    await step("postgres write");
    world.row = row.kind === "present" ? row : undefined;
    await publish(KEY, row);
  };
  return { read, write };
}

const CHANGES: readonly (readonly [string, Entry | undefined, Entry])[] = [
  ["a new destination", OLD, NEW],
  ["a deletion", OLD, TOMBSTONE],
  ["a creation after it was asked for in vain", undefined, NEW],
  ["a link that was disabled", OLD, { ...NEW, disabled: true }],
];

/** The state that decides an answer, without when it was vouched for. */
const essence = (entry: Entry | undefined): string =>
  entry?.kind === "present" ? `${entry.longUrl} ${entry.disabled}` : "absent";

describe.for(CHANGES)("%s", ([, before, after]) => {
  /** A writer and a reader in one data centre, each in an isolate of its own. */
  const shareCache = async (turn: Turn) => {
    const world: World = { row: before, redis: new Map() };
    const cache = new Map<string, string>();
    const state = { step: (name: string) => turn(name) };
    const step = (who: string) => (name: string) => state.step(`${who} ${name}`);
    const writer = placeOf(world, step("W"), step("W"), cache);
    const reader = placeOf(world, step("R"), step("R"), cache);
    await Promise.all([writer.write(after), reader.read()]);
    state.step = atOnce;
    return { now: await writer.read(), later: await reader.read(NOW + FRESH_MS) };
  };

  test.for([false, true])(
    "is the last word in Redis and everywhere, with Redis warm: %s",
    async (isWarm, { expect }) => {
      const work = async (turn: Turn) => {
        const world: World = { row: before, redis: new Map() };
        if (isWarm) await placeOf(world, atOnce).read();
        const state = { step: (name: string) => turn(name) };
        const places = ["W", "R1", "R2"].map((who) => placeOf(world, (name) => state.step(`${who} ${name}`)));
        const [writer, ...readers] = places;
        await Promise.all([writer?.write(after), ...readers.map((reader) => reader.read())]);
        state.step = atOnce;
        const redis = [...world.redis.values()].map((text) => essence(decodeEntry(text)));
        const later = await Promise.all(places.map(async (place) => essence(await place.read(NOW + FRESH_MS))));
        return { redis, later };
      };
      const runs = await explore(
        work,
        ({ result: { redis, later }, order }) => {
          const label = order.join(", ");
          expect(redis, label).toEqual([essence(after)]);
          expect(new Set(later), label).toEqual(new Set([essence(after)]));
        },
        MAX_RUNS,
      );
      expect(runs).toBeGreaterThan(10);
    },
  );

  test("shows at once to those who ask the writer's own isolate, and later to all of its data centre", async ({
    expect,
  }) => {
    const runs = await explore(
      shareCache,
      ({ result, order }) => {
        const label = order.join(", ");
        expect(essence(result.now), label).toBe(essence(after));
        expect(essence(result.later), label).toBe(essence(after));
      },
      MAX_RUNS,
    );
    expect(runs).toBeGreaterThan(100);
  });
});
