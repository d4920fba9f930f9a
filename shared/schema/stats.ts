/**
 * What requests say of statistics, and how they are shown.
 *
 * @module
 */
import { z } from "@hono/zod-openapi";
import { text, time } from "./text.ts";

/** The lengths of a series' buckets. */
export const INTERVALS = ["minute", "hour", "day", "week", "month"] as const;
/** What figures are broken down by. */
export const BREAKDOWNS = [
  "country",
  "region",
  "city",
  "referrer",
  "device",
  "browser",
  "os",
  "language",
  "destination",
  "utmSource",
  "utmMedium",
  "utmCampaign",
  "utmTerm",
  "utmContent",
  "trigger",
  "bot",
] as const;

/** One of {@link INTERVALS}. */
export type Interval = (typeof INTERVALS)[number];
/** One of {@link BREAKDOWNS}. */
export type Breakdown = (typeof BREAKDOWNS)[number];

/** An end of a period: a whole day in the time zone that is asked for, or an instant in epoch milliseconds. */
export type Moment = { readonly day: string } | { readonly at: number };

const MAX_LIMIT = 100;
const DEFAULT_LIMIT = 10;

/** A `+` that nobody encoded arrives as a space; no time has one there otherwise. */
const instant = z
  .string()
  .transform((value) => value.replace(/ (?=\d{2}:\d{2}$)/, "+"))
  .pipe(time)
  .transform((at): Moment => ({ at }));
const day = z.iso
  .date()
  .refine((value) => /^(?:19[7-9]\d|[2-9]\d{3})-/.test(value), "takes a day between the years 1970 and 9999")
  .transform((value): Moment => ({ day: value }));
const moment = z
  .union([day, instant], { error: "takes a day (2026-12-01) or an RFC 3339 time (2026-12-01T08:00:00Z)" })
  .openapi({ type: "string", example: "2026-12-01" });

const timezone = z
  .string()
  .max(64)
  .refine(isTimeZone, "takes an IANA time zone, such as Europe/Berlin")
  .openapi({ type: "string", example: "Europe/Berlin" });

/** The query of every statistic. */
export const statsQuery = {
  from: moment
    .optional()
    .openapi({ description: "The first day or instant. By default the period ends now and has 30 days." }),
  to: moment.optional().openapi({ description: "The last day or instant, which is included." }),
  interval: z.enum(INTERVALS).default("day"),
  timezone: timezone.default("UTC"),
  bots: z.enum(["include", "exclude", "only"]).default("include"),
  limit: z.coerce
    .number()
    .int()
    .min(1)
    .max(MAX_LIMIT)
    .default(DEFAULT_LIMIT)
    .openapi({ description: "Values of a breakdown." }),
};

/** Whose figures: those of all links, of a domain, or of a tag. */
export const scopeQuery = { domain: text(253).optional(), tag: text(64).optional() };

const count = z.number().int();
const moments = z.string().openapi({ format: "date-time", example: "2026-12-01T00:00:00.000+01:00" });
const counted = z.array(z.object({ value: z.string(), clicks: count }));

const figures = {
  from: moments.openapi({ description: "Where the figures begin: on a quarter of an hour." }),
  to: moments.openapi({ description: "Where they end; not included." }),
  interval: z.enum(INTERVALS),
  timezone: z.string(),
  totals: z.object({
    clicks: count,
    humans: count,
    bots: count,
    visitors: count.openapi({ description: "People, counted once on each day (UTC) and link." }),
  }),
  series: z.array(z.object({ time: moments, clicks: count, humans: count })),
  breakdowns: z.record(z.enum(BREAKDOWNS), counted),
};

/** Figures of one link. */
export const statsShown = z.object(figures).openapi("Stats");
/** Figures of many links. */
export const allStatsShown = z
  .object({
    ...figures,
    topLinks: z.array(z.object({ id: z.string(), domain: z.string(), shortCode: z.string(), clicks: count })),
  })
  .openapi("AllStats");

const MAX_PAGE = 1000;
const DEFAULT_PAGE = 100;

/** The query of the raw log. */
export const clickLogQuery = {
  from: statsQuery.from,
  to: statsQuery.to,
  timezone: statsQuery.timezone,
  format: z.enum(["json", "csv"]).default("json"),
  limit: z.coerce.number().int().min(1).max(MAX_PAGE).default(DEFAULT_PAGE),
  cursor: z.string().max(200).optional().openapi({ description: "`nextCursor` of the page before." }),
};

/** Which clicks are erased. An end that is not given is open. */
export const eraseQuery = {
  from: moment.optional().openapi({ description: "The first day or instant; by default there is none." }),
  to: moment
    .optional()
    .openapi({ description: "The last day or instant, which is included; by default there is none." }),
  timezone: statsQuery.timezone,
};

/** How many clicks were erased. */
export const erasedShown = z.object({ erased: count }).openapi("ErasedClicks");

const told = z.string().nullable();

/** One click of the raw log. */
export const clickShown = z
  .object({
    id: z.string(),
    time: z.string().openapi({ format: "date-time", example: "2026-12-01T08:00:00.000Z" }),
    country: told,
    region: told,
    city: told,
    referrer: told,
    source: told,
    language: told,
    device: told,
    browser: told,
    os: told,
    utmSource: told,
    utmMedium: told,
    utmCampaign: told,
    utmTerm: told,
    utmContent: told,
    destination: told,
    trigger: z.string(),
    bot: told,
    userAgent: told,
    ip: told,
  })
  .openapi("Click");

/** A page of the raw log, newest first. */
export const clickPageShown = z
  .object({ clicks: z.array(clickShown), nextCursor: z.string().nullable() })
  .openapi("ClickPage");

/** A click of the raw log as JSON. */
export type ClickShown = z.input<typeof clickShown>;

/** Figures as JSON. */
export type StatsShown = z.input<typeof statsShown>;

/**
 * An offset (`+01:00`) is no zone: it knows no daylight saving, and Postgres reads its sign the other way round. Nor is an abbreviation: `CET`
 * has summers for Intl and none for Postgres.
 */
function isTimeZone(name: string): boolean {
  if (!/^(?:UTC|GMT|[A-Za-z_]+\/[\w+/-]+)$/.test(name)) return false;
  try {
    return new Intl.DateTimeFormat("en", { timeZone: name }).resolvedOptions().timeZone !== "";
  } catch {
    return false;
  }
}
