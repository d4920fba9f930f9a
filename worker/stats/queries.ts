/**
 * What statistics read: rollups, whose number grows with the days that are asked for and not with the clicks.
 *
 * @module
 */
import { and, eq, type SQL, sql } from "drizzle-orm";
import type { CodeKey } from "../../shared/entry.ts";
import { BREAKDOWNS, type Breakdown } from "../../shared/schema/stats.ts";
import type { Database } from "../backends/postgres.ts";
import { shortLinks } from "../backends/schema.ts";
import { createReadClicks, type ReadClicks } from "./click-log/queries.ts";
import { ask, measure, period, pieces, type Scope, type StatsQuestion, sums, UnknownZone, within } from "./rollups.ts";

/** An instant, and by how many minutes local time is ahead of UTC then. */
export interface LocalInstant {
  readonly at: number;
  readonly offsetMinutes: number;
}

/** A value and its clicks. */
export interface Counted {
  readonly value: string;
  readonly clicks: number;
}

/** The answer. */
export type Stats =
  | {
      readonly kind: "stats";
      readonly from: LocalInstant;
      readonly to: LocalInstant;
      readonly totals: Readonly<Record<"clicks" | "humans" | "visitors", number>>;
      readonly series: readonly { readonly time: LocalInstant; readonly clicks: number; readonly humans: number }[];
      readonly breakdowns: Readonly<Record<Breakdown, Counted[]>>;
    }
  /** The period ends before it begins. */
  | { readonly kind: "reversed" }
  /** The series would have more than {@link MAX_BUCKETS} buckets. */
  | { readonly kind: "too_fine" }
  /** The database does not know the time zone. */
  | { readonly kind: "unknown_zone" };

/** A link and its clicks. */
export interface TopLink {
  readonly id: string;
  readonly domain: string;
  readonly shortCode: string;
  readonly clicks: number;
}

/** The figures in Postgres. Every function rejects with `BackendDown` when the database cannot be asked. */
export interface StatsStore {
  findLink(key: CodeKey): Promise<string | undefined>;
  read(scope: Scope, question: StatsQuestion): Promise<Stats>;
  topLinks(scope: Scope, question: StatsQuestion): Promise<readonly TopLink[]>;
  readClicks(...asked: Parameters<ReadClicks>): Promise<Awaited<ReturnType<ReadClicks>> | "unknown_zone">;
}

/** A month of hours has 744, a day of minutes 1,440. */
export const MAX_BUCKETS = 1500;
/** What stands for the clicks of more values than are kept or asked for. */
const REST = "(other)";

/** Builds the store. */
export function createStatsStore(database: Database): StatsStore {
  const readClicks = createReadClicks(database);
  return {
    findLink: (key) =>
      ask(async () => {
        const [row] = await database
          .select({ id: shortLinks.id })
          .from(shortLinks)
          .where(and(eq(shortLinks.domain, key.domain), eq(shortLinks.shortCode, key.code)))
          .limit(1);
        return row?.id;
      }),
    read: (scope, question) =>
      orUnknownZone(() => ask(() => readStats(database, scope, question)), { kind: "unknown_zone" } as const),
    readClicks: (...asked) => orUnknownZone(() => readClicks(...asked), "unknown_zone"),
    topLinks: (scope, question) =>
      ask(async () => {
        const { rows } = await database.execute<{ id: string; domain: string; code: string; clicks: string }>(sql`
          WITH ${period(question)}, sums AS (
            SELECT link_id, sum(${measure(question)}) AS clicks FROM (${pieces(scope, sql`dimension = 'total'`)}) AS piece GROUP BY link_id
          )
          SELECT links.id::text AS id, links.domain, links.short_code AS code, sums.clicks::text AS clicks
          FROM sums JOIN short_links AS links ON links.id = sums.link_id
          WHERE sums.clicks > 0 ORDER BY sums.clicks DESC, links.id LIMIT ${question.limit}`);
        return rows.map(({ id, domain, code, clicks }) => ({ id, domain, shortCode: code, clicks: Number(clicks) }));
      }),
  };
}

