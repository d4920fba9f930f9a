/**
 * Is every click counted once, and in every figure? A crowd on ten thousand links, each message delivered one to three times in random
 * order, by four consumers at once, one of which dies in the middle of its statements: before the database hears of it, while it works
 * (rolled back), or unheard (committed). What it had is delivered again, to anyone. Afterwards single clicks, figures, visitors and
 * counts are compared with a recount in this process (`recount.ts`). Ends with code 1 where anything differs.
 *
 *   TEST_DATABASE_URL=… node bench/million-clicks.ts [clicks] [links] [seed]        1,000,000, 10,000 and 1 by default
 *
 * It needs a PostgreSQL server: the embedded one is a single backend.
 *
 * @module
 */
import pg from "pg";
import type { Handler } from "../local/listener.ts";
import { createDice, type Dice } from "../shared/testing/dice.ts";
import { type Delivered, deliver, DRIVER, insertLinks, openDoor } from "./consumers.ts";
import { createCrowd, type Crowd } from "./crowd.ts";
import { print } from "./measure.ts";
import { recount } from "./recount.ts";
import { type Bench, type BenchPlace, buildDeploy, withBench, withStack } from "./workerd.ts";

/** As `wrangler.toml` has it: so many messages a batch, and so many retries. */
const BATCH = 25;
const MAX_ATTEMPTS = 21;
const CONSUMERS = ["FIRST", "SECOND", "THIRD", "DOOMED"] as const;
/** A little before midnight (UTC), so that clicks fall into two days. */
const FROM = Date.UTC(2026, 11, 2, 22, 50);
const SPAN_MS = 2 * 60 * 60 * 1000;
const DOOMED_NAME = "hop_doomed";
/** The doomed consumer's statement dies within so long of its start, or lives. */
const LIFE_MS = 600;
const SHOWN_DIFFERENCES = 20;

/** How consumers died, and what the database refused, by its code. */
interface Deaths {
  unheard: number;
  rolledBack: number;
  readonly refusals: Record<string, number>;
}

async function main(clicks: number, links: number, seed: number): Promise<void> {
  if (process.env["TEST_DATABASE_URL"] === undefined) throw new Error("TEST_DATABASE_URL names no PostgreSQL server");
  const crowd = createCrowd({ clicks, links, seed, from: FROM, spanMs: SPAN_MS });
  await withStack(async (place) => {
    const client = new pg.Client({ connectionString: place.stack.postgresUrl });
    await client.connect();
    try {
      await insertLinks(client, crowd.linkIds);
      await prove(crowd, place, client);
    } finally {
      await client.end();
    }
  });
}

async function prove(crowd: Crowd, place: BenchPlace, client: pg.Client): Promise<void> {
  const dice = createDice(crowd.seed);
  const deaths: Deaths = { unheard: 0, rolledBack: 0, refusals: {} };
  const doomedUrl = new URL(place.stack.postgresUrl);
  doomedUrl.searchParams.set("application_name", DOOMED_NAME);
  const safe = await openDoor(place.stack, place.stack.postgresUrl, (handle) => watched(handle, deaths));
  const doomed = await openDoor(place.stack, doomedUrl.href, (handle) =>
    watched(dying(handle, client, dice, deaths), deaths),
  );
  const events: Record<string, number> = {};
  const onLog = (text: string): void => {
    for (const [, event = ""] of text.matchAll(/"event":"(\w+)"/g)) events[event] = (events[event] ?? 0) + 1;
  };
  const instances = Object.fromEntries(
    CONSUMERS.map((name) => [name, { NEON_FETCH_ENDPOINT: `${(name === "DOOMED" ? doomed : safe).origin}/sql` }]),
  );
  try {
    const build = await buildDeploy(place.folder);
    const begun = performance.now();
    const delivered = await withBench({ ...place, build, peers: { DRIVER }, instances, onLog }, (bench) =>
      deliverAll(bench, crowd, dice),
    );
    const seconds = (performance.now() - begun) / 1000;
    print(`${crowd.clicks} clicks on ${crowd.linkIds.length} links, seed ${crowd.seed}`);
    print(`${delivered.batches} batches with ${delivered.clicks} clicks in ${seconds.toFixed(0)} s`);
    print(`deaths: ${deaths.rolledBack} rolled back, ${deaths.unheard} unheard; logged: ${JSON.stringify(events)}`);
  } finally {
    await doomed.stop();
    await safe.stop();
  }
  await judge(crowd, client, deaths);
}

