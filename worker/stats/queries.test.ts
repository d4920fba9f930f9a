/**
 * Figures of a period in any time zone: nothing lost or counted twice at the ends, on days of 23 and 25 hours, or between breakdowns.
 *
 * @module
 */
import { test } from "vitest";
import type { Moment } from "../../shared/schema/stats.ts";
import { openDatabase } from "../testing/stack.ts";
import { createStatsStore, type Stats } from "./queries.ts";
import type { StatsQuestion } from "./rollups.ts";

const database = openDatabase();
const store = createStatsStore(database);
const day = (text: string): Moment => ({ day: text });
const at = (text: string): Moment => ({ at: Date.parse(text) });

let links = (BigInt(Date.now()) << 20n) + (1n << 19n);

/** A link with a click of a person at each of these times, as the consumer keeps them. */
async function linkWith(times: readonly string[], dimension = "country", value = "DE"): Promise<string> {
  links += 1n;
  const list = times.map((time) => `('${new Date(time).toISOString()}'::timestamptz)`).join();
  await database.execute(`
    WITH clicks(at) AS (VALUES ${list})
    INSERT INTO click_rollups
    SELECT ${links}, grain, dimension, bucket, value, count(*), count(*), 0 FROM clicks,
      LATERAL (VALUES ('q', date_bin('15 minutes', at, timestamptz 'epoch')), ('d', date_trunc('day', at, 'UTC'))) AS g(grain, bucket),
      (VALUES ('total', ''), ('${dimension}', '${value}')) AS d(dimension, value)
    GROUP BY 1, 2, 3, 4, 5`);
  return String(links);
}

async function read(linkId: string, asked: Partial<StatsQuestion>): Promise<Extract<Stats, { kind: "stats" }>> {
  const stats = await readAny(linkId, asked);
  if (stats.kind !== "stats") throw new Error(stats.kind);
  return stats;
}

function readAny(linkId: string, asked: Partial<StatsQuestion>): Promise<Stats> {
  const now = Date.parse("2026-12-01T12:00:00Z");
  return store.read(
    { linkId },
    { interval: "day", timezone: "UTC", bots: "include", limit: 10, now, from: undefined, to: undefined, ...asked },
  );
}

const counts = (stats: Extract<Stats, { kind: "stats" }>) => stats.series.map(({ clicks }) => clicks);
const lengthsInHours = (stats: Extract<Stats, { kind: "stats" }>) =>
  stats.series.map(({ time }, index) => ((stats.series[index + 1]?.time ?? stats.to).at - time.at) / 3_600_000);

test("B053: a day is one of the time zone, and the last one is included", async ({ expect }) => {
  const link = await linkWith(["2021-09-13T00:30:00+02:00", "2021-09-13T23:30:00+02:00", "2021-09-14T00:00:00+02:00"]);
  const stats = await read(link, { from: day("2021-09-13"), to: day("2021-09-13"), timezone: "Europe/Madrid" });
  expect(stats.totals.clicks).toBe(2);
  expect(counts(stats)).toEqual([2]);
  const instants = { from: at("2021-09-13T00:00:00+02:00"), to: at("2021-09-13T23:59:59.999+02:00") };
  expect((await read(link, { ...instants, timezone: "Europe/Madrid" })).totals.clicks).toBe(2);
  expect(await readAny(link, { from: day("2021-09-14"), to: day("2021-09-13") })).toEqual({ kind: "reversed" });
});

test("B055: days of 23 and of 25 hours, in both hemispheres and with half an hour, have all their hours once", async ({
  expect,
}) => {
  const spring = await linkWith(["2024-03-31T00:30:00+01:00", "2024-03-31T03:30:00+02:00"]);
  const period = { from: day("2024-03-30"), to: day("2024-04-01"), timezone: "Europe/Berlin" };
  expect(lengthsInHours(await read(spring, period))).toEqual([24, 23, 24]);
  expect(counts(await read(spring, period))).toEqual([0, 2, 0]);
  const hours = await read(spring, { ...period, from: day("2024-03-31"), to: day("2024-03-31"), interval: "hour" });
  expect(counts(hours)).toEqual([1, 0, 1, ...Array.from({ length: 20 }, () => 0)]);

  const autumn = await linkWith(["2024-10-27T02:30:00+02:00", "2024-10-27T02:30:00+01:00"]);
  const night = { from: day("2024-10-27"), to: day("2024-10-27"), timezone: "Europe/Berlin" };
  expect(lengthsInHours(await read(autumn, night))).toEqual([25]);
  const twice = counts(await read(autumn, { ...night, interval: "hour" }));
  expect(twice).toHaveLength(25);
  expect(twice.slice(2, 4)).toEqual([1, 1]);

  const south = { from: day("2026-04-05"), to: day("2026-04-05") };
  expect(lengthsInHours(await read(autumn, { ...south, timezone: "Pacific/Auckland" }))).toEqual([25]);
  expect(lengthsInHours(await read(autumn, { ...south, timezone: "Australia/Lord_Howe" }))).toEqual([24.5]);
});

