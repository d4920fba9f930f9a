/**
 * What the queue did not take reaches it later, in order, whatever happens to the object; and one that it never takes holds up no other.
 *
 * @module
 */
import { abortAllDurableObjects, runDurableObjectAlarm } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { test } from "vitest";
import { createSpill, readSpill } from "./client.ts";

const first = env.SPILL.get(env.SPILL.idFromName("0"));
const spill = createSpill(env.SPILL, () => 0);
/** A queue refuses a message over 128 KB (Cloudflare Queues, limits). */
const TOO_LARGE = "x".repeat(200 * 1024);

test("what is spilled waits over an abort, and is gone when the queue took it", async ({ expect }) => {
  const before = await readSpill(env.SPILL);
  await spill("one");
  await spill("two");
  await abortAllDurableObjects();
  expect(await readSpill(env.SPILL)).toEqual({ waiting: before.waiting + 2, kept: before.kept + 2 });
  expect(await runDurableObjectAlarm(first)).toBe(true);
  expect(await readSpill(env.SPILL)).toEqual({ waiting: 0, kept: before.kept + 2 });
  expect(await runDurableObjectAlarm(first)).toBe(false);
});

test("a message that the queue never takes is tried again and again, behind the others", async ({ expect }) => {
  await spill(TOO_LARGE);
  await spill("three");
  await spill("four");
  expect(await runDurableObjectAlarm(first)).toBe(true);
  expect((await readSpill(env.SPILL)).waiting).toBe(3);
  expect(await runDurableObjectAlarm(first)).toBe(true);
  expect((await readSpill(env.SPILL)).waiting).toBe(1);
  expect(await runDurableObjectAlarm(first)).toBe(true);
  expect((await readSpill(env.SPILL)).waiting).toBe(1);
});

test("more than one run of messages leaves in several runs", async ({ expect }) => {
  const other = env.SPILL.get(env.SPILL.idFromName("7"));
  const spillOther = createSpill(env.SPILL, () => 0.99);
  await Promise.all(Array.from({ length: 250 }, (_, index) => spillOther(`message ${index}`)));
  expect(await runDurableObjectAlarm(other)).toBe(true);
  await expect.poll(async () => (await other.status()).waiting).toBe(0);
});
