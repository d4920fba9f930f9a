/**
 * No click waits without an owner, none is sent twice, and a failing queue harms nobody.
 *
 * @module
 */
import { test } from "vitest";
import { MESSAGE_MAX_CLICKS, type PackedMessage } from "../../shared/click.ts";
import { createBuffer } from "./buffer.ts";

/** A buffer of numbers, whose pauses end when the test says so. */
function setUp(failures = 0, messagesOf: (kept: readonly number[]) => readonly PackedMessage[] = pack) {
  const sent: string[] = [];
  const pauses: (() => void)[] = [];
  const owned: Promise<unknown>[] = [];
  const answered = Promise.withResolvers<void>();
  let left = failures;
  const keep = createBuffer<number>({
    pack: async (kept) => messagesOf(kept),
    async send(body) {
      if (left > 0) {
        left -= 1;
        throw new Error("the queue is away");
      }
      sent.push(body);
    },
    wait: () => new Promise((resolve) => pauses.push(resolve)),
    answerFirst: () => answered.promise,
  });
  const waitUntil = (work: Promise<unknown>) => void owned.push(work);
  return { sent, pauses, owned, answer: answered.resolve, keep: (visit: number) => keep(visit, waitUntil) };
}

const pack = (kept: readonly number[]): readonly PackedMessage[] => [{ body: kept.join(), clicks: kept.length }];

test("the first visit owns the flush; the others ride along", async ({ expect }) => {
  const { sent, pauses, owned, keep } = setUp();
  for (const visit of [1, 2, 3]) keep(visit);
  expect(owned).toHaveLength(1);
  expect(sent).toHaveLength(0);
  pauses[0]?.();
  await Promise.all(owned);
  expect(sent).toEqual(["1,2,3"]);
});

test("a full buffer leaves as soon as its last visit was answered, and the pause of its first visit does not take the next one's", async ({
  expect,
}) => {
  const { sent, pauses, owned, answer, keep } = setUp();
  const full = Array.from({ length: MESSAGE_MAX_CLICKS }, (_, visit) => visit);
  for (const visit of full) keep(visit);
  await new Promise((resolve) => setTimeout(resolve, 0));
  expect(sent).toEqual([]);
  answer();
  await owned[1];
  expect(sent).toEqual([full.join()]);
  keep(1000);
  pauses[0]?.();
  await owned[0];
  expect(sent).toHaveLength(1);
  pauses[1]?.();
  await Promise.all(owned);
  expect(sent).toEqual([full.join(), "1000"]);
});

test("visits that need several messages are sent in all of them, each until the queue took it", async ({ expect }) => {
  const { sent, pauses, owned, keep } = setUp(1, (kept) => kept.flatMap((visit) => pack([visit])));
  for (const visit of [1, 2, 3]) keep(visit);
  await runOut(pauses);
  await Promise.all(owned);
  expect(sent.toSorted()).toEqual(["1", "2", "3"]);
});

test("a queue that fails for a while is asked again, and the visits arrive once", async ({ expect }) => {
  const { sent, pauses, owned, keep } = setUp(2);
  keep(1);
  await runOut(pauses);
  await Promise.all(owned);
  expect(sent).toEqual(["1"]);
});

test("a queue that stays away rejects nobody's request", async ({ expect }) => {
  const { sent, pauses, owned, keep } = setUp(1000);
  keep(1);
  await runOut(pauses);
  await expect(Promise.all(owned)).resolves.toBeDefined();
  expect(sent).toHaveLength(0);
});

async function runOut(pauses: (() => void)[]): Promise<void> {
  for (let turn = 0; turn < 10; turn += 1) {
    for (const end of pauses.splice(0)) end();
    await new Promise((resolve) => setTimeout(resolve, 0));
  }
}
