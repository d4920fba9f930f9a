/**
 * How many clicks a second does the consumer write, with every figure and count, beside the same rows by a bare `INSERT` of many rows
 * (through the same door, from a Worker in the same workerd, in the same batches) and by a bare `COPY` (over one connection)? Both write to
 * a table with the same columns and indexes.
 *
 *   TEST_DATABASE_URL=… node bench/clicks.ts [clicks a round] [links] [rounds]       goal: at least 0.5 of the INSERT
 *
 * @module
 */
import pg from "pg";
import { type Delivered, deliver, DRIVER, insertLinks, openDoor } from "./consumers.ts";
import { copyIn } from "./copy.ts";
import { createCrowd, type Crowd, type CrowdClick } from "./crowd.ts";
import { median, print } from "./measure.ts";
import { type Bench, buildDeploy, withBench, withStack } from "./workerd.ts";

/** As `wrangler.toml` has it. */
const BATCH = 25;
/** Batches on their way at once. */
const AT_ONCE = 4;
const GOAL = 0.5;
/** Clicks come at this pace: what fits into one quarter of an hour shares its figures. */
const CLICKS_A_SECOND = 1000;
const FROM = Date.UTC(2026, 11, 2, 12);

const COLUMNS = [
  "id",
  "link_id",
  "clicked_at",
  "country",
  "region",
  "city",
  "referrer",
  "source",
  "language",
  "user_agent",
  "ip",
  "device",
  "browser",
  "os",
  "utm_source",
  "utm_medium",
  "utm_campaign",
  "utm_term",
  "utm_content",
  "destination",
  "trigger",
  "bot",
  "visitor",
] as const;

/** A Worker that writes the rows of a batch with one `INSERT`, and concludes nothing. */
const INSERTER = `
const COLUMNS = ${JSON.stringify(COLUMNS.join(", "))};
const WIDTH = ${COLUMNS.length};
export default { async fetch(request, env) {
  if (request.method !== "POST") return new Response();
  const { messages } = await request.json();
  const rows = messages.flatMap(({ body }) => JSON.parse(body));
  const places = rows.map((_, row) => "(" + Array.from({ length: WIDTH }, (_, column) => "$" + (row * WIDTH + column + 1)).join() + ")");
  const answer = await fetch(env.NEON_FETCH_ENDPOINT, { method: "POST",
    headers: { "Neon-Connection-String": env.DATABASE_URL, "Neon-Array-Mode": "true", "Neon-Raw-Text-Output": "true" },
    body: JSON.stringify({ query: "INSERT INTO inserted_clicks (" + COLUMNS + ") VALUES " + places.join(), params: rows.flat() }) });
  return new Response(await answer.text(), { status: answer.status });
} };`;

/** The columns and indexes of `click_logs`, in one table: the consumer's rows go into one partition too. */
function peerTable(name: string): string {
  return `CREATE TABLE ${name} (LIKE click_logs INCLUDING DEFAULTS); ALTER TABLE ${name} ADD PRIMARY KEY (id, clicked_at);
    CREATE INDEX ON ${name} (link_id, clicked_at)`;
}

async function main(clicks: number, links: number, rounds: number): Promise<void> {
  if (process.env["TEST_DATABASE_URL"] === undefined) throw new Error("TEST_DATABASE_URL names no PostgreSQL server");
  await withStack(async (place) => {
    const client = new pg.Client({ connectionString: place.stack.postgresUrl });
    await client.connect();
    await client.query(peerTable("inserted_clicks"));
    await client.query(peerTable("copied_clicks"));
    const door = await openDoor(place.stack, place.stack.postgresUrl, (handle) => handle);
    const stack = { ...place.stack, databaseEndpoint: `${door.origin}/sql` };
    const build = await buildDeploy(place.folder);
    try {
      await withBench({ ...place, stack, build, peers: { DRIVER, INSERTER } }, (bench) =>
        measure(bench, client, { clicks, links, rounds }),
      );
    } finally {
      await door.stop();
      await client.end();
    }
  });
}

interface Sizes {
  readonly clicks: number;
  readonly links: number;
  readonly rounds: number;
}

