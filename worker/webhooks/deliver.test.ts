/**
 * What happened is in the outbox once, in the transaction that made it true; it is sent by one sender at a time, tried again with growing
 * pauses, and given up with its receiver. The clock is handed in.
 *
 * @module
 */
import { afterEach, test } from "vitest";
import { isRecord } from "../../shared/json.ts";
import { openDatabase } from "../testing/stack.ts";
import { forgetPastDeliveries } from "./retention.ts";
import { broken, DAY, ok, SECOND, START, openScene } from "./world.ts";

const database = openDatabase();
const { addTests, deliveriesOf, left, makeWebhook, offReason, openWorld, outbox, registry, removeMade } =
  openScene(database);

afterEach(removeMade);

test("two senders at once send each delivery once", async ({ expect }) => {
  const id = await makeWebhook();
  await addTests(id, 30);
  const { world, run } = openWorld(async () => {
    await scheduler.wait(20);
    return ok();
  });
  await Promise.all([run(id), run(id), run(id)]);
  expect(world.sent).toHaveLength(30);
  expect(new Set(world.sent.map((sent) => sent.id)).size).toBe(30);
  expect(await outbox.nextDueAt(id)).toBeNull();
});

test("a run sends twenty at most, five at once, and says that the next is due at once", async ({ expect }) => {
  const id = await makeWebhook();
  await addTests(id, 25);
  let [open, most] = [0, 0];
  const { world, run } = openWorld(async () => {
    open += 1;
    most = Math.max(most, open);
    await scheduler.wait(5);
    open -= 1;
    return ok();
  });
  expect(await run(id)).toBe(START);
  expect([world.sent.length, most]).toEqual([20, 5]);
  expect(await run(id)).toBeNull();
  expect(world.sent).toHaveLength(25);
});

test("a delivery that fails is tried ten times under one id, with the pauses of the schedule, and then no more", async ({
  expect,
}) => {
  const id = await makeWebhook();
  await addTests(id, 1);
  const { world, run } = openWorld(broken);
  const pauses: number[] = [];
  for (let next: number | null = START; next !== null;) {
    world.now = next;
    next = await run(id);
    if (next !== null) pauses.push((next - world.now) / SECOND);
  }
  expect(pauses).toEqual([5, 300, 1800, 7200, 18_000, 36_000, 50_400, 72_000, 86_400]);
  expect(world.sent).toHaveLength(10);
  expect(new Set(world.sent.map((sent) => sent.id)).size).toBe(1);
  expect(new Set(world.sent.map((sent) => sent.at)).size).toBe(10);
  expect(await deliveriesOf(id)).toMatchObject([
    { status: "failed", attempts: 10, nextAttemptAt: null, lastAttempt: { status: 500, error: null } },
  ]);
  world.now += DAY;
  await run(id);
  expect(world.sent).toHaveLength(10);
});

test("what failed twice and then succeeds is delivered, and the webhook works again", async ({ expect }) => {
  const id = await makeWebhook();
  await addTests(id, 1);
  const { world, run } = openWorld(() => (world.sent.length < 3 ? broken() : ok()));
  world.now = (await run(id)) ?? 0;
  expect(await registry.find(id)).toMatchObject({ failingSince: new Date(START).toISOString() });
  world.now = (await run(id)) ?? 0;
  expect(await run(id)).toBeNull();
  expect(await deliveriesOf(id)).toMatchObject([{ status: "delivered", attempts: 3, lastAttempt: { status: 204 } }]);
  expect(await registry.find(id)).toMatchObject({ failingSince: null, disabled: false });
});

