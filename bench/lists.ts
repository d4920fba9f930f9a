/**
 * Does a list of links stay as fast when there are a hundred times as many? Two databases, one of ten thousand links and one of a million, each
 * behind a Hop of its own in one workerd, asked the same in turn: first and deep pages, searches, filters, both orders. The figures are ratios
 * of medians.
 *
 *   TEST_DATABASE_URL=… TEST_REDIS_URL=… node bench/lists.ts [links] [rounds]      goal: at most 2.0
 *
 * @module
 */
import pg from "pg";
import { isRecord, parseJson } from "../shared/json.ts";
import { startStack } from "../local/stack.ts";
import { openDoor } from "./consumers.ts";
import { median, print } from "./measure.ts";
import { ADMIN_KEY, type Bench, buildDeploy, HOST, withBench, withStack } from "./workerd.ts";

const SMALL = 10_000;
const GOAL = 2;
const FROM = "2026-01-01T00:00:00Z";
const OTHER = "other.example.test";

/**
 * Parameters: links, two domains, the first one's time. Over 300 days. Of both databases 100 links each are disabled, expired, and have the tag, code,
 * URL or title that is asked for: pages as full then, among a hundred times as many.
 */
const FILL = `
  INSERT INTO short_links (id, domain, short_code, long_url, type, title, tags, disabled, expire_at, fingerprint, version, click_count, created_at)
  SELECT n, CASE WHEN n % 10 = 0 THEN $3 ELSE $2 END,
    CASE WHEN few THEN 'needle-' || n ELSE substr(md5('code' || n), 1, 11) END,
    'https://' || substr(md5('host' || n % 500), 1, 8) || '.example.com/' || md5('path' || n) || CASE WHEN few THEN '/haystack' ELSE '' END,
    'auto', CASE WHEN few THEN 'Campaign of spring' WHEN n % 3 = 0 THEN 'Page ' || md5('title' || n) END,
    CASE WHEN few THEN '{spring}'::text[] WHEN n % 4 = 0 THEN ARRAY['team-' || n % 40] ELSE '{}' END,
    n % ($1::bigint / 100) = 7, CASE WHEN n % ($1::bigint / 100) = 8 THEN $4::timestamptz END, sha256(n::text::bytea), n,
    (10000 / (1 + (n * 7919) % $1::bigint))::bigint, $4::timestamptz + n * (interval '300 days' / $1::bigint)
  FROM (SELECT n, n % ($1::bigint / 100) = 3 AS few FROM generate_series(1, $1::bigint) AS n) AS numbered`;

const QUESTIONS = {
  "first page": "limit=50",
  "deep page": "limit=50&cursor=DEEP",
  "oldest first": "limit=50&order=asc",
  "search by code": "search=needle-",
  "search by URL": "search=HAYSTACK",
  "search by title": "search=campaign%20of",
  "search for nothing there": "search=nothing-is-called-so",
  "search of two characters": "search=ab",
  "search of one character": "search=7",
  tag: "tag=spring",
  "tag of many": "tag=team-8",
  active: "status=active",
  expired: "status=expired",
  disabled: "status=disabled",
  domain: `domain=${OTHER}`,
  "by clicks": "sort=clickCount",
  "by clicks, deep": "sort=clickCount&cursor=DEEP",
} as const;

async function main(links: number, rounds: number): Promise<void> {
  const databaseUrl = process.env["TEST_DATABASE_URL"];
  if (databaseUrl === undefined) throw new Error("TEST_DATABASE_URL names no PostgreSQL server");
  await withStack(async (place) => {
    const small = await startStack({ databaseUrl, isolateDatabase: true, migrate: true });
    const doors = await Promise.all(
      [place.stack, small].map((stack) => openDoor(stack, stack.postgresUrl, (handle) => handle)),
    );
    const [largeDoor, smallDoor] = doors.map(({ origin }) => `${origin}/sql`);
    try {
      await fill(place.stack.postgresUrl, links);
      await fill(small.postgresUrl, SMALL);
      const build = await buildDeploy(place.folder);
      const stack = { ...place.stack, databaseEndpoint: largeDoor ?? "" };
      const instances = { SMALL: { DATABASE_URL: small.databaseUrl, NEON_FETCH_ENDPOINT: smallDoor ?? "" } };
      await withBench({ ...place, stack, build, peers: {}, instances }, (bench) => measure(bench, links, rounds));
    } finally {
      await Promise.all(doors.map((door) => door.stop()));
      await small.stop();
    }
  });
}

async function fill(url: string, links: number): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await client.query(FILL, [links, HOST, OTHER, FROM]);
    await client.query("VACUUM ANALYZE");
  } finally {
    await client.end();
  }
}

async function measure(bench: Bench, links: number, rounds: number): Promise<void> {
  for (const [name, query] of Object.entries(QUESTIONS)) {
    const times = new Map<string, number[]>();
    for (const hop of ["HOP", "SMALL"]) {
      times.set(hop, []);
      const path = query.includes("DEEP") ? query.replace("DEEP", await deepCursor(bench, hop, query)) : query;
      times.set(`${hop}?${path}`, []);
    }
    const asked = [...times.keys()].filter((key) => key.includes("?"));
    for (let round = 0; round <= rounds; round += 1) {
      for (const key of asked) {
        const [hop = "", path = ""] = key.split(/\?(.*)/s);
        const took = await timeOf(bench, hop, path);
        if (round > 0) times.get(key)?.push(took);
      }
    }
    const [large = Number.NaN, small = Number.NaN] = asked.map((key) => median(times.get(key) ?? []));
    const ratio = large / small;
    print(
      `${ratio.toFixed(2)}  ${name}: ${links} ÷ ${SMALL} links  goal ≤ ${GOAL}: ${ratio <= GOAL ? "met" : "MISSED"}  (${large.toFixed(1)} and ${small.toFixed(1)} ms)`,
    );
  }
}

/** Of a place in the middle of the list. */
async function deepCursor(bench: Bench, hop: string, query: string): Promise<string> {
  const order = query.includes("clickCount") ? "clickCount" : "createdAt";
  const value = order === "clickCount" ? 1 : Date.parse(FROM) + 150 * 86_400_000;
  const cursor = btoa(`${order}.desc.${value}.5000`).replaceAll("=", "");
  await timeOf(bench, hop, query.replace("DEEP", cursor));
  return cursor;
}

async function timeOf(bench: Bench, hop: string, query: string): Promise<number> {
  const begun = performance.now();
  const answer = await fetch(`${bench.target(hop).origin}/api/v1/links?${query}`, {
    headers: { Authorization: `Bearer ${ADMIN_KEY}` },
  });
  const text = await answer.text();
  const took = performance.now() - begun;
  const body = parseJson(text);
  if (!answer.ok || !isRecord(body) || !Array.isArray(body["links"]))
    throw new Error(`no list: ${answer.status} ${text.slice(0, 300)}`);
  return took;
}

const [links = 1_000_000, rounds = 9] = process.argv.slice(2).map(Number);
await main(links, rounds);