async function orUnknownZone<T, U>(read: () => Promise<T>, otherwise: U): Promise<T | U> {
  try {
    return await read();
  } catch (error) {
    if (error instanceof UnknownZone) return otherwise;
    throw error;
  }
}

type Row = Record<string, string>;

/** The rows of a query as one value. */
function all(rows: SQL): SQL {
  return sql`(SELECT coalesce(jsonb_agg(to_jsonb(line)), '[]') FROM (${rows}) AS line)`;
}

async function readStats(database: Database, scope: Scope, question: StatsQuestion): Promise<Stats> {
  // One statement, so that clicks which come meanwhile are in all figures or in none.
  const { rows } = await database.execute<Record<"head" | "series" | "breakdowns", Row[]>>(sql`
    SELECT ${all(headOf(scope, question))} AS head, ${all(seriesOf(scope, question))} AS series,
      ${all(breakdownsOf(scope, question))} AS breakdowns`);
  const { head = [], series = [], breakdowns = [] } = rows[0] ?? {};
  const [totals] = head;
  if (totals === undefined) throw new Error("a sum answered no row");
  const [from, to] = [localInstant(totals, "from"), localInstant(totals, "to")];
  if (from.at >= to.at) return { kind: "reversed" };
  if (series.length > MAX_BUCKETS) return { kind: "too_fine" };
  return {
    kind: "stats",
    from,
    to,
    totals: {
      clicks: numberIn(totals, "clicks"),
      humans: numberIn(totals, "humans"),
      visitors: numberIn(totals, "visitors"),
    },
    series: series.map((row) => ({
      time: localInstant(row, "start"),
      clicks: numberIn(row, "clicks"),
      humans: numberIn(row, "humans"),
    })),
    breakdowns: breakdownsIn(breakdowns, numberIn(totals, "clicks")),
  };
}

function numberIn(row: Row, name: string): number {
  return Number(row[name] ?? 0);
}

function localInstant(row: Row, name: string): LocalInstant {
  return { at: numberIn(row, `${name}_at`), offsetMinutes: numberIn(row, `${name}_offset`) };
}

/** The most frequent values, then what is left of `total`: a breakdown's sum is the number of clicks. */
function breakdownsIn(rows: readonly Row[], total: number): Record<Breakdown, Counted[]> {
  const read = (breakdown: Breakdown): Counted[] => {
    const mine = rows.filter((row) => row["dimension"] === breakdown);
    const named = mine.map((row) => ({ value: row["value"] ?? "", clicks: numberIn(row, "clicks") }));
    const unknown = total - named.reduce((sum, { clicks }) => sum + clicks, 0);
    return unknown > 0 ? [...named, { value: labelOfUnknown(breakdown), clicks: unknown }] : named;
  };
  return {
    country: read("country"),
    region: read("region"),
    city: read("city"),
    referrer: read("referrer"),
    device: read("device"),
    browser: read("browser"),
    os: read("os"),
    language: read("language"),
    destination: read("destination"),
    utmSource: read("utmSource"),
    utmMedium: read("utmMedium"),
    utmCampaign: read("utmCampaign"),
    utmTerm: read("utmTerm"),
    utmContent: read("utmContent"),
    trigger: read("trigger"),
    bot: read("bot"),
  };
}

/** What a click without a value is: for some breakdowns that says something. */
function labelOfUnknown(breakdown: Breakdown): string {
  if (breakdown === "referrer") return "(direct)";
  return breakdown === "bot" || breakdown.startsWith("utm") ? "(none)" : "(unknown)";
}

function shown(name: string, at: SQL, timezone: string): SQL {
  const [instant, offset] = [sql.raw(`${name}_at`), sql.raw(`${name}_offset`)];
  return sql`(extract(epoch FROM ${at}) * 1000)::bigint::text AS ${instant},
    (extract(epoch FROM (${at} AT TIME ZONE ${timezone}) - (${at} AT TIME ZONE 'UTC')) / 60)::int::text AS ${offset}`;
}

