/**
 * How many links a second can be created through the API by 16 callers, beside what the database does by itself: a Worker in the same workerd
 * that inserts the same rows through the same door, one statement a request. The same of lists of 1,000, beside one `INSERT` of as many rows.
 * Both write to tables with the same columns, indexes and triggers.
 *
 *   TEST_DATABASE_URL=… TEST_REDIS_URL=… node bench/creations.ts [creations a round] [lists a round] [rounds]      goal: at least 0.5
 *
 * @module
 */
import pg from "pg";
import { isRecord, parseJson } from "../shared/json.ts";
import { openDoor } from "./consumers.ts";
import { median, print } from "./measure.ts";
import { ADMIN_KEY, type Bench, buildDeploy, HOST, withBench, withStack } from "./workerd.ts";

const CALLERS = 16;
const ROWS = 1000;
const GOAL = 0.5;
/** What a creation writes: the columns that have no default, and those that it always sets. */
const COLUMNS =
  "id, domain, short_code, long_url, type, tags, metadata, redirect_status, disabled, fingerprint, version, created_at, updated_at";

/** Inserts as many rows as its path says, with one statement. */
const INSERTER = `
const COLUMNS = ${JSON.stringify(COLUMNS)};
let serial = 0n;
export default { async fetch(request, env) {
  if (request.method !== "POST") return new Response();
  const count = Number(new URL(request.url).pathname.slice(1));
  const now = new Date();
  const rows = [];
  for (let row = 0; row < count; row += 1) {
    serial += 1n;
    const hash = "\\\\x" + serial.toString(16).padStart(64, "0");
    rows.push([String(serial), "${HOST}", "bare-" + serial, "https://example.com/" + serial, "auto", "{}", "{}", 302, false, hash, now.getTime() * 1000, now, now]);
  }
  const width = rows[0].length;
  const places = rows.map((_, row) => "(" + rows[0].map((_, column) => "$" + (row * width + column + 1)).join() + ")");
  const answer = await fetch(env.NEON_FETCH_ENDPOINT, { method: "POST",
    headers: { "Neon-Connection-String": env.DATABASE_URL, "Neon-Array-Mode": "true", "Neon-Raw-Text-Output": "true" },
    body: JSON.stringify({ query: "INSERT INTO bare_links (" + COLUMNS + ") VALUES " + places.join() + " RETURNING *", params: rows.flat() }) });
  return new Response(await answer.text(), { status: answer.status });
} };`;

/** A table like that of the links, indexes and triggers included. */
const PEER = `
  CREATE TABLE bare_links (LIKE short_links INCLUDING ALL);
  DO $$ DECLARE definition text; BEGIN
    FOR definition IN SELECT pg_get_triggerdef(oid) FROM pg_trigger WHERE tgrelid = 'short_links'::regclass AND NOT tgisinternal LOOP
      EXECUTE replace(replace(definition, ' ON short_links ', ' ON bare_links '), ' ON public.short_links ', ' ON bare_links ');
    END LOOP;
  END $$`;

async function main(creations: number, lists: number, rounds: number): Promise<void> {
  if (process.env["TEST_DATABASE_URL"] === undefined) throw new Error("TEST_DATABASE_URL names no PostgreSQL server");
  await withStack(async (place) => {
    const client = new pg.Client({ connectionString: place.stack.postgresUrl });
    await client.connect();
    const door = await openDoor(place.stack, place.stack.postgresUrl, (handle) => handle);
    try {
      await client.query(PEER);
      const stack = { ...place.stack, databaseEndpoint: `${door.origin}/sql` };
      const build = await buildDeploy(place.folder);
      await withBench({ ...place, stack, build, peers: { INSERTER } }, (bench) =>
        measure(bench, creations, lists, rounds),
      );
    } finally {
      await client.end();
      await door.stop();
    }
  });
}

/** Kinds of creation, each beside the bare insert of as many rows a statement. */
interface Kind {
  readonly name: string;
  readonly rows: number;
  readonly calls: number;
  readonly callers: number;
  readonly create: (bench: Bench, serial: number) => Promise<void>;
}

