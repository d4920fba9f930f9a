/**
 * Erased clicks are gone from everywhere, and what is left equals a recount of the clicks that are left.
 * It stands above the rooms, because one writes what the other erases.
 *
 * @module
 */
import { test } from "vitest";
import { shortLinks } from "./backends/schema.ts";
import { createClassify } from "./clicks/classify.ts";
import { createClickStore } from "./clicks/store.ts";
import { someClick } from "./testing/click.ts";
import { openDatabase } from "./testing/stack.ts";
import { createStatsStore } from "./stats/queries.ts";
import { linkStatsRoutes } from "./stats/routes.ts";
import { createEraseClicks } from "./stats/store.ts";

const classify = createClassify();
const database = openDatabase();
const clicks = createClickStore(database);
const erase = createEraseClicks(database);
const START = Date.UTC(2026, 10, 29, 22);
const QUARTER_MS = 900_000;

let links = (BigInt(Date.now()) << 20n) + (1n << 18n);

/** Clicks of a link: one each five minutes of a night, from two countries, a third of them a bot's. */
function nightOf(linkId: string) {
  return Array.from({ length: 60 }, (_, at) =>
    classify(
      someClick({
        linkId,
        at: START + at * 300_000,
        country: ["DE", "FR"][at % 2] ?? null,
        referrer: `r${at}.example`,
        userAgent: at % 3 === 0 ? "curl/8" : "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0",
        visitor: at.toString(16).padStart(16, "0"),
      }),
    ),
  );
}

async function linkWithClicks(): Promise<string> {
  links += 1n;
  const id = String(links);
  await database
    .insert(shortLinks)
    .values({ id, domain: "erase.example", shortCode: id, longUrl: "https://example.com/", type: "auto", version: 1 });
  await clicks.write(nightOf(id));
  return id;
}

/** Where a recount of the raw rows differs from the rollups, in both grains. */
async function differences(linkId: string): Promise<unknown[]> {
  const { rows } = await database.execute(
    `WITH recount AS (
       SELECT grain, dimension, bucket, value, count(*) AS clicks, count(*) FILTER (WHERE bot IS NULL) AS humans
       FROM click_logs,
         LATERAL (VALUES ('q', date_bin('15 minutes', clicked_at, timestamptz 'epoch')), ('d', date_trunc('day', clicked_at, 'UTC'))) AS g(grain, bucket),
         LATERAL (VALUES ('total', ''), ('country', country), ('referrer', source), ('bot', bot)) AS d(dimension, value)
       WHERE value IS NOT NULL AND link_id = ${linkId} GROUP BY 1, 2, 3, 4
     ), rolled AS (
       SELECT grain, dimension, bucket, value, clicks, humans FROM click_rollups
       WHERE dimension IN ('total', 'country', 'referrer', 'bot') AND link_id = ${linkId}
     )
     (SELECT * FROM recount EXCEPT SELECT * FROM rolled) UNION ALL (SELECT * FROM rolled EXCEPT SELECT * FROM recount)`,
  );
  return rows;
}

interface Left {
  readonly counted: number;
  readonly logged: number;
  readonly rolled: number;
  readonly visitors: number;
  readonly lastAt: number | null;
}

async function left(linkId: string): Promise<Left | undefined> {
  const { rows } = await database.execute<{ left: Left }>(
    `SELECT jsonb_build_object('counted', click_count, 'lastAt', (extract(epoch FROM last_click_at) * 1000)::bigint,
       'logged', (SELECT count(*) FROM click_logs WHERE link_id = links.id),
       'rolled', (SELECT count(*) FROM click_rollups WHERE link_id = links.id),
       'visitors', (SELECT count(*) FROM click_visitors WHERE link_id = links.id)) AS "left"
     FROM short_links AS links WHERE id = ${linkId}`,
  );
  return rows[0]?.left;
}

test("a period over midnight: what is left equals a recount, and the next call finds nothing", async ({ expect }) => {
  const [link, other] = [await linkWithClicks(), await linkWithClicks()];
  // From 23:37 until 00:16, widened to 23:30 and 00:30: twelve clicks.
  const period = { from: { at: START + 97 * 60_000 }, to: { at: START + 136 * 60_000 }, timezone: "UTC" };
  expect(await erase(link, period)).toEqual({ kind: "erased", clicks: 12 });
  expect(await differences(link)).toEqual([]);
  expect(await left(link)).toMatchObject({ counted: 48, logged: 48, visitors: 40, lastAt: START + 59 * 300_000 });
  expect(await erase(link, period)).toEqual({ kind: "erased", clicks: 0 });
  expect(await left(link)).toMatchObject({ counted: 48, logged: 48 });
  expect(await left(other)).toMatchObject({ counted: 60, logged: 60, visitors: 40 });
  expect(await differences(other)).toEqual([]);
});

