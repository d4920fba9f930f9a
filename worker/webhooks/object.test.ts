/**
 * The object of a webhook runs when it is woken, plans its own next run, and survives a database that is away.
 *
 * @module
 */
import { runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, test } from "vitest";
import { liftFaults, openDatabase, setFault } from "../testing/stack.ts";
import { createRegistry } from "./queries.ts";
import { newSecret } from "./sign.ts";
import { createOutbox } from "./store.ts";
import { createWake } from "./wake.ts";

const database = openDatabase();
const registry = createRegistry(database);
const outbox = createOutbox(database);
const made: string[] = [];

afterEach(async () => {
  await liftFaults();
  for (const id of made.splice(0)) await registry.remove(id);
});

/** Nobody listens on port 9. */
async function makeWebhook(): Promise<string> {
  const id = crypto.randomUUID();
  const settings = { url: "http://127.0.0.1:9/", description: null, events: [], domain: "none.example", tags: [] };
  await registry.create(id, settings, newSecret(), Date.now());
  made.push(id);
  return id;
}

const stubOf = (id: string) => env.WEBHOOK_SENDER.get(env.WEBHOOK_SENDER.idFromName(id));
const alarmOf = (id: string) => runInDurableObject(stubOf(id), (_, state) => state.storage.getAlarm());
const attemptsOf = async (id: string) =>
  (await registry.readDeliveries(id, { status: undefined, after: undefined, limit: 9 })).map(
    ({ attempts }) => attempts,
  );

test("woken, it sends what is due, and comes back when the schedule says", async ({ expect }) => {
  const id = await makeWebhook();
  await registry.addTest(id, `test_${crypto.randomUUID()}`, Date.now());
  await stubOf(id).wake(id);
  await runDurableObjectAlarm(stubOf(id));
  await expect.poll(() => attemptsOf(id)).toEqual([1]);
  await expect.poll(() => alarmOf(id)).toBe(await outbox.nextDueAt(id));
});

test("a receiver that fails has its pause, however often it is woken", async ({ expect }) => {
  const id = await makeWebhook();
  await registry.addTest(id, `test_${crypto.randomUUID()}`, Date.now());
  const before = Date.now();
  await stubOf(id).wake(id);
  await runDurableObjectAlarm(stubOf(id));
  await expect.poll(() => attemptsOf(id)).toEqual([1]);
  await registry.addTest(id, `test_${crypto.randomUUID()}`, Date.now());
  await stubOf(id).wake(id);
  expect(await alarmOf(id)).toBeGreaterThanOrEqual(before + 5000);
});

test("with nothing to send it sleeps", async ({ expect }) => {
  const id = await makeWebhook();
  await stubOf(id).wake(id);
  await runDurableObjectAlarm(stubOf(id));
  await expect.poll(() => alarmOf(id)).toBeNull();
});

test("while the database is away it tries again later, and a wake comes before that", async ({ expect }) => {
  const id = await makeWebhook();
  await registry.addTest(id, `test_${crypto.randomUUID()}`, Date.now());
  await setFault("postgres", { kind: "refuse", matching: id });
  await stubOf(id).wake(id);
  await runDurableObjectAlarm(stubOf(id));
  await expect.poll(() => alarmOf(id)).not.toBeNull();
  await liftFaults();
  expect(await attemptsOf(id)).toEqual([0]);
  await stubOf(id).wake(id);
  await expect.poll(() => attemptsOf(id)).toEqual([1]);
});

test("who has something due is woken, also when another's object cannot be asked; a database that is away rejects nobody", async ({
  expect,
}) => {
  const woken: string[] = [];
  const senderOf = (id: string) => ({
    wake: async () => {
      if (id === "broken") throw new Error("no such object");
      woken.push(id);
    },
  });
  expect(
    await createWake(
      async () => ["one", "broken", "two"],
      senderOf,
      () => 0,
    )(),
  ).toBe(2);
  expect(woken).toEqual(["one", "two"]);
  expect(
    await createWake(
      () => Promise.reject(new Error("away")),
      senderOf,
      () => 0,
    )(),
  ).toBe(0);
});
