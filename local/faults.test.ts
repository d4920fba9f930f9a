/**
 * Every fault looks to the real clients as it would in the world, meets whom it is aimed at, and is gone when it is lifted.
 *
 * @module
 */
import { neon, NeonDbError, neonConfig } from "@neondatabase/serverless";
import { Redis } from "@upstash/redis";
import { afterAll, beforeAll, test } from "vitest";
import { FAULT_KINDS } from "./faults.ts";
import type { Stack } from "./stack.ts";
import { startStack } from "./stack.ts";

let stack: Stack;
beforeAll(async () => {
  stack = await startStack({});
  neonConfig.fetchEndpoint = stack.databaseEndpoint;
}, 60_000);
afterAll(() => stack.stop());

const LIMIT_MS = 400;
const query = (text: string) =>
  neon(stack.databaseUrl, { fetchOptions: { signal: AbortSignal.timeout(LIMIT_MS) } }).query(text);
const get = (key: string) =>
  new Redis({
    url: stack.redisUrl,
    token: stack.redisToken,
    retry: false,
    enableAutoPipelining: false,
    signal: () => AbortSignal.timeout(LIMIT_MS),
  }).get(key);

test.for(FAULT_KINDS)(
  "%s: either client fails, never with an answer; others are not disturbed; lifted, it is gone",
  async (kind, { expect }) => {
    const ids = [stack.faults.postgres, stack.faults.redis].map((faults) =>
      faults.set({ kind, matching: "aimed", delayMs: 5000 }),
    );
    await expect(query("SELECT 'aimed' AS it")).rejects.toThrow();
    await expect(get("aimed")).rejects.toThrow();
    expect(await query("SELECT 'other' AS it")).toEqual([{ it: "other" }]);
    expect(await get("other")).toBeNull();
    stack.faults.postgres.lift(ids[0] ?? 0);
    stack.faults.redis.lift(ids[1] ?? 0);
    expect(await query("SELECT 'aimed' AS it")).toEqual([{ it: "aimed" }]);
    expect(await get("aimed")).toBeNull();
  },
);

test("a fault with a number of times is used up", async ({ expect }) => {
  stack.faults.postgres.set({ kind: "html", matching: "twice", times: 2 });
  for (let round = 0; round < 2; round += 1)
    await expect(query("SELECT 'twice' AS it")).rejects.toBeInstanceOf(NeonDbError);
  expect(await query("SELECT 'twice' AS it")).toEqual([{ it: "twice" }]);
});

test("a late answer is the right one, for those who wait", async ({ expect }) => {
  const id = stack.faults.postgres.set({ kind: "delay", delayMs: 100, matching: "late" });
  expect(await query("SELECT 'late' AS it")).toEqual([{ it: "late" }]);
  stack.faults.postgres.lift(id);
});

test("over HTTP a fault is set, lifted by its number, and requests are counted", async ({ expect }) => {
  const control = stack.faultUrls.redis;
  const set = await fetch(control, { method: "PUT", body: JSON.stringify({ kind: "too_many", matching: "remote" }) });
  const { id } = Object(await set.json());
  await expect(get("remote")).rejects.toThrow();
  await fetch(`${control}/${String(id)}`, { method: "DELETE" });
  expect(await get("remote")).toBeNull();
  expect(await (await fetch(`${control}/count?matching=remote`)).json()).toEqual({ count: 2 });
  expect((await fetch(control, { method: "PUT", body: '{"kind":"odd"}' })).status).toBe(400);
});

test("a stack ends at once, also with requests that hang, and a second time", async ({ expect }) => {
  const other = await startStack({});
  other.faults.redis.set({ kind: "hang" });
  const hanging = fetch(other.redisUrl, { method: "POST", body: "[]" }).catch(() => "ended");
  await new Promise((resolve) => setTimeout(resolve, 50));
  await other.stop();
  await other.stop();
  expect(await hanging).toBe("ended");
  await expect(fetch(other.databaseEndpoint)).rejects.toThrow();
});

test("a server that cannot be reached is an error, and nothing is left running", async ({ expect }) => {
  await expect(
    startStack({ databaseUrl: "postgres://nobody@127.0.0.1:1/none", isolateDatabase: true }),
  ).rejects.toThrow("ECONNREFUSED");
});