test("days begin on the quarter of an hour where the time zone has them begin", async ({ expect }) => {
  const link = await linkWith([
    "2026-02-28T18:14:59Z",
    "2026-02-28T18:15:00Z",
    "2026-02-28T18:29:00Z",
    "2026-02-28T18:30:00Z",
  ]);
  const period = { from: day("2026-02-28"), to: day("2026-03-01") };
  expect(counts(await read(link, { ...period, timezone: "Asia/Kathmandu" }))).toEqual([1, 3]);
  expect(counts(await read(link, { ...period, timezone: "Asia/Kolkata" }))).toEqual([3, 1]);
});

test("months and weeks are the calendar's, with leap days, and have no gaps", async ({ expect }) => {
  const link = await linkWith(["2028-02-29T23:59:59Z", "2028-03-01T00:00:00Z", "2028-12-31T12:00:00Z"]);
  const year = await read(link, { from: day("2028-01-01"), to: day("2028-12-31"), interval: "month" });
  expect(counts(year)).toEqual([0, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 1]);
  expect(year.totals.clicks).toBe(3);
  const weeks = await read(link, { from: day("2028-02-28"), to: day("2028-03-06"), interval: "week" });
  expect(counts(weeks)).toEqual([2, 0]);
});

test("B052: by default there are 30 days, and the last one is today in the time zone", async ({ expect }) => {
  const link = await linkWith(["2026-12-01T11:00:00Z"]);
  for (const timezone of ["UTC", "Pacific/Auckland"]) {
    const stats = await read(link, { timezone });
    expect(counts(stats), timezone).toEqual([...Array.from({ length: 29 }, () => 0), 1]);
  }
});

test("B200: the sum of a breakdown is the number of clicks, also when some have no value or there are more than asked for", async ({
  expect,
}) => {
  const times = Array.from({ length: 40 }, (_, hour) => new Date(Date.UTC(2026, 10, 30, hour)).toISOString());
  const link = await linkWith(times);
  for (const [value, clicks] of [
    ["A", 9],
    ["B", 7],
    ["", 5],
    ["C", 2],
  ] as const) {
    await database.execute(
      `INSERT INTO click_rollups SELECT ${link}, grain, 'referrer', '2026-11-30T00:00:00Z', '${value}', ${clicks}, 1, 0 FROM (VALUES ('q'), ('d')) AS g(grain)`,
    );
  }
  const asked = { from: at("2026-11-30T00:00:00Z"), to: at("2026-12-01T15:00:00Z"), limit: 2 };
  const stats = await read(link, asked);
  expect(stats.totals.clicks).toBe(40);
  expect(stats.breakdowns.referrer).toEqual([
    { value: "A", clicks: 9 },
    { value: "B", clicks: 7 },
    { value: "(other)", clicks: 7 },
    { value: "(direct)", clicks: 17 },
  ]);
  for (const [name, values] of Object.entries(stats.breakdowns)) {
    expect(
      values.reduce((sum, { clicks }) => sum + clicks, 0),
      name,
    ).toBe(40);
  }
  const people = await read(link, { ...asked, bots: "exclude" });
  expect(people.breakdowns.referrer.reduce((sum, { clicks }) => sum + clicks, 0)).toBe(40);
});

test("a period that cuts quarters and days counts them whole, wherever it begins and ends", async ({ expect }) => {
  const times = Array.from({ length: 96 * 3 }, (_, quarter) =>
    new Date(Date.UTC(2026, 10, 29) + quarter * 900_000).toISOString(),
  );
  const link = await linkWith(times);
  for (const [from, to, clicks] of [
    ["2026-11-29T00:00:00Z", "2026-12-01T23:59:59.999Z", 288],
    ["2026-11-29T00:07:00Z", "2026-11-29T00:20:00Z", 2],
    ["2026-11-29T10:00:00Z", "2026-11-29T10:00:00Z", 1],
    ["2026-11-29T23:45:00Z", "2026-11-30T00:00:00Z", 2],
    ["2026-11-29T23:59:59Z", "2026-12-01T00:14:00Z", 98],
    ["2026-11-29T12:00:00Z", "2026-11-30T11:59:59.999Z", 96],
  ] as const) {
    const stats = await read(link, { from: at(from), to: at(to), interval: "hour" });
    expect(stats.totals.clicks, from).toBe(clicks);
    expect(
      counts(stats).reduce((sum, count) => sum + count, 0),
      from,
    ).toBe(clicks);
    expect(stats.breakdowns.country, from).toEqual([{ value: "DE", clicks }]);
  }
});

test("a day that has its first hour twice has the clicks of both, also when the period begins in the first", async ({
  expect,
}) => {
  const link = await linkWith(["2026-11-01T04:30:00Z", "2026-11-01T05:30:00Z"]);
  const stats = await read(link, {
    from: at("2026-11-01T04:30:00Z"),
    to: at("2026-11-01T23:00:00Z"),
    timezone: "America/Havana",
  });
  expect(counts(stats)).toEqual([2]);
});

test("a series of too many buckets is refused, and so is a zone that is none", async ({ expect }) => {
  const link = await linkWith(["2026-12-01T11:00:00Z"]);
  expect(await readAny(link, { interval: "minute" })).toEqual({ kind: "too_fine" });
  expect(await readAny(link, { timezone: "Mars/Olympus" })).toEqual({ kind: "unknown_zone" });
});
