/**
 * A change reaches every cache that can be reached, and the queue takes what cannot.
 *
 * @module
 */
import { test } from "vitest";
import type { Change } from "../../shared/change.ts";
import { present } from "../testing/entries.ts";
import { createPublish } from "./publish.ts";
import { PASS, type Tier, type TierName } from "./tier.ts";

const KEY = { domain: "go.example", code: "abc" };

function tierOf(name: TierName, filled: TierName[], works = true): Tier {
  return {
    name,
    lookup: () => PASS,
    async fill() {
      if (!works) throw new Error("full");
      filled.push(name);
    },
  };
}

async function publish(options: { redis?: boolean; edge?: boolean; canPurge?: boolean; queue?: boolean }) {
  const filled: TierName[] = [];
  const queued: Change[] = [];
  await createPublish({
    near: [tierOf("memory", filled), tierOf("edge", filled, options.edge)],
    redis: tierOf("redis", filled, options.redis),
    canPurge: options.canPurge ?? false,
    enqueue: async (change) => {
      if (options.queue === false) throw new Error("the queue is away");
      queued.push(change);
    },
  })(KEY, present({ version: 7 }));
  return { filled: filled.toSorted(), queued };
}

test("where everything works, every cache is filled and nothing is queued", async ({ expect }) => {
  expect(await publish({})).toEqual({ filled: ["edge", "memory", "redis"], queued: [] });
});

test("what Redis did not take is queued with its version", async ({ expect }) => {
  const { filled, queued } = await publish({ redis: false });
  expect(filled).toEqual(["edge", "memory"]);
  expect(queued).toMatchObject([{ key: KEY, entry: { version: 7 }, redis: true, purge: false }]);
});

test("with a zone, every change is queued to be purged elsewhere", async ({ expect }) => {
  expect((await publish({ canPurge: true })).queued).toMatchObject([{ redis: false, purge: true }]);
  expect((await publish({ canPurge: true, redis: false })).queued).toMatchObject([{ redis: true, purge: true }]);
});

test("an edge cache that fails keeps nothing from Redis", async ({ expect }) => {
  expect(await publish({ edge: false })).toEqual({ filled: ["memory", "redis"], queued: [] });
});

test("nothing that fails rejects: the row stands", async ({ expect }) => {
  await expect(publish({ redis: false, edge: false, queue: false })).resolves.toBeDefined();
});
