/**
 * The walk over the tiers: the nearest fresh entry wins, stale beats nothing, and only a tier that knows may say "absent".
 *
 * @module
 */
import { test } from "vitest";
import { type CodeKey, type Entry, notFoundAt } from "../../shared/entry.ts";
import { absent, present } from "../testing/entries.ts";
import { createJoin } from "./flight.ts";
import { freshKey } from "./tier.contract.ts";
import { createResolve, type Freshness, type Resolution, type ResolveParts } from "./resolve.ts";
import { createMemoryTier } from "./tiers/memory.ts";
import { type Answer, type NearTier, PASS, REFUSE, type Tier, type TierName } from "./tier.ts";

const NOW = 1_800_000_000_000;
const FRESHNESS: Freshness = { presentMs: 60_000, absentMs: 10_000 };
const KEY: CodeKey = { domain: "go.example", code: "abc" };
const DOWN: Answer = { kind: "down", cause: new Error("gone") };

const fresh = present({ vouchedAt: NOW - 59_999 });
const stale = present({ vouchedAt: NOW - 60_000 });

interface Seen {
  readonly asked: TierName[];
  readonly filled: (readonly [TierName, Entry])[];
}

function tierOf(name: TierName, answer: Answer, seen: Seen): Tier {
  return {
    name,
    async lookup() {
      seen.asked.push(name);
      return answer;
    },
    async fill(_key, entry) {
      seen.filled.push([name, entry]);
    },
  };
}

function nearOf(name: TierName, answer: Answer, seen: Seen): NearTier {
  return {
    ...tierOf(name, answer, seen),
    lookup() {
      seen.asked.push(name);
      return answer;
    },
  };
}

function partsOf(near: readonly NearTier[], below: readonly Tier[], dice = 0): ResolveParts {
  const join = createJoin<Resolution>(() => Promise.resolve());
  return { near, below, freshness: FRESHNESS, dice: () => dice, join, answerFirst: () => Promise.resolve() };
}

async function resolve(answers: Partial<Record<TierName, Answer>>) {
  const seen: Seen = { asked: [], filled: [] };
  const near = (["memory", "guard"] as const).map((name) => nearOf(name, answers[name] ?? PASS, seen));
  const below = (["edge", "redis", "postgres"] as const).map((name) => tierOf(name, answers[name] ?? PASS, seen));
  const work: Promise<unknown>[] = [];
  const resolution = await createResolve(partsOf(near, below))(KEY, NOW, (promise) => void work.push(promise));
  await Promise.all(work);
  return { resolution, ...seen };
}

const entry = (value: Entry): Answer => ({ kind: "entry", entry: value });

test("a fresh entry in memory asks and fills nothing else", async ({ expect }) => {
  const { resolution, asked, filled } = await resolve({ memory: entry(fresh) });
  expect(resolution).toEqual({ kind: "found", entry: fresh, tier: "memory", stale: false });
  expect(asked).toEqual(["memory"]);
  expect(filled).toEqual([]);
});

test("what a lower tier knows fills every tier above it", async ({ expect }) => {
  const { resolution, filled } = await resolve({ postgres: entry(fresh) });
  expect(resolution).toMatchObject({ kind: "found", tier: "postgres" });
  expect(filled.map(([name]) => name).toSorted()).toEqual(["edge", "guard", "memory", "redis"]);
  expect(filled.every(([, filling]) => filling === fresh)).toBe(true);
});

test("memory is filled at once, and what takes time only when the answer has left", async ({ expect }) => {
  const seen: Seen = { asked: [], filled: [] };
  const answered = Promise.withResolvers<void>();
  const near = [nearOf("memory", PASS, seen)];
  const below = [tierOf("edge", PASS, seen), tierOf("postgres", entry(fresh), seen)];
  const work: Promise<unknown>[] = [];
  const look = createResolve({ ...partsOf(near, below), answerFirst: () => answered.promise });
  expect(await look(KEY, NOW, (promise) => void work.push(promise))).toMatchObject({ kind: "found" });
  await new Promise((later) => setTimeout(later, 0));
  expect(seen.filled.map(([name]) => name)).toEqual(["memory"]);
  answered.resolve();
  await Promise.all(work);
  expect(seen.filled.map(([name]) => name)).toEqual(["memory", "edge"]);
});

test("what tiers that answer at once can tell is told at once, with no promise", ({ expect }) => {
  const seen: Seen = { asked: [], filled: [] };
  const ask = (memory: Answer, guard: Answer) =>
    createResolve(partsOf([nearOf("memory", memory, seen), nearOf("guard", guard, seen)], []))(KEY, NOW, () => {});
  expect(ask(entry(fresh), PASS)).toMatchObject({ kind: "found", tier: "memory" });
  expect(ask(PASS, REFUSE)).toEqual({ kind: "refused" });
});

