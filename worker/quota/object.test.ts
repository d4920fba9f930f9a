/**
 * Exactly as many visits pass as the limit says, however many ask at once and whatever happens to the object.
 *
 * @module
 */
import { abortAllDurableObjects, evictAllDurableObjects } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { test } from "vitest";
import { createQuotas } from "./client.ts";

const quotas = createQuotas(env.QUOTA);

test("of 1,000 visits at once on a limit of 100 exactly 100 pass", async ({ expect }) => {
  const answers = await Promise.all(Array.from({ length: 1000 }, () => quotas.take("many", 100)));
  expect(answers.filter(Boolean)).toHaveLength(100);
  expect(await quotas.hasLeft("many", 100)).toBe(false);
});

test("the count outlives evictions and aborts, and never passes more", async ({ expect }) => {
  let passed = 0;
  for (let round = 0; round < 12; round += 1) {
    const calls = Array.from({ length: 10 }, async () => {
      try {
        if (await quotas.take("moved", 50)) passed += 1;
      } catch {
        // The object was aborted under this call: it may have spent a visit, which then is lost to nobody else.
      }
    });
    if (round % 3 === 1) await abortAllDurableObjects();
    await Promise.all(calls);
    if (round % 3 === 2) await evictAllDurableObjects();
  }
  expect(passed).toBeLessThanOrEqual(50);
  expect(passed).toBeGreaterThan(20);
  expect(await quotas.hasLeft("moved", 50)).toBe(false);
});

test("asking whether any is left spends nothing", async ({ expect }) => {
  for (let round = 0; round < 5; round += 1) expect(await quotas.hasLeft("peeked", 1)).toBe(true);
  expect(await quotas.take("peeked", 1)).toBe(true);
  expect(await quotas.take("peeked", 1)).toBe(false);
});

test("a limit that is raised gives more, visits before it count, and a deleted link's count is gone", async ({
  expect,
}) => {
  expect(await quotas.take("raised", 1)).toBe(true);
  expect(await quotas.take("raised", 1)).toBe(false);
  expect(await quotas.take("raised", 2)).toBe(true);
  await quotas.countEarlier("raised", 9);
  await quotas.countEarlier("raised", 3);
  expect(await quotas.take("raised", 9)).toBe(false);
  expect(await quotas.take("raised", 10)).toBe(true);
  await quotas.forget("raised");
  expect(await quotas.take("raised", 1)).toBe(true);
});
