/**
 * The figures are a recount of the clicks, whatever the queue does: in any order, more than once, and by several consumers at once.
 *
 * @module
 */
import { test } from "vitest";
import type { Click } from "../../shared/click.ts";
import type { Database } from "../backends/postgres.ts";
import { someClick } from "../testing/click.ts";
import { openDatabase } from "../testing/stack.ts";
import { createClassify } from "./classify.ts";
import { createClickStore } from "./store.ts";

const database: Database = openDatabase();
const store = createClickStore(database);
const AT = Date.UTC(2026, 10, 30, 23, 50);
const QUARTER_MS = 15 * 60 * 1000;
const CHROME =
  "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/141.0.0.0 Safari/537.36";

let links = BigInt(Date.now()) << 20n;
function newLink(): string {
  links += 1n;
  return String(links);
}

const clickOf = (linkId: string, fields: Partial<Click> = {}): Click =>
  someClick({ linkId, at: AT, userAgent: CHROME, ...fields });

const write = async (clicks: readonly Click[]): Promise<number> =>
  (await store.write(clicks.map(createClassify()))).clicks;

/** What stands in a link's rollups of one grain, by dimension and value. */
async function figures(linkId: string, grain: "q" | "d"): Promise<Record<string, string>> {
  const { rows } = await database.execute<{ name: string; figures: string }>(
    `SELECT dimension || '=' || value AS name, concat_ws('/', sum(clicks), sum(humans), sum(visitors)) AS figures
     FROM click_rollups WHERE link_id = ${linkId} AND grain = '${grain}' GROUP BY 1`,
  );
  return Object.fromEntries(rows.map(({ name, figures: value }) => [name, value]));
}

/** Where a recount of the raw rows, bucket by bucket, differs from the rollups. */
async function differences(linkIds: readonly string[]): Promise<unknown[]> {
  const { rows } = await database.execute(
    `WITH recount AS (
       SELECT link_id, 'q' AS grain, dimension, date_bin('15 minutes', clicked_at, timestamptz '2000-01-01Z') AS bucket, value,
         count(*) AS clicks, count(*) FILTER (WHERE bot IS NULL) AS humans
       FROM click_logs, LATERAL (VALUES ('total', ''), ('country', country), ('browser', browser), ('trigger', trigger)) AS d(dimension, value)
       WHERE value IS NOT NULL AND link_id IN (${linkIds.join()}) GROUP BY 1, 2, 3, 4, 5
     ), rolled AS (
       SELECT link_id, grain, dimension, bucket, value, clicks, humans FROM click_rollups
       WHERE grain = 'q' AND dimension IN ('total', 'country', 'browser', 'trigger') AND link_id IN (${linkIds.join()})
     )
     (SELECT * FROM recount EXCEPT SELECT * FROM rolled) UNION ALL (SELECT * FROM rolled EXCEPT SELECT * FROM recount)`,
  );
  return rows;
}

test("a click stands in every figure of its quarter of an hour and of its day", async ({ expect }) => {
  const link = newLink();
  await write([
    clickOf(link, { country: "DE", referrer: "t.co", trigger: "qr", visitor: "ffffffffffffffff" }),
    clickOf(link, { country: "DE", at: AT + 1, visitor: "ffffffffffffffff" }),
    clickOf(link, { at: AT + QUARTER_MS, userAgent: "curl/8", visitor: "0000000000000001" }),
  ]);
  const shown = {
    "total=": "3/2/1",
    "country=DE": "2/2/0",
    "referrer=X": "1/1/0",
    "bot=tool": "1/0/0",
    "trigger=qr": "1/1/0",
  };
  expect(await figures(link, "q")).toMatchObject(shown);
  expect(await figures(link, "d")).toMatchObject(shown);
});

test("B148: a visitor counts once a day, and again on the next", async ({ expect }) => {
  const link = newLink();
  const visits = Array.from({ length: 15 }, (_, at) =>
    clickOf(link, { at: AT + at * 60_000, visitor: at < 10 ? "00000000000000aa" : "00000000000000bb" }),
  );
  for (const visit of visits) await write([visit]);
  // The first ten minutes are the 30th: the first visitor alone. After midnight the other one comes.
  expect(await figures(link, "d")).toMatchObject({ "total=": "15/15/2" });
  await write([clickOf(link, { at: AT + 20 * 60_000, visitor: "00000000000000aa" })]);
  expect(await figures(link, "d")).toMatchObject({ "total=": "16/16/3" });
});

test("four consumers, each message once to three times, in any order: the figures equal a recount", async ({
  expect,
}) => {
  const ids = Array.from({ length: 20 }, newLink);
  const clicks = Array.from({ length: 600 }, (_, at) =>
    clickOf(ids[at % ids.length] ?? "0", {
      at: AT + (at % 7) * QUARTER_MS,
      country: ["DE", "FR", null][at % 3] ?? null,
      userAgent: at % 5 === 0 ? "Twitterbot/1.0" : CHROME,
      visitor: (at % 11).toString(16).padStart(16, "0"),
    }),
  );
  const messages = Array.from({ length: 60 }, (_, at) => clicks.slice(at * 10, at * 10 + 10));
  const deliveries = messages.flatMap((message, at) => Array.from({ length: (at % 3) + 1 }, () => message));
  const shuffled = deliveries
    .map((message, at) => ({ message, rank: (at * 7919) % 9973 }))
    .toSorted((x, y) => x.rank - y.rank)
    .map(({ message }) => message);
  const consumers = [0, 1, 2, 3].map(async (consumer) => {
    const mine = shuffled.filter((_, at) => at % 4 === consumer);
    for (let at = 0; at < mine.length; at += 3) await write(mine.slice(at, at + 3).flat());
  });
  await Promise.all(consumers);
  expect(await differences(ids)).toEqual([]);
  const { rows } = await database.execute<{ rolled: string; recounted: string }>(
    `SELECT (SELECT sum(visitors) FROM click_rollups WHERE grain = 'd' AND link_id IN (${ids.join()})) AS rolled,
       (SELECT count(*) FROM (SELECT DISTINCT link_id, visitor, (clicked_at AT TIME ZONE 'UTC')::date FROM click_logs
        WHERE bot IS NULL AND link_id IN (${ids.join()})) AS v) AS recounted`,
  );
  expect(Number(rows[0]?.recounted)).toBeGreaterThan(100);
  expect(rows[0]?.rolled).toBe(rows[0]?.recounted);
});

test("a flood of referrers is summed: 200 values are kept apart in a bucket, and none is lost", async ({ expect }) => {
  const link = newLink();
  for (let batch = 0; batch < 5; batch += 1) {
    const flood = Array.from({ length: 300 }, (_, at) => clickOf(link, { referrer: `r${batch}-${at}.example` }));
    await write([...flood, clickOf(link, { referrer: "news.example" })]);
  }
  const { rows } = await database.execute<{ values: string; clicks: string; news: string; rest: string }>(
    `SELECT count(*) FILTER (WHERE value <> '') AS values, sum(clicks) AS clicks,
       sum(clicks) FILTER (WHERE value = 'news.example') AS news, sum(clicks) FILTER (WHERE value = '') AS rest
     FROM click_rollups WHERE link_id = ${link} AND grain = 'd' AND dimension = 'referrer'`,
  );
  expect(Number(rows[0]?.values)).toBe(200);
  expect(Number(rows[0]?.clicks)).toBe(1505);
  expect(Number(rows[0]?.rest)).toBeGreaterThan(1300);
});
