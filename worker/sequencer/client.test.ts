/**
 * The client finds ids where there are any, says so when there are none, and never gets one twice, whatever the clocks and
 * the objects do.
 *
 * @module
 */
import { abortAllDurableObjects, evictAllDurableObjects, reset } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, beforeEach, test, vi } from "vitest";
import { BackendDown } from "../../shared/backend-down.ts";
import { idsOf } from "../../shared/sequence.ts";
import { decompose, LAYOUTS } from "../../shared/snowflake.ts";
import { createNextIds, type Fleet, readStatus } from "./client.ts";
import { preferenceOf } from "./preference.ts";

const PLACE = { colo: "FRA", continent: "EU" };
const [FIRST = 0, SECOND = 0] = preferenceOf(PLACE, 4, []);

const fleetOf = (fields: Partial<Fleet> = {}): Fleet => ({
  namespace: env.SEQUENCER,
  layout: "classic",
  shards: 4,
  hints: [],
  isUsable: () => true,
  ...fields,
});

const machineOf = (id: bigint | undefined): number | undefined =>
  id === undefined ? undefined : decompose(LAYOUTS.classic, id)?.machine;

/** Makes the object of a machine serve another one, so that it fails for this one ever after. */
const misuse = (machine: number) =>
  env.SEQUENCER.get(env.SEQUENCER.idFromName(`classic-${machine}`)).next(
    { layout: "classic", machine: machine + 100 },
    1,
    false,
  );

/** What the call first rejects with, of 2,000 times. */
async function firstFailure(call: () => Promise<unknown>): Promise<unknown> {
  for (let round = 0; round < 2000; round += 1) {
    try {
      await call();
    } catch (error) {
      return error;
    }
  }
  return undefined;
}

beforeEach(reset);
afterEach(() => void vi.restoreAllMocks());

test("the machine that a place prefers gives its ids", async ({ expect }) => {
  const next = createNextIds(fleetOf());
  for (let round = 0; round < 3; round += 1) {
    const ids = idsOf(await next(5, PLACE, Date.now()));
    expect(ids.map(machineOf)).toEqual(Array.from({ length: 5 }, () => FIRST));
  }
});

test("where one machine fails the next in line is asked, and the one that failed is left alone for a while", async ({
  expect,
}) => {
  await misuse(FIRST);
  const next = createNextIds(fleetOf());
  for (let round = 0; round < 3; round += 1) {
    expect(machineOf(idsOf(await next(1, PLACE, Date.now()))[0])).toBe(SECOND);
  }
  const status = await readStatus(fleetOf());
  expect(status.find(({ machine }) => machine === SECOND)?.counts).toMatchObject({ issued: 3, failovers: 1 });
});

test("ids of a time that nobody would believe are left, and another machine is asked", async ({ expect }) => {
  const next = createNextIds(fleetOf({ isUsable: (first) => machineOf(first) !== FIRST }));
  expect(machineOf(idsOf(await next(1, PLACE, Date.now()))[0])).toBe(SECOND);
});

test("when no machine gives ids, the caller is told that a backend is down", async ({ expect }) => {
  await misuse(0);
  await expect(createNextIds(fleetOf({ shards: 1 }))(1, PLACE, 0)).rejects.toBeInstanceOf(BackendDown);
});

test("when every clock has gone back an hour, the caller is told when to come back", async ({ expect }) => {
  const now = Date.now();
  const next = createNextIds(fleetOf());
  for (const colo of ["FRA", "AMS", "IAD", "NRT", "SYD", "GRU", "JNB", "CDG"])
    await next(4096, { colo, continent: "" }, now);
  vi.spyOn(Date, "now").mockReturnValue(now - 3_600_000);
  const failure = await firstFailure(() => next(4096, PLACE, now));
  expect(failure).toBeInstanceOf(BackendDown);
  expect(failure).toMatchObject({ retryAfterSeconds: expect.closeTo(3600, -1) });
  const status = await readStatus(fleetOf());
  const counts = status.map((machine) => machine.counts);
  expect(Math.max(...counts.map((count) => count.maxDriftMs))).toBeGreaterThan(3_500_000);
  expect(counts.every((count) => count.refused > 0)).toBe(true);
  expect(counts.some((count) => count.fromReserve > 0 && count.rollbacks > 0)).toBe(true);
});

test("each layout has sequences of its own", async ({ expect }) => {
  const now = Date.now();
  const [classic] = idsOf(await createNextIds(fleetOf())(1, PLACE, now));
  const compact = idsOf(await createNextIds(fleetOf({ layout: "compact" }))(300, PLACE, now));
  expect(new Set(compact).size).toBe(300);
  for (const id of compact) expect(decompose(LAYOUTS.compact, id)).toMatchObject({ machine: FIRST });
  expect(decompose(LAYOUTS.compact, classic ?? 0n)).toBeUndefined();
});

test(
  "64 callers take 100,000 ids from 4 machines that are evicted and aborted, with clocks set back by 3 ms, 50 ms, 1 s and 1 h: all distinct",
  { timeout: 60_000 },
  async ({ expect }) => {
    const real = Date.now.bind(Date);
    let backMs = 0;
    vi.spyOn(Date, "now").mockImplementation(() => real() - backMs);
    const fleet = fleetOf();
    const colos = Array.from({ length: 64 }, (_, caller) => ({ colo: `C${caller}`, continent: "" }));
    const clients = colos.map((place) => ({ place, next: createNextIds(fleet) }));
    const wanted = 100_000;
    const seen: bigint[] = [];
    const work = { isDone: false };
    let refusals = 0;

    const call = async ({ place, next }: (typeof clients)[number]): Promise<void> => {
      for (let round = 0; seen.length < wanted; round += 1) {
        const count = 1 + ((round * 37) % 120);
        try {
          seen.push(...idsOf(await next(count, place, real())));
        } catch {
          refusals += 1;
          await scheduler.wait(5);
        }
      }
    };
    const disturb = async (): Promise<void> => {
      const jumps = [3, 50, 1000, 3_600_000];
      for (let round = 0; !work.isDone; round += 1) {
        backMs = jumps[round % jumps.length] ?? 0;
        await scheduler.wait(12);
        backMs = 0;
        await scheduler.wait(20);
        if (round % 3 === 0) await abortAllDurableObjects();
        if (round % 3 === 1) await evictAllDurableObjects();
      }
    };
    const disturbing = disturb();
    await Promise.all(clients.map(call));
    work.isDone = true;
    await disturbing;

    expect(seen.length).toBeGreaterThanOrEqual(wanted);
    expect(new Set(seen).size).toBe(seen.length);
    expect(new Set(seen.map(machineOf)).size).toBe(4);
    // Refusals happen and pass: the callers went on.
    expect(refusals).toBeLessThan(20_000);
  },
);
