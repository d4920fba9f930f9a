/**
 * The parts that every statement of the statistics is made of: which period, whose rollups, and what is counted of them.
 *
 * @module
 */
import { type SQL, sql } from "drizzle-orm";
import type { Interval, Moment } from "../../shared/schema/stats.ts";
import { diagnose } from "../backends/postgres.ts";

/** SQLSTATE invalid_parameter_value: what Postgres says of a zone that it does not know. */
const UNKNOWN_ZONE = "22023";

/** Which period is asked about. */
export interface PeriodQuestion {
  readonly from?: Moment | undefined;
  readonly to?: Moment | undefined;
  readonly timezone: string;
  /** Epoch milliseconds. */
  readonly now: number;
}

/** What is asked. */
export interface StatsQuestion extends PeriodQuestion {
  readonly interval: Interval;
  readonly bots: "include" | "exclude" | "only";
  /** Values of a breakdown. */
  readonly limit: number;
}

/** Whose figures: one link's, or those of all links, of a domain, of a tag. */
export type Scope =
  | { readonly linkId: string }
  | { readonly domain: string | undefined; readonly tag: string | undefined };

function instant(at: number): SQL {
  return sql`${new Date(at).toISOString()}::timestamptz`;
}

/**
 * `asked`: from `a` until before `b`. `period`: where the figures begin and end, widened to quarters of an hour, and the whole days (UTC) between. A day is that of the
 * time zone; both ends are included, an instant to its millisecond.
 */
export function period({ from, to, timezone, now }: PeriodQuestion): SQL {
  const startOf = (day: SQL): SQL => sql`(${day})::date::timestamp AT TIME ZONE ${timezone}`;
  const begin = (): SQL => {
    if (from === undefined) return startOf(sql`(${instant(now)} AT TIME ZONE ${timezone})::date - 29`);
    return "day" in from ? startOf(sql`${from.day}`) : instant(from.at);
  };
  const end = (): SQL => {
    if (to === undefined) return sql`${instant(now)} + interval '1 millisecond'`;
    return "day" in to ? startOf(sql`${to.day}::date + 1`) : sql`${instant(to.at)} + interval '1 millisecond'`;
  };
  return sql`asked AS (SELECT ${begin()} AS a, ${end()} AS b), period AS (
    SELECT ${quarterOf(sql`a`)} AS from_at, ${quarterOf(sql`b + interval '15 minutes' - interval '1 microsecond'`)} AS to_at,
      date_trunc('day', a + interval '1 day' - interval '1 microsecond', 'UTC') AS first_day, date_trunc('day', b, 'UTC') AS end_day
    FROM asked)`;
}

function quarterOf(at: SQL): SQL {
  return sql`date_bin(interval '15 minutes', ${at}, timestamptz 'epoch')`;
}

/** The rows of a scope. */
export function within(scope: Scope): SQL {
  if ("linkId" in scope) return sql`link_id = ${scope.linkId}::bigint`;
  const { domain, tag } = scope;
  if (domain === undefined && tag === undefined) return sql`true`;
  const onDomain = domain === undefined ? sql`true` : sql`domain = ${domain}`;
  const tagged = tag === undefined ? sql`true` : sql`tags @> ARRAY[${tag}]`;
  return sql`link_id IN (SELECT id FROM short_links WHERE ${onDomain} AND ${tagged})`;
}

/** The rollups of a period: whole days where there are, and quarters of an hour at its ends. */
export function pieces(scope: Scope, dimensions: SQL): SQL {
  const rollups = sql`SELECT link_id, dimension, value, clicks, humans, visitors FROM click_rollups, period WHERE ${within(scope)} AND ${dimensions}`;
  return sql`${rollups} AND grain = 'd' AND bucket >= first_day AND bucket < end_day
    UNION ALL ${rollups} AND grain = 'q' AND bucket >= from_at AND bucket < least(first_day, to_at)
    UNION ALL ${rollups} AND grain = 'q' AND bucket >= greatest(end_day, first_day) AND bucket >= from_at AND bucket < to_at`;
}

/** What is counted of a row. */
export function measure({ bots }: StatsQuestion): SQL {
  if (bots === "include") return sql`clicks`;
  return bots === "exclude" ? sql`humans` : sql`clicks - humans`;
}

/** Clicks and people of what is asked for: without bots both are the people, with bots alone nobody is one. */
export function sums({ bots }: StatsQuestion): SQL {
  if (bots === "include") return sql`sum(clicks) AS clicks, sum(humans) AS humans, sum(visitors) AS visitors`;
  if (bots === "exclude") return sql`sum(humans) AS clicks, sum(humans) AS humans, sum(visitors) AS visitors`;
  return sql`sum(clicks - humans) AS clicks, 0 AS humans, 0 AS visitors`;
}

/** The database does not know the time zone. */
export class UnknownZone extends Error {
  override readonly name = "UnknownZone";
}

/** Runs a statement. Rejects with `BackendDown` when the database cannot be asked, and with {@link UnknownZone}. */
export async function ask<T>(statement: () => Promise<T>): Promise<T> {
  try {
    return await statement();
  } catch (error) {
    const failure = diagnose(error);
    if (failure.kind === "down") throw failure.error;
    throw failure.sqlState === UNKNOWN_ZONE ? new UnknownZone() : error;
  }
}