test("a stale entry is looked up again, and the fresh answer wins even when it says absent", async ({ expect }) => {
  const { resolution } = await resolve({ memory: entry(stale), redis: entry(absent({ version: 5, vouchedAt: NOW })) });
  expect(resolution).toMatchObject({ kind: "found", entry: { kind: "absent", version: 5 }, tier: "redis" });
});

test("a spare entry is served only when nothing below answers", async ({ expect }) => {
  const spare: Answer = { kind: "entry", entry: fresh, isSpare: true };
  const other = present({ version: fresh.version + 1, vouchedAt: NOW });
  expect((await resolve({ memory: spare, edge: entry(other) })).resolution).toMatchObject({
    entry: other,
    tier: "edge",
  });
  expect((await resolve({ memory: spare, redis: DOWN, postgres: DOWN })).resolution).toMatchObject({
    entry: fresh,
    stale: true,
  });
});

test("a link that is gone does not come back when everything is away, though a cache held it long", async ({
  expect,
}) => {
  const memory = createMemoryTier(() => NOW);
  const old = present({ version: (NOW - 3_600_000) * 1000, vouchedAt: NOW - 3_600_000 });
  const key = freshKey();
  memory.fill(key, old);
  const work: Promise<unknown>[] = [];
  const ask = async (answer: Answer) => {
    const last: Tier = { name: "postgres", lookup: () => answer };
    const resolution = await createResolve(partsOf([memory], [last]))(key, NOW, (promise) => void work.push(promise));
    await Promise.all(work);
    return resolution;
  };
  expect(await ask(entry(notFoundAt(NOW)))).toMatchObject({ entry: { kind: "absent" } });
  expect(await ask(DOWN)).toMatchObject({ entry: { kind: "absent" } });
});

test("towards its end an entry is looked up again by chance, so that many of one age are not asked for at once", async ({
  expect,
}) => {
  const late = present({ vouchedAt: NOW - 57_000 });
  const early = present({ vouchedAt: NOW - 53_999 });
  const tierNamed = async (known: Entry, dice: number) => {
    const memory = nearOf("memory", entry(known), { asked: [], filled: [] });
    const last: Tier = { name: "postgres", lookup: () => entry(present({ vouchedAt: NOW })) };
    const resolution = await createResolve(partsOf([memory], [last], dice))(KEY, NOW, () => {});
    return resolution.kind === "found" ? resolution.tier : resolution.kind;
  };
  expect(await tierNamed(late, 0)).toBe("memory");
  expect(await tierNamed(late, 1)).toBe("postgres");
  expect(await tierNamed(early, 1)).toBe("memory");
});

test("absent is believed for a shorter time than present", async ({ expect }) => {
  const old = absent({ vouchedAt: NOW - 10_000 });
  const { asked, resolution } = await resolve({ memory: entry(old), postgres: entry(fresh) });
  expect(asked).toContain("postgres");
  expect(resolution).toMatchObject({ entry: fresh });
});

test("B151: a Redis that is down is passed over", async ({ expect }) => {
  const { resolution } = await resolve({ redis: DOWN, postgres: entry(fresh) });
  expect(resolution).toMatchObject({ kind: "found", tier: "postgres" });
});

test("a stale entry is served when everything below is down", async ({ expect }) => {
  const { resolution, filled } = await resolve({ edge: entry(stale), redis: DOWN, postgres: DOWN });
  expect(resolution).toEqual({ kind: "found", entry: stale, tier: "edge", stale: true });
  expect(filled).toEqual([]);
});

test("of two stale entries the newer version is served", async ({ expect }) => {
  const newer = present({ version: stale.version + 1, vouchedAt: stale.vouchedAt });
  const { resolution } = await resolve({ memory: entry(stale), edge: entry(newer), redis: DOWN, postgres: DOWN });
  expect(resolution).toMatchObject({ entry: newer, tier: "edge" });
});

test("when nothing that could know is reachable, that is what is said, never that the link is absent", async ({
  expect,
}) => {
  expect((await resolve({ edge: DOWN, redis: DOWN, postgres: DOWN })).resolution).toEqual({ kind: "unavailable" });
});

test("a refused code asks nothing below and fills nothing", async ({ expect }) => {
  const { resolution, asked, filled } = await resolve({ guard: REFUSE, postgres: entry(fresh) });
  expect(resolution).toEqual({ kind: "refused" });
  expect(asked).toEqual(["memory", "guard"]);
  expect(filled).toEqual([]);
});

test("a tier that cannot be filled harms nobody", async ({ expect }) => {
  const broken: Tier = { name: "edge", lookup: () => PASS, fill: () => Promise.reject(new Error("full")) };
  const last: Tier = { name: "postgres", lookup: () => entry(fresh) };
  const work: Promise<unknown>[] = [];
  const resolution = await createResolve(partsOf([], [broken, last]))(KEY, NOW, (promise) => void work.push(promise));
  expect(resolution).toMatchObject({ kind: "found" });
  await expect(Promise.all(work)).resolves.toBeDefined();
});
