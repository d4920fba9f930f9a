/**
 * Many entries are published in few requests, and what Redis does not take goes to the queue.
 *
 * @module
 */
import { test } from "vitest";
import type { Change } from "../../shared/change.ts";
import { present } from "../testing/entries.ts";
import { createPublishAll } from "./publish-all.ts";
import { PASS } from "./tier.ts";
import type { Published } from "./tiers/redis.ts";

const entries = (count: number, longUrl = "https://example.com/"): Published[] =>
  Array.from({ length: count }, (_, index) => ({
    key: { domain: "go.example", code: `code-${index}` },
    entry: present({ longUrl }),
  }));

/** Publishes; Redis takes so many parts before it fails. */
async function publish(published: readonly Published[], parts = Infinity, queueWorks = true) {
  const taken: number[] = [];
  const queued: Change[] = [];
  const remembered: string[] = [];
  await createPublishAll({
    memory: { name: "memory", lookup: () => PASS, fill: ({ code }) => void remembered.push(code) },
    redis: {
      async fillAll(part) {
        if (taken.length >= parts) throw new Error("away");
        taken.push(part.length);
      },
    },
    async enqueueAll(changes) {
      if (!queueWorks) throw new Error("away");
      queued.push(...changes);
    },
  })(published);
  return { taken, queued, remembered };
}

test("a thousand ordinary entries are two commands, and in memory", async ({ expect }) => {
  const { taken, queued, remembered } = await publish(entries(1000));
  expect(taken).toHaveLength(2);
  expect(taken.reduce((sum, count) => sum + count)).toBe(1000);
  expect([queued.length, remembered.length]).toEqual([0, 1000]);
});

test("a command holds less than a megabyte of the longest URLs", async ({ expect }) => {
  const { taken } = await publish(entries(200, `https://example.com/${"x".repeat(8172)}`));
  expect(Math.max(...taken) * 8192).toBeLessThan(1_000_000);
});

test("what Redis does not take is queued, each once, and nothing rejects when the queue fails too", async ({
  expect,
}) => {
  const published = entries(1000);
  const { taken, queued } = await publish(published, 1);
  const [first = 0] = taken;
  expect(queued.map(({ key }) => key)).toEqual(published.slice(first).map(({ key }) => key));
  expect(queued[0]).toMatchObject({ redis: true, purge: false });
  await expect(publish(published, 0, false)).resolves.toMatchObject({ queued: [] });
});