async function measure(bench: Bench, client: pg.Client, { clicks, links, rounds }: Sizes): Promise<void> {
  const rates: Record<"hop" | "insert" | "copy", number[]> = { hop: [], insert: [], copy: [] };
  const spanMs = (clicks / CLICKS_A_SECOND) * 1000;
  for (let round = 0; round <= rounds; round += 1) {
    const crowd = createCrowd({ clicks, links, seed: round + 1, from: FROM + round * spanMs, spanMs });
    if (round === 0) await insertLinks(client, crowd.linkIds);
    const insertions = batchesOf(crowd, (message) => ({ body: rowsOf(crowd, message) }));
    const insert = clicks / (await timeOf(() => insertAll(bench, insertions)));
    const deliveries = batchesOf(crowd, (message) => ({ id: `m${message}`, body: crowd.bodyOf(message), attempts: 1 }));
    const hop = clicks / (await timeOf(() => consumeAll(bench, deliveries)));
    const lines = Array.from({ length: clicks }, (_, index) => copyLine(crowd.clickAt(index)));
    const copy = clicks / (await timeOf(() => copyAll(client, lines)));
    // The first round warms up, and makes the figures that the next ones add to.
    print(
      `${round === 0 ? "warm-up" : `round ${round}`}: ${shown(hop)} beside ${shown(insert)} by INSERT, ${shown(copy)} by COPY`,
    );
    if (round === 0) continue;
    rates.hop.push(hop);
    rates.insert.push(insert);
    rates.copy.push(copy);
  }
  const counted = await client.query<{ count: string }>("SELECT count(*) FROM click_logs");
  if (Number(counted.rows[0]?.count) !== clicks * (rounds + 1)) throw new Error("not every click was written");
  const [hop, insert, copy] = [median(rates.hop), median(rates.insert), median(rates.copy)];
  const isMet = hop / insert >= GOAL;
  print(
    `${(hop / insert).toFixed(2)}  consumer ÷ bare INSERT, in clicks a second  goal ≥ ${GOAL}: ${isMet ? "met" : "MISSED"}`,
  );
  print(`${(hop / copy).toFixed(2)}  consumer ÷ bare COPY`);
  print(`      (${shown(hop)}, ${shown(insert)}, ${shown(copy)} clicks a second)`);
  await weigh(client, clicks * (rounds + 1));
}

/** What a click takes on disk. */
async function weigh(client: pg.Client, clicks: number): Promise<void> {
  const { rows } = await client.query<{ name: string; heap: string; indexes: string }>(
    `SELECT coalesce(pg_partition_root(oid)::regclass::text, relname) AS name, sum(pg_table_size(oid))::text AS heap,
       sum(pg_indexes_size(oid))::text AS indexes
     FROM pg_class WHERE relkind = 'r' AND relname ~ '^click_(logs|rollups|visitors)' GROUP BY 1 ORDER BY 1`,
  );
  for (const { name, heap, indexes } of rows) {
    print(
      `      ${name}: ${(Number(heap) / clicks).toFixed(0)} bytes a click, and ${(Number(indexes) / clicks).toFixed(0)} in indexes`,
    );
  }
}

/** In the order of time. */
function batchesOf<T>(crowd: Crowd, make: (message: number) => T): T[][] {
  const made = Array.from({ length: crowd.messages }, (_, message) => make(message));
  return Array.from({ length: Math.ceil(made.length / BATCH) }, (_, batch) =>
    made.slice(batch * BATCH, (batch + 1) * BATCH),
  );
}

function rowsOf(crowd: Crowd, message: number): string {
  return JSON.stringify(crowd.indexesOf(message).map((index) => row(crowd.clickAt(index))));
}

async function consumeAll(bench: Bench, batches: readonly (readonly Delivered[])[]): Promise<void> {
  await someAtOnce(batches, async (messages) => {
    const acked = await deliver(bench, "HOP", messages);
    if (acked.size !== messages.length) throw new Error("a batch was not written");
  });
}

async function insertAll(bench: Bench, batches: readonly (readonly { readonly body: string }[])[]): Promise<void> {
  await someAtOnce(batches, async (messages) => {
    const answer = await fetch(bench.target("INSERTER").origin, { method: "POST", body: JSON.stringify({ messages }) });
    const text = await answer.text();
    if (!answer.ok) throw new Error(`a batch was not inserted: ${text}`);
  });
}

async function copyAll(client: pg.Client, lines: readonly string[]): Promise<void> {
  const statement = `COPY copied_clicks (${COLUMNS.join(", ")}) FROM STDIN`;
  const rows = BATCH * 100;
  for (let at = 0; at < lines.length; at += rows) await copyIn(client, statement, lines.slice(at, at + rows));
}

async function someAtOnce<T>(batches: readonly T[], work: (batch: T) => Promise<void>): Promise<void> {
  const waiting = batches.values();
  const consume = async (): Promise<void> => {
    for (const batch of waiting) await work(batch);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, consume));
}

async function timeOf(work: () => Promise<void>): Promise<number> {
  const begun = performance.now();
  await work();
  return (performance.now() - begun) / 1000;
}

/** As {@link COLUMNS} has them. */
function row(click: CrowdClick): (string | null)[] {
  const { id, linkId, at, country, region, city, referrer, source, language, userAgent, ip, device, browser, os } =
    click;
  const { utmSource, utmMedium, utmCampaign, utmTerm, utmContent, destination, trigger, bot, visitor } = click;
  const hash = visitor === null ? null : String(BigInt.asIntN(64, BigInt(`0x${visitor}`)));
  const place = [id, linkId, new Date(at).toISOString(), country, region, city];
  const machine = [referrer, source, language, userAgent, ip, device, browser, os];
  return [
    ...place,
    ...machine,
    utmSource,
    utmMedium,
    utmCampaign,
    utmTerm,
    utmContent,
    destination,
    trigger,
    bot,
    hash,
  ];
}

function copyLine(click: CrowdClick): string {
  return `${row(click)
    .map((value) => value ?? "\\N")
    .join("\t")}\n`;
}

function shown(rate: number): string {
  return rate.toFixed(0);
}

const [clicks = 100_000, links = 10_000, rounds = 3] = process.argv.slice(2).map(Number);
await main(clicks, links, rounds);