test("a receiver that does not answer, or answers with a redirect, has not taken the message", async ({ expect }) => {
  const id = await makeWebhook();
  await addTests(id, 2);
  let answers = 0;
  const { world, run } = openWorld(() => {
    answers += 1;
    if (answers === 1) throw new TypeError("connection refused");
    return Response.redirect("https://elsewhere.example/", 307);
  });
  await run(id);
  expect(world.sent.map(({ redirect }) => redirect)).toEqual(["manual", "manual"]);
  const statuses = (await deliveriesOf(id)).map(({ status, lastAttempt }) => [
    status,
    lastAttempt?.status,
    lastAttempt?.error,
  ]);
  expect(statuses).toHaveLength(2);
  expect(statuses).toContainEqual(["pending", null, "TypeError: connection refused"]);
  expect(statuses).toContainEqual(["pending", 307, null]);
});

test("a receiver that asks for a longer pause gets it", async ({ expect }) => {
  const id = await makeWebhook();
  await addTests(id, 1);
  const { run } = openWorld(() => new Response(null, { status: 429, headers: { "Retry-After": "90" } }));
  expect(await run(id)).toBe(START + 90 * SECOND);
});

test("what cannot be read any more fails, and takes nothing along", async ({ expect }) => {
  const id = await makeWebhook();
  await addTests(id, 2);
  await database.execute(
    `INSERT INTO webhook_deliveries (webhook_id, event_id, type, occurred_at, payload, next_attempt_at)
     SELECT '${id}', 'created_' || n, 'link.created', to_timestamp(${START / 1000}), '"broken"', to_timestamp(${START / 1000})
     FROM generate_series(1, 2) AS n`,
  );
  const { world, run } = openWorld(ok);
  expect(await run(id)).toBe(START + 5 * SECOND);
  expect(world.sent).toHaveLength(2);
  expect((await deliveriesOf(id)).map(({ type, status, lastAttempt }) => [type, status, lastAttempt?.error])).toEqual([
    ["webhook.test", "delivered", null],
    ["webhook.test", "delivered", null],
    ["link.created", "pending", "What happened cannot be read any more."],
    ["link.created", "pending", "What happened cannot be read any more."],
  ]);
});

test("410 switches the webhook off at once; switched on again, what waited goes out", async ({ expect }) => {
  const id = await makeWebhook();
  await addTests(id, 30);
  const { world, run } = openWorld(() => (world.now === START ? new Response(null, { status: 410 }) : ok()));
  expect(await run(id)).toBeNull();
  expect(world.sent.length).toBeLessThanOrEqual(5);
  expect(await offReason(id)).toBe("gone");
  world.now += SECOND;
  expect(await run(id)).toBeNull();
  expect(await outbox.readDue(world.now)).not.toContain(id);
  const change = { url: undefined, description: undefined, events: undefined, domain: undefined, tags: undefined };
  expect(await registry.change(id, { ...change, disabled: false }, world.now)).toMatchObject({ disabled: false });
  expect(await outbox.readDue(world.now)).toContain(id);
  for (let runs = 0; runs < 3; runs += 1) await run(id);
  expect((await deliveriesOf(id)).map(({ status }) => status)).toEqual(Array.from({ length: 30 }, () => "delivered"));
});

test("a sender that dies loses nothing: what it had claimed is sent when its lease ends", async ({ expect }) => {
  const id = await makeWebhook();
  await addTests(id, 1);
  await outbox.claim(id, { now: START, limit: 20, failingLimit: 5, leaseMs: 120 * SECOND });
  const { world, run } = openWorld(ok);
  expect(await run(id)).toBe(START + 120 * SECOND);
  expect(world.sent).toEqual([]);
  world.now = START + 120 * SECOND;
  expect(await run(id)).toBeNull();
  expect(world.sent).toHaveLength(1);
});

const NO_CLAIM = { url: "", leaseEnd: 0 };

