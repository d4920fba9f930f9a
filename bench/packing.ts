/**
 * How many operations of the queue do a million clicks cost? Visits reach one isolate of the deploy build at a steady pace; the queue's
 * stand-in counts what it is sent. A message is written, read and deleted, and each of these is billed for every 64 KB (Cloudflare Queues,
 * pricing). Counted for some seconds, then scaled to a million.
 *
 *   node bench/packing.ts [seconds]        goal: at most 150,000 at 100 clicks a second
 *
 * @module
 */
import { isRecord, parseJson } from "../shared/json.ts";
import { run } from "./load.ts";
import { print } from "./measure.ts";
import { createLinks, VISITOR } from "./visits.ts";
import { type Bench, buildDeploy, withBench, withStack } from "./workerd.ts";

const PACES = [100, 10, 1] as const;
const GOAL = { clicksASecond: 100, operations: 150_000 };
const LINKS = 50;
const OPERATIONS_A_UNIT = 3;
/** The longest window, and the time of the messages themselves. */
const SETTLED_MS = 6000;

async function main(seconds: number): Promise<void> {
  await withStack(async (place) => {
    const build = await buildDeploy(place.folder);
    for (const pace of PACES) {
      await withBench({ ...place, build, peers: {} }, async (bench) => {
        const paths = (await createLinks(bench, LINKS)).map((code) => `/${code}`);
        await measure(bench, paths, pace, seconds);
      });
    }
  });
}

async function measure(bench: Bench, paths: readonly string[], pace: number, seconds: number): Promise<void> {
  const clicks = pace * seconds;
  // Changes of links travel through the queue as well, so only what is new counts.
  const before = await unitsSoFar(bench);
  const begun = performance.now();
  await visitSteadily(bench, paths, clicks, pace);
  const took = (performance.now() - begun) / 1000;
  await new Promise((resolve) => setTimeout(resolve, SETTLED_MS));
  const units = (await unitsSoFar(bench)) - before;
  const operations = Math.round(((units * OPERATIONS_A_UNIT) / clicks) * 1_000_000);
  const goal =
    pace === GOAL.clicksASecond
      ? `  goal ≤ ${GOAL.operations}: ${operations <= GOAL.operations ? "met" : "MISSED"}`
      : "";
  print(`${String(operations).padStart(9)}  operations for a million clicks at ${pace} a second${goal}`);
  print(
    `           (${clicks} clicks in ${took.toFixed(1)} s were ${units} messages: ${(clicks / units).toFixed(1)} clicks each)`,
  );
}

/** Each visit starts when it is its turn, whether those before are answered or not. */
async function visitSteadily(bench: Bench, paths: readonly string[], clicks: number, pace: number): Promise<void> {
  const visits: Promise<void>[] = [];
  const begun = performance.now();
  for (let click = 0; click < clicks; click += 1) {
    const early = begun + (click * 1000) / pace - performance.now();
    if (early > 0) await new Promise((resolve) => setTimeout(resolve, early));
    visits.push(visit(bench, paths[click % paths.length] ?? "/"));
  }
  await Promise.all(visits);
}

async function visit(bench: Bench, path: string): Promise<void> {
  const { statuses } = await run({
    port: bench.target("HOP").port,
    paths: [path],
    headers: VISITOR,
    calls: 1,
    connections: 1,
  });
  if (statuses["302"] !== 1) throw new Error(`a visit was not sent on: ${JSON.stringify(statuses)}`);
}

async function unitsSoFar(bench: Bench): Promise<number> {
  const answer = parseJson(await (await fetch(bench.target("QUEUE").origin)).text());
  const units = isRecord(answer) ? answer["units"] : undefined;
  if (typeof units !== "number") throw new Error("the queue does not tell what it was sent");
  return units;
}

const [seconds = 20] = process.argv.slice(2).map(Number);
await main(seconds);
