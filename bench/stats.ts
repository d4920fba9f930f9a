/**
 * Do statistics cost days and not clicks? The default answer of a link with 10 million clicks beside that of one with 10 thousand, over the
 * same 30 days, through the API of the deploy build. Then 2 million single clicks of one day: as figures, and in minutes, which are counted
 * click by click.
 *
 *   TEST_DATABASE_URL=… node bench/stats.ts [days] [clicks of the large link] [single clicks]        goal: at most 1.5 times the time
 *
 * Figures are made by SQL, not by ten million clicks: each value of a dimension gets its share of a quarter's clicks, rounded up or down by
 * chance, so that a rare value is missing from most quarters of the small link, and a day is the sum of its quarters. That the default
 * answer reads no single click is checked: not one scan of `click_logs` may be counted meanwhile.
 *
 * @module
 */
import pg from "pg";
import { isRecord, parseJson } from "../shared/json.ts";
import { median, print } from "./measure.ts";
import { createLinks } from "./visits.ts";
import { ADMIN_KEY, type Bench, buildDeploy, HOST, withBench, withStack } from "./workerd.ts";

const GOAL = 1.5;
const SMALL = 10_000;
const CALLS = 60;
/** A statement of the API may take so long (`worker/wiring/`). */
const LIMIT_MS = 10_000;
/** The first day of the period (UTC). */
const FROM = "2026-10-01";
const QUARTERS_A_DAY = 96;

/** How many values of a dimension there are. The n-th most frequent one has a share of 1 / n of the first one's. */
const VALUES: Readonly<Record<string, number>> = {
  country: 80,
  region: 150,
  city: 200,
  referrer: 120,
  device: 4,
  browser: 15,
  os: 8,
  language: 40,
  destination: 2,
  utmSource: 6,
  utmMedium: 4,
  utmCampaign: 5,
  utmTerm: 3,
  utmContent: 3,
  trigger: 2,
  bot: 3,
};

/** Parameters: link, clicks a quarter, first day, days. */
const QUARTERS = `
  INSERT INTO click_rollups (link_id, grain, dimension, bucket, value, clicks, humans, visitors)
  SELECT $1::bigint, 'q', dimension, bucket, dimension || ' ' || place, clicks, clicks - clicks / 10, 0
  FROM (
    SELECT dimension, bucket, place, floor($2::float8 / place / harmonic + random())::bigint AS clicks
    FROM jsonb_each_text($5::jsonb) AS kinds(dimension, size)
    CROSS JOIN LATERAL (SELECT sum(1.0 / n) AS harmonic FROM generate_series(1, size::int) AS n) AS shares
    CROSS JOIN LATERAL generate_series(1, size::int) AS place
    CROSS JOIN generate_series($3::timestamptz, $3::timestamptz + $4::int * interval '1 day' - interval '1 minute', '15 minutes') AS bucket
  ) AS shared WHERE clicks > 0`;
/** Parameter: link. A bucket has as many clicks as its fullest dimension. */
const TOTALS = `
  INSERT INTO click_rollups (link_id, grain, dimension, bucket, value, clicks, humans, visitors)
  SELECT link_id, 'q', 'total', bucket, '', max(clicks), max(humans), max(humans) / 2
  FROM (SELECT link_id, bucket, dimension, sum(clicks) AS clicks, sum(humans) AS humans FROM click_rollups WHERE link_id = $1::bigint GROUP BY 1, 2, 3) AS kinds
  GROUP BY 1, 4`;
const DAYS = `
  INSERT INTO click_rollups (link_id, grain, dimension, bucket, value, clicks, humans, visitors)
  SELECT link_id, 'd', dimension, date_trunc('day', bucket, 'UTC'), value, sum(clicks), sum(humans), sum(visitors)
  FROM click_rollups WHERE link_id = $1::bigint GROUP BY 1, 3, 4, 5`;
/** Parameters: link, first instant, clicks: evenly over a day. */
const SINGLE_CLICKS = `
  INSERT INTO click_logs (id, link_id, clicked_at, country, bot)
  SELECT gen_random_uuid(), $1::bigint, $2::timestamptz + n * (interval '1 day' / $3::int), 'DE', CASE WHEN n % 10 = 0 THEN 'tool' END
  FROM generate_series(0, $3::int - 1) AS n`;

async function main(days: number, clicks: number, single: number): Promise<void> {
  if (process.env["TEST_DATABASE_URL"] === undefined) throw new Error("TEST_DATABASE_URL names no PostgreSQL server");
  await withStack(async (place) => {
    const client = new pg.Client({ connectionString: place.stack.postgresUrl });
    await client.connect();
    try {
      const build = await buildDeploy(place.folder);
      await withBench({ ...place, build, peers: {} }, (bench) => measure(bench, client, days, clicks, single));
    } finally {
      await client.end();
    }
  });
}