async function measure(bench: Bench, creations: number, lists: number, rounds: number): Promise<void> {
  const one = { rows: 1, calls: creations, callers: CALLERS };
  const kinds: readonly Kind[] = [
    { ...one, name: "creations", create: (to, serial) => post(to, "", link(serial)) },
    {
      ...one,
      name: "creations with custom codes",
      create: (to, serial) => post(to, "", { ...link(serial), customCode: `c-${serial}` }),
    },
    {
      name: "rows of lists",
      rows: ROWS,
      calls: lists,
      callers: 1,
      create: (to, serial) => post(to, "/bulk", list(serial)),
    },
  ];
  const ratios = new Map<Kind, { ours: number; theirs: number }[]>(kinds.map((kind) => [kind, []]));
  let serial = 0;
  for (let round = 0; round <= rounds; round += 1) {
    for (const [kind, found] of ratios) {
      const theirs = await rateOf(kind, () => insert(bench, kind.rows));
      const ours = await rateOf(kind, () => kind.create(bench, (serial += kind.rows) - kind.rows));
      // The first round warms up.
      if (round > 0) found.push({ ours, theirs });
    }
  }
  for (const [{ name }, found] of ratios) {
    const ratio = median(found.map(({ ours, theirs }) => ours / theirs));
    const [least, most] = [Math.min, Math.max].map((of) =>
      of(...found.map(({ ours, theirs }) => ours / theirs)).toFixed(2),
    );
    const [ours, theirs] = [median(found.map((pair) => pair.ours)), median(found.map((pair) => pair.theirs))];
    print(
      `${ratio.toFixed(2)}  ${name} ÷ bare INSERT (${least} to ${most})  goal ≥ ${GOAL}: ${ratio >= GOAL ? "met" : "MISSED"}`,
    );
    print(`      (${ours.toFixed(0)} and ${theirs.toFixed(0)} a second)`);
  }
}

/** Rows a second. */
async function rateOf({ calls, callers, rows }: Kind, call: () => Promise<void>): Promise<number> {
  let left = calls;
  const begun = performance.now();
  const caller = async (): Promise<void> => {
    while (left > 0) {
      left -= 1;
      await call();
    }
  };
  await Promise.all(Array.from({ length: callers }, caller));
  return (calls * rows) / ((performance.now() - begun) / 1000);
}

function link(serial: number): Readonly<Record<string, unknown>> {
  return { longUrl: `https://example.com/${serial}` };
}

function list(serial: number): unknown[] {
  return Array.from({ length: ROWS }, (_, row) => link(serial + row));
}

async function post(bench: Bench, path: string, body: unknown): Promise<void> {
  const answer = await fetch(`${bench.target("HOP").origin}/api/v1/links${path}`, {
    method: "POST",
    headers: { Authorization: `Bearer ${ADMIN_KEY}`, "Content-Type": "application/json" },
    body: JSON.stringify(body),
  });
  const text = await answer.text();
  const results = path === "" ? undefined : resultsOf(text);
  const isMade =
    results === undefined
      ? answer.status === 201
      : results.every((result) => isRecord(result) && result["status"] === 201);
  if (!isMade) throw new Error(`no link was made: ${answer.status} ${text.slice(0, 300)}`);
}

function resultsOf(text: string): unknown[] {
  const body = parseJson(text);
  const results = isRecord(body) ? body["results"] : undefined;
  return Array.isArray(results) ? results : [undefined];
}

async function insert(bench: Bench, rows: number): Promise<void> {
  const answer = await fetch(`${bench.target("INSERTER").origin}/${rows}`, { method: "POST" });
  const text = await answer.text();
  if (!answer.ok) throw new Error(`no row was inserted: ${text.slice(0, 300)}`);
}

const [creations = 1500, lists = 6, rounds = 5] = process.argv.slice(2).map(Number);
await main(creations, lists, rounds);