async function judge(crowd: Crowd, client: pg.Client, { refusals, ...deaths }: Deaths): Promise<void> {
  const { rows, differences } = await recount(client, crowd);
  const complaints = [...differences];
  const { rows: counts } = await client.query<{ deadlocks: string; buried: string }>(
    `SELECT (SELECT deadlocks FROM pg_stat_database WHERE datname = current_database())::text AS deadlocks,
       (SELECT count(*) FROM dead_letters)::text AS buried`,
  );
  const { deadlocks, buried } = counts[0] ?? {};
  if (deadlocks !== "0") complaints.push(`deadlocks: ${deadlocks}`);
  if (buried !== "0") complaints.push(`messages were buried: ${buried}`);
  // 57P01, admin_shutdown: what a statement says whose backend was ended.
  const foreign = Object.keys(refusals).filter((code) => code !== "57P01");
  if (foreign.length > 0) complaints.push(`the database refused: ${JSON.stringify(refusals)}`);
  if (deaths.rolledBack === 0 || deaths.unheard === 0)
    complaints.push("nobody died in the middle, or not in both ways: nothing is proved (it takes more clicks)");
  print(
    `compared: ${rows.click_logs} single clicks, ${rows.click_rollups} figures, ${rows.click_visitors} visitors; ` +
      `${complaints.length} differences, ${deadlocks} deadlocks`,
  );
  for (const complaint of complaints.slice(0, SHOWN_DIFFERENCES)) print(`  ${complaint}`);
  if (complaints.length > 0) process.exitCode = 1;
}

interface Effort {
  batches: number;
  clicks: number;
}

/** Delivers every message one to three times in random order, and again what was not acknowledged. */
async function deliverAll(bench: Bench, crowd: Crowd, dice: Dice): Promise<Effort> {
  const attempts = new Map<number, number>();
  const pending = shuffle(
    Array.from({ length: crowd.messages }, (_, message) =>
      Array.from({ length: 1 + dice.below(3) }, () => message),
    ).flat(),
    dice,
  );
  const effort: Effort = { batches: 0, clicks: 0 };
  const consume = async (consumer: string): Promise<void> => {
    for (let batch = pending.splice(-BATCH); batch.length > 0; batch = pending.splice(-BATCH)) {
      const messages = batch.map((message) => handOver(crowd, message, attempts));
      const acked = await deliver(bench, consumer, messages);
      effort.batches += 1;
      effort.clicks += batch.reduce((sum, message) => sum + crowd.indexesOf(message).length, 0);
      // Anywhere among those that wait: the next consumer to take it is any of the four.
      for (const message of batch)
        if (!acked.has(idOf(message))) pending.splice(dice.below(pending.length + 1), 0, message);
        else attempts.delete(message);
    }
  };
  await Promise.all(CONSUMERS.map(consume));
  // What a consumer gave back when the others had gone.
  await consume(CONSUMERS[0]);
  return effort;
}

function handOver(crowd: Crowd, message: number, attempts: Map<number, number>): Delivered {
  const attempt = (attempts.get(message) ?? 0) + 1;
  if (attempt > MAX_ATTEMPTS) throw new Error(`message ${message} was never acknowledged`);
  attempts.set(message, attempt);
  return { id: idOf(message), body: crowd.bodyOf(message), attempts: attempt };
}

function idOf(message: number): string {
  return `message-${message}`;
}

function shuffle<T>(items: readonly T[], dice: Dice): T[] {
  const shuffled = [...items];
  for (let last = shuffled.length - 1; last > 0; last -= 1) {
    const other = dice.below(last + 1);
    const [one, two] = [shuffled[last], shuffled[other]];
    if (one !== undefined && two !== undefined) [shuffled[last], shuffled[other]] = [two, one];
  }
  return shuffled;
}

/** Notes with which code the database refused. */
function watched(handle: Handler, deaths: Deaths): Handler {
  return async (request) => {
    const answer = await handle(request);
    if (answer.status !== 200) {
      const code = /"code":"(\w+)"/.exec(String(answer.body))?.[1] ?? String(answer.status);
      deaths.refusals[code] = (deaths.refusals[code] ?? 0) + 1;
    }
    return answer;
  };
}

/** In two of three statements the connection is cut while the database works; of every other one of these, its backend ends too. */
function dying(handle: Handler, client: pg.Client, dice: Dice, deaths: Deaths): Handler {
  let isUnheard = false;
  return async (request) => {
    const answer = handle(request);
    if (dice.below(3) === 0) return answer;
    const outcome = await Promise.race([answer, sleep(dice.below(LIFE_MS))]);
    if (outcome !== undefined) return outcome;
    isUnheard = !isUnheard;
    if (!isUnheard && (await endBackends(client)) > 0) deaths.rolledBack += 1;
    else deaths.unheard += 1;
    // Whatever comes of the statement, nobody hears it: the transport closes the connection of a handler that throws.
    answer.catch(() => {});
    throw new Error("the consumer died");
  };
}

/** Ends what works for the doomed consumer; answers how many there were. */
async function endBackends(client: pg.Client): Promise<number> {
  const { rowCount } = await client.query(
    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = $1 AND state = 'active'",
    [DOOMED_NAME],
  );
  return rowCount ?? 0;
}

async function sleep(ms: number): Promise<undefined> {
  await new Promise((resolve) => setTimeout(resolve, ms));
  return undefined;
}

await main(...numbers(1_000_000, 10_000, 1));

/** The arguments as numbers, or what stands for one that is not there. */
function numbers(clicks: number, links: number, seed: number): [number, number, number] {
  const [first, second, third] = process.argv.slice(2).map(Number);
  return [first ?? clicks, second ?? links, third ?? seed];
}
