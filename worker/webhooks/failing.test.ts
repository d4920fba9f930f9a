/**
 * A webhook whose receiver fails: when it is given up, when it is not, and that it is never silent for ever.
 *
 * @module
 */
import { afterEach, test } from "vitest";
import { openDatabase } from "../testing/stack.ts";
import { broken, DAY, ok, SECOND, START, openScene } from "./world.ts";

const { addTests, deliveriesOf, makeWebhook, offReason, openWorld, outbox, registry, removeMade } =
  openScene(openDatabase());

afterEach(removeMade);

test("four days of nothing but failures switch it off; one success in between begins anew", async ({ expect }) => {
  const [lasting, recovering] = [await makeWebhook(), await makeWebhook()];
  let works = false;
  const { world, run } = openWorld(() => (works ? ok() : broken()));
  const tell = async (id: string, days: number) => {
    world.now = START + days * DAY;
    await addTests(id, 1, world.now);
    await run(id);
  };
  await tell(lasting, 0);
  await tell(recovering, 0);
  await tell(lasting, 3.9);
  expect(await offReason(lasting)).toBeNull();
  works = true;
  await tell(recovering, 3.9);
  works = false;
  await tell(lasting, 4.1);
  await tell(recovering, 4.1);
  expect(await offReason(lasting)).toBe("failing");
  expect(await offReason(recovering)).toBeNull();
});

test("a webhook that fails is asked five times a run, five seconds apart", async ({ expect }) => {
  const id = await makeWebhook();
  await addTests(id, 12);
  const { world, run } = openWorld(broken);
  await run(id);
  const before = world.sent.length;
  expect(before).toBe(12);
  await addTests(id, 12);
  expect(await run(id)).toBe(START + 5 * SECOND);
  expect(world.sent).toHaveLength(before + 5);
});

/** Runs until nothing waits. */
async function runOut(run: (id: string) => Promise<number | null>, id: string, world: { now: number }): Promise<void> {
  for (let next = await run(id); next !== null; next = await run(id)) world.now = next;
}

test("one message that is refused for good switches nothing off, and what comes weeks later is told as ever", async ({
  expect,
}) => {
  const id = await makeWebhook();
  await addTests(id, 1);
  const { world, run } = openWorld(() => (world.now < START + 10 * DAY ? broken() : ok()));
  await runOut(run, id, world);
  expect(await registry.find(id)).toMatchObject({ failingSince: null, disabled: false });
  world.now = START + 30 * DAY;
  await addTests(id, 1, world.now);
  await run(id);
  expect((await deliveriesOf(id)).map(({ status }) => status)).toEqual(["delivered", "failed"]);
});

test("a single hiccup days after a message was given up switches nothing off", async ({ expect }) => {
  const id = await makeWebhook();
  await addTests(id, 1);
  const { world, run } = openWorld(broken);
  await runOut(run, id, world);
  world.now = START + 6 * DAY;
  await addTests(id, 1, world.now);
  await run(id);
  expect(await offReason(id)).toBeNull();
});

test("who fails for as long as clicks are kept, and as one of them is tried, is switched off", async ({ expect }) => {
  const id = await makeWebhook();
  const { world, run } = openWorld(broken);
  await addTests(id, 1, START);
  await run(id);
  // Of a webhook that has failed for a day no click is written down any more.
  await addTests(id, 1, START + DAY - SECOND);
  await runOut(run, id, world);
  expect(await offReason(id)).toBe("failing");
});

test("replayed while it is sent, a delivery belongs to whoever claims it anew", async ({ expect }) => {
  const id = await makeWebhook();
  await addTests(id, 1);
  const asked = { limit: 20, failingLimit: 5, leaseMs: 120 * SECOND };
  const first = await outbox.claim(id, { now: START, ...asked });
  const [delivery] = first?.deliveries ?? [];
  const eventId = delivery?.id ?? "";
  await registry.replay(id, eventId, START + SECOND);
  const second = await outbox.claim(id, { now: START + SECOND, ...asked });
  expect(second?.deliveries).toMatchObject([{ id: eventId, attempt: 1 }]);
  const late = { id: eventId, attempt: 1, ok: false, status: 500, error: null, ms: 1, nextAt: START + 5 * SECOND };
  if (first !== undefined)
    await outbox.settle(id, first, [late], { gone: false, failingBefore: 0 }, START + 2 * SECOND);
  expect(await outbox.nextDueAt(id)).toBe(START + SECOND + asked.leaseMs);
});

test("what an address that was left says does not count for the new one", async ({ expect }) => {
  const id = await makeWebhook();
  await addTests(id, 1);
  const claimed = await outbox.claim(id, { now: START, limit: 20, failingLimit: 5, leaseMs: 120 * SECOND });
  const change = { description: undefined, events: undefined, domain: undefined, tags: undefined, disabled: undefined };
  await registry.change(id, { ...change, url: "https://new.example/" }, START);
  if (claimed !== undefined) await outbox.settle(id, claimed, [], { gone: true, failingBefore: 0 }, START);
  expect(await registry.find(id)).toMatchObject({ disabled: false, failingSince: null });
});
