/**
 * No click waits without an owner, none is sent twice, and a failing queue harms nobody.
 *
 * @module
 */
import { test } from "vitest";
import { MESSAGE_MAX_CLICKS, type PackedMessage } from "../../shared/click.ts";
import { createBuffer, MAX_WINDOW_MS, MIN_WINDOW_MS } from "./buffer.ts";

interface SetUp {
  /** So many sends fail. */
  readonly failures?: number;
  readonly messagesOf?: (kept: readonly number[]) => readonly PackedMessage[];
  readonly capacity?: number;
  readonly canSpill?: boolean;
}

/** A buffer of numbers, whose pauses end when the test says so. */
function setUp({ failures = 0, messagesOf = pack, capacity = MESSAGE_MAX_CLICKS, canSpill = true }: SetUp = {}) {
  const sent: string[] = [];
  const spilled: string[] = [];
  const windows: number[] = [];
  const time = { now: 0 };
  const pauses: (() => void)[] = [];
  const owned: Promise<unknown>[] = [];
  const answered = Promise.withResolvers<void>();
  let left = failures;
  const keep = createBuffer<number>({
    pack: async (kept) => messagesOf(kept),
    capacity,
    async spill(body) {
      if (!canSpill) throw new Error("the objects are away");
      spilled.push(body);
    },
    async send(body) {
      if (left > 0) {
        left -= 1;
        throw new Error("the queue is away");
      }
      sent.push(body);
    },
    wait: (ms) => {
      windows.push(ms);
      return new Promise((resolve) => pauses.push(resolve));
    },
    answerFirst: () => answered.promise,
  });
  const waitUntil = (work: Promise<unknown>) => void owned.push(work);
  return {
    sent,
    spilled,
    windows,
    time,
    pauses,
    owned,
    answer: answered.resolve,
    keep: (visit: number) => keep(visit, time.now, waitUntil),
  };
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
  const { sent, pauses, owned, keep } = setUp({
    failures: 1,
    messagesOf: (kept) => kept.flatMap((visit) => pack([visit])),
  });
  for (const visit of [1, 2, 3]) keep(visit);
  await runOut(pauses);
  await Promise.all(owned);
  expect(sent.toSorted()).toEqual(["1", "2", "3"]);
});

test("a queue that fails for a while is asked again, and the visits arrive once", async ({ expect }) => {
  const { sent, pauses, owned, keep } = setUp({ failures: 2 });
  keep(1);
  await runOut(pauses);
  await Promise.all(owned);
  expect(sent).toEqual(["1"]);
});

test("what a queue that stays away does not take is kept elsewhere, once", async ({ expect }) => {
  const { sent, spilled, pauses, owned, keep } = setUp({ failures: 1000 });
  keep(1);
  await runOut(pauses);
  await Promise.all(owned);
  expect([sent, spilled]).toEqual([[], ["1"]]);
});

test("when nothing takes it, nobody's request is rejected", async ({ expect }) => {
  const { sent, spilled, pauses, owned, keep } = setUp({ failures: 1000, canSpill: false });
  keep(1);
  await runOut(pauses);
  await expect(Promise.all(owned)).resolves.toBeDefined();
  expect([sent, spilled]).toEqual([[], []]);
});

test("visits whose owner was ended by the platform get another one, and are sent once", async ({ expect }) => {
  const { sent, pauses, owned, time, keep } = setUp();
  keep(1);
  time.now = 2 * MAX_WINDOW_MS;
  keep(2);
  expect(owned).toHaveLength(1);
  time.now += 1;
  for (const visit of [3, 4]) keep(visit);
  expect(owned).toHaveLength(2);
  pauses[1]?.();
  await owned[1];
  expect(sent).toEqual(["1,2,3,4"]);
  keep(5);
  pauses[0]?.();
  await owned[0];
  expect(sent).toHaveLength(1);
});

test("a buffer for one sends each visit as soon as it is answered", async ({ expect }) => {
  const { sent, windows, owned, answer, keep } = setUp({ capacity: 1 });
  for (const visit of [1, 2]) keep(visit);
  expect(sent).toEqual([]);
  answer();
  await Promise.all(owned);
  expect([sent, windows]).toEqual([["1", "2"], []]);
});

test("the window grows while visits are steady, and is short again when one comes alone", async ({ expect }) => {
  const { sent, windows, pauses, owned, keep } = setUp();
  for (const company of [2, 2, 2, 2, 1, 1]) {
    for (let visit = 0; visit < company; visit += 1) keep(visit);
    await runOut(pauses);
  }
  await Promise.all(owned);
  expect(sent).toEqual(["0,1", "0,1", "0,1", "0,1", "0", "0"]);
  expect(windows).toEqual([MIN_WINDOW_MS, 2000, MAX_WINDOW_MS, MAX_WINDOW_MS, MAX_WINDOW_MS, MIN_WINDOW_MS]);
});

async function runOut(pauses: (() => void)[]): Promise<void> {
  for (let turn = 0; turn < 10; turn += 1) {
    for (const end of pauses.splice(0)) end();
    await new Promise((resolve) => setTimeout(resolve, 0));
  }
}