async function measure(bench: Bench, client: pg.Client, days: number, clicks: number, single: number): Promise<void> {
  const [large = "", small = "", busy = ""] = await createLinks(bench, 3);
  await client.query("SELECT setseed(0.5)");
  await fill(client, large, clicks / days / QUARTERS_A_DAY, days);
  await fill(client, small, SMALL / days / QUARTERS_A_DAY, days);
  await fill(client, busy, single / QUARTERS_A_DAY, 1);
  await client.query(SINGLE_CLICKS, [await idOf(client, busy), FROM, single]);
  await client.query("VACUUM ANALYZE");
  const last = new Date(Date.parse(FROM) + (days - 1) * 86_400_000).toISOString().slice(0, 10);
  for (const zone of ["UTC", "America/New_York"]) {
    const query = `?from=${FROM}&to=${last}&timezone=${zone}`;
    const before = await scansOfSingleClicks(client);
    const [ours, theirs] = await alternate(bench, `${large}/stats${query}`, `${small}/stats${query}`);
    const scans = (await scansOfSingleClicks(client)) - before;
    const ratio = ours / theirs;
    print(
      `${ratio.toFixed(2)}  stats of ${clicks} clicks ÷ of ${SMALL}, ${days} days, ${zone}  goal ≤ ${GOAL}: ${ratio <= GOAL ? "met" : "MISSED"}`,
    );
    print(`      (${ours.toFixed(1)} ms and ${theirs.toFixed(1)} ms; ${scans} scans of single clicks)`);
    if (scans !== 0) process.exitCode = 1;
  }
  for (const interval of ["hour", "minute"]) {
    const took = await timeOf(bench, `${busy}/stats?from=${FROM}&to=${FROM}&interval=${interval}`);
    print(
      `      ${single} clicks of one day by the ${interval}: ${took.toFixed(0)} ms, of ${LIMIT_MS} that it may take`,
    );
  }
}

async function fill(client: pg.Client, code: string, clicksAQuarter: number, days: number): Promise<void> {
  const id = await idOf(client, code);
  await client.query(QUARTERS, [id, clicksAQuarter, FROM, days, JSON.stringify(VALUES)]);
  await client.query(TOTALS, [id]);
  await client.query(DAYS, [id]);
  const { rows } = await client.query<{ clicks: string; rows: string }>(
    `SELECT sum(clicks) FILTER (WHERE dimension = 'total' AND grain = 'd')::text AS clicks, count(*)::text AS rows
     FROM click_rollups WHERE link_id = $1`,
    [id],
  );
  print(`      a link of ${rows[0]?.clicks} clicks in ${rows[0]?.rows} figures`);
}

async function idOf(client: pg.Client, code: string): Promise<string> {
  const { rows } = await client.query<{ id: string }>(
    "SELECT id::text FROM short_links WHERE domain = $1 AND short_code = $2",
    [HOST, code],
  );
  const id = rows[0]?.id;
  if (id === undefined) throw new Error(`there is no link ${code}`);
  return id;
}

/** What every connection has counted so far; it comes a little late. */
async function scansOfSingleClicks(client: pg.Client): Promise<number> {
  await new Promise((resolve) => setTimeout(resolve, 2000));
  const { rows } = await client.query<{ scans: string }>(
    "SELECT sum(seq_scan + coalesce(idx_scan, 0))::text AS scans FROM pg_stat_user_tables WHERE relname LIKE 'click_logs%'",
  );
  return Number(rows[0]?.scans);
}

/** The medians of two questions, asked in turn. */
async function alternate(bench: Bench, one: string, other: string): Promise<readonly [number, number]> {
  const [ones, others]: [number[], number[]] = [[], []];
  for (let call = 0; call < CALLS; call += 1) {
    ones.push(await timeOf(bench, one));
    others.push(await timeOf(bench, other));
  }
  return [median(ones), median(others)];
}

async function timeOf(bench: Bench, path: string): Promise<number> {
  const begun = performance.now();
  const answer = await fetch(`${bench.target("HOP").origin}/api/v1/links/${path}`, {
    headers: { Authorization: `Bearer ${ADMIN_KEY}` },
  });
  const body = parseJson(await answer.text());
  const took = performance.now() - begun;
  const totals = isRecord(body) ? body["totals"] : undefined;
  if (!answer.ok || !isRecord(totals) || totals["clicks"] === 0) throw new Error(`no figures: ${JSON.stringify(body)}`);
  return took;
}

const [days = 30, clicks = 10_000_000, single = 2_000_000] = process.argv.slice(2).map(Number);
await main(days, clicks, single);
