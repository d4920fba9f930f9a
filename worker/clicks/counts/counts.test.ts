/**
 * Each report is added once, however often it comes and whatever becomes of the answer; counts never take clicks along.
 *
 * @module
 */
import { test } from "vitest";
import { BackendDown } from "../../../shared/backend-down.ts";
import { packCounts } from "../../../shared/click.ts";
import type { CountReport } from "../../../shared/counters.ts";
import { count, takeCounts } from "../../telemetry/counters.ts";
import { openDatabase } from "../../testing/stack.ts";
import { createConsumeCounts } from "./consume.ts";
import { createRide } from "./ride.ts";
import { createWriteCounts } from "./store.ts";

const database = openDatabase();
const write = createWriteCounts(database);
const mintId = (): string => crypto.randomUUID();
let serial = 0;

/** A counter that no other test has. */
function newCounter(): string {
  serial += 1;
  return `test_${serial}_${crypto.randomUUID().slice(0, 8)}`;
}

const reportOf = (name: string, value: number): CountReport => ({ id: mintId(), counts: new Map([[name, value]]) });

async function valueOf(name: string): Promise<number> {
  const { rows } = await database.execute<{ value: string }>(`SELECT value FROM metrics WHERE name = '${name}'`);
  return Number(rows[0]?.value ?? 0);
}

test("a report that comes again, twice in one batch and later, is added once; another adds up", async ({ expect }) => {
  const name = newCounter();
  const report = reportOf(name, 3);
  await write([report, report]);
  await write([report, reportOf(name, 4)]);
  expect(await valueOf(name)).toBe(7);
});

test("consumers that add to the same counters at once lose nothing and never deadlock", async ({ expect }) => {
  const names = Array.from({ length: 20 }, newCounter);
  const reports = Array.from({ length: 40 }, () => ({ id: mintId(), counts: new Map(names.map((name) => [name, 1])) }));
  const twice = [...reports, ...reports.toReversed()];
  await Promise.all(Array.from({ length: 8 }, (_, consumer) => write(twice.slice(consumer * 10, consumer * 10 + 10))));
  expect(await Promise.all(names.map(valueOf))).toEqual(names.map(() => 40));
});

test("an isolate's own counts keep their id until they surely are written", async ({ expect }) => {
  takeCounts(0);
  count("queue_batches", 5);
  const tried: CountReport[] = [];
  let isAway = true;
  const consume = createConsumeCounts({
    write: async (reports) => {
      tried.push(...reports);
      if (isAway) throw new BackendDown("postgres", new Error("no answer, but it may be written"));
    },
    mintId,
    clock: () => 1,
  });
  await expect(consume([])).rejects.toThrow(BackendDown);
  count("queue_batches", 2);
  isAway = false;
  await consume([]);
  await consume([]);
  expect(tried.map(({ counts }) => counts.get("queue_batches"))).toEqual([5, 5, 2]);
  expect(tried[1]?.id).toBe(tried[0]?.id);
  expect(tried[2]?.id).not.toBe(tried[0]?.id);
});

test("counts that the database refuses are given up, and the messages are not delivered again", async ({ expect }) => {
  takeCounts(0);
  const name = newCounter();
  const consume = createConsumeCounts({ write, mintId, clock: () => 1 });
  const refused = { id: mintId(), counts: new Map([[name, 1]]) };
  await database.execute(`ALTER TABLE metrics ADD CONSTRAINT ${name} CHECK (name <> '${name}')`);
  await consume([packCounts(refused), "no message at all", 7]);
  await database.execute(`ALTER TABLE metrics DROP CONSTRAINT ${name}`);
  expect(await valueOf(name)).toBe(0);
});

test("counts that no click takes along ride by themselves, once for many requests", async ({ expect }) => {
  const sent: string[] = [];
  const work: Promise<unknown>[] = [];
  const ride = createRide({
    send: async (body) => void sent.push(body),
    wait: async () => {},
    mintId,
    clock: () => 100_000,
  });
  takeCounts(0);
  count("stale_answers", 2);
  for (const now of [100_000, 100_001, 109_999]) ride(now, (job) => void work.push(job));
  await Promise.all(work);
  expect(sent.map((body) => body.includes('"stale_answers":2'))).toEqual([true]);
  ride(109_999, (job) => void work.push(job));
  ride(110_001, (job) => void work.push(job));
  await Promise.all(work);
  // Nothing was counted meanwhile, so nothing is sent.
  expect([sent.length, work.length]).toEqual([1, 2]);
});