function headOf(scope: Scope, question: StatsQuestion): SQL {
  return sql`
    WITH ${period(question)}, total AS (SELECT ${sums(question)} FROM (${pieces(scope, sql`dimension = 'total'`)}) AS piece)
    SELECT ${shown("from", sql`from_at`, question.timezone)}, ${shown("to", sql`to_at`, question.timezone)},
      coalesce(clicks, 0)::text AS clicks, coalesce(humans, 0)::text AS humans, coalesce(visitors, 0)::text AS visitors
    FROM period, total`;
}

/** Minutes are counted in the raw clicks, all else in rollups; each bucket begins where the time zone has it begin. */
function seriesOf(scope: Scope, question: StatsQuestion): SQL {
  const { interval, timezone } = question;
  const step = sql.raw(`interval '1 ${interval}'`);
  const unit = sql.raw(`'${interval}'`);
  // Hours and minutes go on through a change of the clock; days, weeks and months are the calendar's.
  const starts =
    interval === "minute" || interval === "hour"
      ? sql`SELECT generate_series(date_trunc(${unit}, from_at, ${timezone}), to_at - interval '1 microsecond', ${step}) AS start FROM period`
      : sql`SELECT day AT TIME ZONE ${timezone} AS start FROM period, generate_series(
          date_trunc(${unit}, from_at AT TIME ZONE ${timezone}), (to_at - interval '1 microsecond') AT TIME ZONE ${timezone}, ${step}) AS day`;
  const facts =
    interval === "minute"
      ? sql`SELECT clicked_at AS at, 1 AS clicks, (bot IS NULL)::int AS humans, 0 AS visitors FROM click_logs, period
          WHERE ${within(scope)} AND clicked_at >= from_at AND clicked_at < to_at`
      : sql`SELECT bucket AS at, clicks, humans, visitors FROM click_rollups, period
          WHERE ${within(scope)} AND grain = 'q' AND dimension = 'total' AND bucket >= from_at AND bucket < to_at`;
  return sql`
    WITH ${period(question)}, starts AS (${starts} LIMIT ${MAX_BUCKETS + 1}), all_starts AS (
      SELECT array_agg(start ORDER BY start) AS list FROM starts
    ), counted AS (
      SELECT greatest(width_bucket(at, list), 1) AS place, ${sums(question)} FROM (${facts}) AS fact, all_starts GROUP BY 1
    ), places AS (SELECT start, row_number() OVER (ORDER BY start) AS place FROM starts)
    SELECT ${shown("start", sql`start`, timezone)}, coalesce(clicks, 0)::text AS clicks, coalesce(humans, 0)::text AS humans
    FROM places LEFT JOIN counted USING (place) ORDER BY start`;
}

function breakdownsOf(scope: Scope, question: StatsQuestion): SQL {
  const dimensions = sql`dimension IN (${sql.join(
    BREAKDOWNS.map((name) => sql`${name}`),
    sql`, `,
  )})`;
  return sql`
    WITH ${period(question)}, summed AS (
      SELECT dimension, value, sum(${measure(question)}) AS clicks FROM (${pieces(scope, dimensions)}) AS piece GROUP BY dimension, value
    ), ranked AS (
      SELECT *, row_number() OVER (PARTITION BY dimension ORDER BY value = '', clicks DESC, value) AS place FROM summed WHERE clicks > 0
    ), labelled AS (
      SELECT dimension, CASE WHEN value = '' OR place > ${question.limit} THEN ${REST} ELSE value END AS label, clicks,
        value = '' OR place > ${question.limit} AS is_rest
      FROM ranked
    )
    SELECT dimension, label AS value, sum(clicks)::text AS clicks FROM labelled
    GROUP BY dimension, label, is_rest ORDER BY dimension, is_rest, sum(clicks) DESC, label`;
}