test("a day of the time zone to its end: the last click is the newest that is left", async ({ expect }) => {
  const link = await linkWithClicks();
  expect(await erase(link, { from: { day: "2026-11-30" }, timezone: "UTC" })).toEqual({ kind: "erased", clicks: 36 });
  expect(await differences(link)).toEqual([]);
  expect(await left(link)).toMatchObject({ counted: 24, visitors: 16, lastAt: START + 23 * 300_000 });
  expect(await erase(link, { to: { day: "2026-11-29" }, timezone: "Europe/Berlin" })).toEqual({
    kind: "erased",
    clicks: 12,
  });
  expect(await differences(link)).toEqual([]);
});

test("without a period nothing is left, and a click that is delivered again counts again", async ({ expect }) => {
  const link = await linkWithClicks();
  expect(await erase(link, { timezone: "UTC" })).toEqual({ kind: "erased", clicks: 60 });
  expect(await left(link)).toEqual({ counted: 0, logged: 0, rolled: 0, visitors: 0, lastAt: null });
  const [late] = nightOf(link);
  expect(await clicks.write(late === undefined ? [] : [late])).toMatchObject({ clicks: 1 });
  expect(await left(link)).toMatchObject({ counted: 1, logged: 1 });
});

test("clicks that stand in the figures alone are erased from them", async ({ expect }) => {
  const link = await linkWithClicks();
  await database.execute(`DELETE FROM click_logs WHERE link_id = ${link}`);
  const period = { from: { at: START + QUARTER_MS }, timezone: "UTC" };
  expect(await erase(link, period)).toEqual({ kind: "erased", clicks: 57 });
  expect(await left(link)).toMatchObject({ counted: 3, lastAt: START });
});

test("clicks that are written and erased at once neither wait for ever nor differ from a recount", async ({
  expect,
}) => {
  const link = await linkWithClicks();
  const writes = Array.from({ length: 6 }, () => clicks.write(nightOf(link)));
  const erasures = Array.from({ length: 3 }, () => erase(link, { from: { day: "2026-11-30" }, timezone: "UTC" }));
  await Promise.all([...writes, ...erasures]);
  expect(await differences(link)).toEqual([]);
  const after = await left(link);
  expect(after?.counted).toBe(after?.logged);
});

test("a period that ends before it begins and an unknown zone erase nothing", async ({ expect }) => {
  const link = await linkWithClicks();
  const backwards = { from: { day: "2026-11-30" }, to: { day: "2026-11-29" }, timezone: "UTC" };
  expect(await erase(link, backwards)).toEqual({ kind: "reversed" });
  const nowhere = { from: { day: "2026-11-30" }, timezone: "Mars/Olympus" };
  expect(await erase(link, nowhere)).toEqual({ kind: "unknown_zone" });
  expect(await left(link)).toMatchObject({ counted: 60 });
});

test("a flood of values: the day has no more than 200 apart, and adds up to what is left", async ({ expect }) => {
  links += 1n;
  const link = String(links);
  const flood = (quarter: number) =>
    Array.from({ length: 300 }, (_, at) =>
      classify(someClick({ linkId: link, at: START + quarter * QUARTER_MS, referrer: `r${quarter}-${at}.example` })),
    );
  for (const quarter of [0, 1, 2]) await clicks.write(flood(quarter));
  const first = { from: { at: START }, to: { at: START + QUARTER_MS - 1 }, timezone: "UTC" };
  expect(await erase(link, first)).toEqual({ kind: "erased", clicks: 300 });
  const { rows } = await database.execute(
    `SELECT count(*) FILTER (WHERE value <> '')::int AS named, sum(clicks)::int AS clicks, min(clicks)::int AS least,
       count(*) FILTER (WHERE value LIKE 'r0-%')::int AS stale
     FROM click_rollups WHERE link_id = ${link} AND grain = 'd' AND dimension = 'referrer'`,
  );
  expect(rows).toEqual([{ named: 200, clicks: 600, least: 1, stale: 0 }]);
});

test("who may read clicks may not erase them for that", async ({ expect }) => {
  const routes = linkStatsRoutes({
    store: createStatsStore(database),
    findToErase: () => Promise.reject(new Error("looked up without leave")),
    eraseClicks: () => Promise.reject(new Error("erased without leave")),
    domains: [],
    mayRead: (_, next) => next(),
    mayErase: (c) => Promise.resolve(c.text("no", 403)),
  });
  expect((await routes.request("/abc/clicks", { method: "DELETE" })).status).toBe(403);
});
