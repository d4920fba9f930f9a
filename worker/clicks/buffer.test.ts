/**
 * No click waits without an owner, none is sent twice, and a failing queue harms nobody.
 *
 * @module
 */
import { test } from "vitest";
import { type Click, MESSAGE_MAX_BYTES, MESSAGE_MAX_CLICKS, unpackMessage } from "../../shared/click.ts";
import { createBuffer } from "./buffer.ts";

const click = (id: number, userAgent: string | null = null): Click => ({
  id: `00000000-0000-4000-8000-${String(id).padStart(12, "0")}`,
  linkId: "7",
  at: 1_800_000_000_000,
  country: null,
  region: null,
  city: null,
  referrer: null,
  language: null,
  userAgent,
  ip: null,
});

/** A buffer whose pauses end when the test says so. */
function setUp(failures = 0) {
  const sent: string[] = [];
  const pauses: (() => void)[] = [];
  const owned: Promise<unknown>[] = [];
  let left = failures;
  const add = createBuffer(
    async (body) => {
      if (left > 0) {
        left -= 1;
        throw new Error("the queue is away");
      }
      sent.push(body);
    },
    () => new Promise((resolve) => pauses.push(resolve)),
  );
  const waitUntil = (work: Promise<unknown>) => void owned.push(work);
  return { sent, pauses, owned, add: (item: Click) => add(item, waitUntil) };
}

const idsOf = (body: string): string[] => {
  const message = unpackMessage(body);
  return message.ok ? message.clicks.map((item) => item.id) : [];
};

test("the first click of a message owns its flush; the others ride along", async ({ expect }) => {
  const { sent, pauses, owned, add } = setUp();
  add(click(1));
  add(click(2));
  add(click(3));
  expect(owned).toHaveLength(1);
  expect(sent).toHaveLength(0);
  pauses[0]?.();
  await Promise.all(owned);
  expect(sent.map(idsOf)).toEqual([[click(1).id, click(2).id, click(3).id]]);
});

test("a full message leaves at once, and the pause of its first click does not take the next one's clicks", async ({
  expect,
}) => {
  const { sent, pauses, owned, add } = setUp();
  for (let id = 0; id < MESSAGE_MAX_CLICKS; id += 1) add(click(id));
  await Promise.resolve();
  expect(sent.map((body) => idsOf(body).length)).toEqual([MESSAGE_MAX_CLICKS]);
  add(click(1000));
  pauses[0]?.();
  await owned[0];
  expect(sent).toHaveLength(1);
  pauses[1]?.();
  await Promise.all(owned);
  expect(sent.map((body) => idsOf(body).length)).toEqual([MESSAGE_MAX_CLICKS, 1]);
});

test("no message grows over its bound in bytes, and every click is sent once", async ({ expect }) => {
  const { sent, pauses, owned, add } = setUp();
  const ids = Array.from({ length: 250 }, (_, id) => click(id, "小".repeat(512)));
  for (const item of ids) add(item);
  for (const pause of pauses) pause();
  await Promise.all(owned);
  for (const body of sent) expect(new TextEncoder().encode(body).length).toBeLessThanOrEqual(MESSAGE_MAX_BYTES);
  expect(sent.flatMap(idsOf)).toEqual(ids.map((item) => item.id));
});

test("a queue that fails for a while is asked again, and the clicks arrive once", async ({ expect }) => {
  const { sent, pauses, owned, add } = setUp(2);
  add(click(1));
  for (let turn = 0; turn < 10; turn += 1) {
    pauses.shift()?.();
    await new Promise((resolve) => setTimeout(resolve, 0));
  }
  await Promise.all(owned);
  expect(sent.map(idsOf)).toEqual([[click(1).id]]);
});

test("a queue that stays away rejects nobody's request", async ({ expect }) => {
  const { sent, pauses, owned, add } = setUp(1000);
  add(click(1));
  for (let turn = 0; turn < 10; turn += 1) {
    pauses.shift()?.();
    await new Promise((resolve) => setTimeout(resolve, 0));
  }
  await expect(Promise.all(owned)).resolves.toBeDefined();
  expect(sent).toHaveLength(0);
});