test("a sender whose lease has ended writes nothing over what the next one found", async ({ expect }) => {
  const id = await makeWebhook();
  await addTests(id, 1);
  const late = await outbox.claim(id, { now: START, limit: 20, failingLimit: 5, leaseMs: 0 });
  const { run } = openWorld(ok);
  await run(id);
  const [delivery] = late?.deliveries ?? [];
  const failed = { id: delivery?.id ?? "", attempt: 1, ok: false, status: 500, error: null, ms: 1, nextAt: START };
  await outbox.settle(id, late ?? NO_CLAIM, [failed], { gone: false, failingBefore: 0 }, START);
  expect(await deliveriesOf(id)).toMatchObject([{ status: "delivered", attempts: 2 }]);
});

test("what was delivered, and what failed in a period, can be sent again under its id", async ({ expect }) => {
  const id = await makeWebhook();
  await addTests(id, 2, START);
  await addTests(id, 1, START + DAY);
  const { world, run } = openWorld(() => (world.now < START + 9 * DAY ? broken() : ok()));
  await database.execute(`UPDATE webhook_deliveries SET attempts = 9 WHERE webhook_id = '${id}'`);
  world.now = START + DAY;
  await run(id);
  expect((await deliveriesOf(id)).map(({ status }) => status)).toEqual(["failed", "failed", "failed"]);
  world.now = START + 9 * DAY;
  expect(await registry.replayFailed(id, START - 1, START + 1, world.now)).toBe(2);
  await run(id);
  expect((await deliveriesOf(id)).map(({ status }) => status)).toEqual(["failed", "delivered", "delivered"]);
  const eventId = world.sent.at(-1)?.id ?? "";
  expect(await registry.replay(id, eventId, world.now)).toMatchObject({ id: eventId, status: "pending", attempts: 0 });
  await run(id);
  expect(world.sent.filter((sent) => sent.id === eventId)).toHaveLength(3);
  expect(await registry.replay(id, "test_unknown", world.now)).toBeUndefined();
});

test("a body says what happened, when, and with what", async ({ expect }) => {
  const id = await makeWebhook();
  await addTests(id, 1);
  const { world, run } = openWorld(ok);
  await run(id);
  expect(world.sent[0]?.body).toEqual({
    type: "webhook.test",
    timestamp: new Date(START).toISOString(),
    data: { message: "A test of this webhook." },
  });
  expect(isRecord(world.sent[0]?.body)).toBe(true);
});

test("what was delivered is forgotten after a week, what was not after thirty days, and of a deleted webhook at once", async ({
  expect,
}) => {
  const [kept, gone] = [await makeWebhook(), crypto.randomUUID()];
  // Long ago, so that no other file's deliveries are past their time as well; and not due, so that nobody sends them.
  const past = START - 2000 * DAY;
  const at = `to_timestamp(${past / 1000})`;
  for (const [id, event, deliveredAt] of [
    [kept, "delivered", at],
    [kept, "failed", "NULL"],
    [gone, "orphan", at],
  ] as const) {
    await database.execute(
      `INSERT INTO webhook_deliveries (webhook_id, event_id, type, occurred_at, payload, delivered_at, last_attempt_at)
       VALUES ('${id}', 'test_${event}', 'webhook.test', ${at}, '{}', ${deliveredAt}, ${at})`,
    );
  }
  await forgetPastDeliveries(outbox.forget, past + 6 * DAY);
  expect([await left(kept), await left(gone)]).toEqual([["delivered", "failed"], []]);
  await database.execute(
    `INSERT INTO webhook_deliveries (webhook_id, event_id, type, occurred_at, payload)
     SELECT '${gone}', 'test_' || n, 'webhook.test', ${at}, '{}' FROM generate_series(1, 7) AS n`,
  );
  expect(await forgetPastDeliveries(outbox.forget, past + 6 * DAY, 3)).toBeGreaterThanOrEqual(7);
  expect(await left(gone)).toEqual([]);
  await forgetPastDeliveries(outbox.forget, past + 8 * DAY);
  expect(await left(kept)).toEqual(["failed"]);
  await forgetPastDeliveries(outbox.forget, past + 31 * DAY);
  expect(await left(kept)).toEqual([]);
});
