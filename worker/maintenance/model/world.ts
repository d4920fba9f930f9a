/**
 * A world for the filter of custom codes: isolates and builders that act at once, a Postgres of maps, a clock that goes when
 * it is told to, and a real Redis. What somebody wants of a backend waits until it is their turn; then it is done, or fails, or
 * is done although its answer is lost, or is done late. For tests.
 *
 * @module
 */
import { BackendDown } from "../../../shared/backend-down.ts";
import type { CodeKey } from "../../../shared/entry.ts";
import type { Dice } from "../../../shared/testing/dice.ts";
import type { RedisClient } from "../../backends/redis.ts";
import {
  createFilter,
  type Filter,
  filterKeys,
  type FilterTruth,
  type StampRefusal,
  wordArguments,
} from "../../entries/filter.ts";
import { createFilterBuild } from "../../entries/filter-build.ts";
import { LOOK_UP } from "../../entries/filter-scripts.ts";
import { rebuildFilter, type RebuildOutcome, type RebuildParts } from "../filter-rebuild.ts";
import { createPast, type Evaluate } from "./past.ts";
import { createModelTruth } from "./truth.ts";

/** One operation in so many fails in each of the three ways. */
const FAILS_ONE_IN = 100;
const REBUILD_LIMITS = { runMs: 10_000, pages: 5, rowsAPage: 4, rowsACommand: 2 };
const MAX_ATTEMPTS = 3;

/** What happened, to tell a proof from a test in which nothing happened. */
export interface Tally {
  absent: number;
  passed: number;
  created: number;
  refused: number;
  served: number;
  dropped: number;
}

/**
 * Builds a world whose clock starts at `startAt` and whose keys begin with `prefix`. Without dice nobody waits and nothing fails:
 * the test says what comes when.
 */
export function createWorld(evaluate: Evaluate, prefix: string, dice: Dice | null, startAt: number) {
  const truth = createModelTruth();
  const tally: Tally = { absent: 0, passed: 0, created: 0, refused: 0, served: 0, dropped: 0 };
  /** Living codes that were called absent: must stay empty. */
  const falseNegatives: string[] = [];
  const waiting: (() => Promise<void>)[] = [];
  const background: Promise<void>[] = [];
  let now = startAt;
  let generations = 0;

  const inTurn = <T>(operation: () => T | Promise<T>): Promise<T> => {
    if (dice === null) return Promise.resolve(operation());
    const { promise, resolve, reject } = Promise.withResolvers<T>();
    const fate = dice.below(FAILS_ONE_IN);
    const fail = (how: string): void => reject(new BackendDown("model", new Error(how)));
    waiting.push(async () => {
      if (fate === 0) return fail("it was refused");
      if (fate === 1) {
        waiting.push(async () => void (await operation()));
        return fail("it did not answer in time");
      }
      const result = await operation();
      return fate === 2 ? fail("its answer was lost") : resolve(result);
    });
    return promise;
  };
  const atModelTime: Evaluate = (script, keys, args) => {
    const time = `{ '${Math.floor(now / 1000)}', '${(now % 1000) * 1000}' }`;
    return evaluate(script.replace("redis.call('TIME')", time), keys, args);
  };
  /** Nothing else happens between a look-up in Redis and the look into Postgres. */
  const judged: Evaluate = async (script, keys, args) => {
    const reply = await atModelTime(script, keys, args);
    if (script === LOOK_UP && Array.isArray(reply)) {
      const code = String(keys[1]).slice(`${prefix}entry:`.length);
      const isAbsent = reply[0] === "absent";
      tally[isAbsent ? "absent" : "passed"] += 1;
      if (isAbsent && truth.has(code)) falseNegatives.push(code);
    }
    return reply;
  };
  const redis: RedisClient = {
    get: refuse,
    ping: refuse,
    evaluate: (...command: Parameters<Evaluate>) => inTurn(() => judged(...command)),
  };
  const asked: FilterTruth = {
    raiseFence: (epoch) => inTurn(() => truth.raise(epoch)),
    settle: (claim) => inTurn(() => truth.settle(claim)),
  };
  const build = createFilterBuild(async () => redis, prefix);
  const builder = (capacity: number): RebuildParts => ({
    build,
    truth: asked,
    readRows: (after, limit) => inTurn(() => truth.page(after, limit).map(({ id, key }) => ({ id: String(id), key }))),
    capacity,
    newName: () => `g${(generations += 1)}`,
    clock: () => now,
    limits: REBUILD_LIMITS,
  });

  return {
    truth,
    /** The steps of a builder, one by one. */
    build,
    /** Names a generation that no other has. */
    newName: () => builder(0).newName(),
    tally,
    falseNegatives,
    past: createPast(evaluate, prefix, () => generations),
    now: () => now,
    advance: (ms: number): void => void (now += ms),
    isolate: (): Filter =>
      createFilter({
        client: async () => redis,
        patientClient: async () => redis,
        prefix,
        truth: async () => asked,
        background: (work) => void background.push(work),
      }),
    /** Ends what goes on behind look-ups and creations. */
    idle: async (): Promise<void> => void (await Promise.all(background.splice(0))),
    /** Looks every living code up this very moment, as isolates do that have seen nothing yet. */
    async audit(): Promise<void> {
      const { meta, blocks } = filterKeys(prefix);
      for (const key of truth.living()) {
        await judged(LOOK_UP, [meta, `${prefix}entry:${key.code}`], [blocks, "0", "0", ...wordArguments(key)]);
      }
    },
    lookup: (filter: Filter, key: CodeKey) => filter.lookup(`${prefix}entry:${key.code}`, key),
    /** As `links/create.ts` does it. */
    async create(filter: Filter, key: CodeKey): Promise<void> {
      let refused: StampRefusal | undefined;
      for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt += 1) {
        const stamp = await filter.add(key, refused);
        const inserted = await inTurn(() => truth.insert(key, stamp));
        if (inserted === "created") tally.created += 1;
        if (inserted === "created" || inserted === "taken") return;
        tally.refused += 1;
        refused = inserted;
      }
    },
    async rebuild(capacity: number): Promise<RebuildOutcome> {
      const outcome = await rebuildFilter(builder(capacity));
      if (outcome === "served" || outcome === "dropped") tally[outcome] += 1;
      return outcome;
    },
    waiting: () => waiting.length,
    /** Lets one of those that wait have its turn, and everybody think about what came of it. */
    async step(): Promise<void> {
      const [turn] = waiting.splice(dice?.below(waiting.length) ?? 0, 1);
      await turn?.();
      await new Promise((resolve) => void setTimeout(resolve, 0));
    },
    /** One of those that wait never comes back: its isolate has ended. */
    forsake: (): void => void waiting.splice(dice?.below(waiting.length) ?? 0, 1),
  };
}

/** The filter has scripts for everything. */
function refuse(): Promise<never> {
  return Promise.reject(new Error("no plain command is expected"));
}

/** A world. */
export type World = ReturnType<typeof createWorld>;
