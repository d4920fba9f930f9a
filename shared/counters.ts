/**
 * What an isolate counts, and how the counts travel: an isolate has no memory that outlives it and nobody can ask it, so its
 * counts ride in the messages of its clicks to where they are added up.
 *
 * @module
 */
import { isRecord, parseJson } from "./json.ts";

/** What a counter is called where it is kept: its family, and the values of its labels, with colons in between. */
export type CounterName =
  | `requests:${"link" | "api" | "page"}:${StatusClass}`
  | `lookups:${"memory" | "guard" | "edge" | "redis" | "postgres"}:${"hit" | "stale" | "pass" | "refused" | "down"}`
  | "stale_answers"
  | `${"redis_commands" | "database_queries"}:${"ok" | "failed"}`
  | `clicks:${"captured" | "written" | "repeated" | "lost"}`
  | "click_windows_orphaned"
  | "queue_batches"
  | `queue_messages:${"written" | "delayed" | "buried"}`
  | `${HistogramFamily}:${string}`;

/**
 * The values of each family's labels. What was never counted is shown as 0: a rate or an increase needs a value before the first incident.
 */
export const COUNTER_LABELS = {
  requests: [
    ["link", "api", "page"],
    ["2xx", "3xx", "4xx", "5xx"],
  ],
  lookups: [
    ["memory", "guard", "edge", "redis", "postgres"],
    ["hit", "stale", "pass", "refused", "down"],
  ],
  stale_answers: [],
  redis_commands: [["ok", "failed"]],
  database_queries: [["ok", "failed"]],
  clicks: [["captured", "written", "repeated", "lost"]],
  click_windows_orphaned: [],
  queue_batches: [],
  queue_messages: [["written", "delayed", "buried"]],
} as const satisfies Readonly<Record<string, readonly (readonly string[])[]>>;

/** A family of counters. */
export type CounterFamily = keyof typeof COUNTER_LABELS;

/** The class of an answer's status. */
export type StatusClass = "2xx" | "3xx" | "4xx" | "5xx";

/** The families of durations. */
export type HistogramFamily = "redirect_ms" | "click_delay_ms";

/** Counts by their names; each is a whole number above zero. */
export type Counts = ReadonlyMap<string, number>;

/** Counts on their way: whoever adds them up does it once for each id. */
export interface CountReport {
  /** A UUID. */
  readonly id: string;
  readonly counts: Counts;
}

/** The upper ends of a family's buckets, in milliseconds; behind the last there is one more without an end. */
export const HISTOGRAM_BUCKETS: Readonly<Record<HistogramFamily, readonly number[]>> = {
  // A redirect from memory is in the first; a cold one takes two backends' time; the limits of both together are 2.7 s.
  redirect_ms: [1, 5, 10, 25, 50, 100, 250, 500, 1000, 2500, 5000],
  // 10 s are promised; an hour is what a database may be away.
  click_delay_ms: [1000, 2500, 5000, 7500, 10_000, 30_000, 60_000, 300_000, 3_600_000],
};

/** The last bucket, and the sum of all durations, as the label of a histogram's counter. */
export const HISTOGRAM_REST = { bucket: "inf", sum: "sum" } as const;

/** The label of the bucket that a duration lies in. */
export function bucketOf(family: HistogramFamily, ms: number): string {
  const end = HISTOGRAM_BUCKETS[family].find((upper) => ms <= upper);
  return end === undefined ? HISTOGRAM_REST.bucket : String(end);
}

/** A message brings more of them only when it is broken. */
const MAX_COUNTS = 200;
const NAME = /^[a-z0-9_]{1,40}(?::[a-z0-9_]{1,20}){0,2}$/;
const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** A report as it stands in a message. */
export function writeReport({ id, counts }: CountReport): Readonly<Record<string, unknown>> {
  return { id, counts: Object.fromEntries(counts) };
}

/** The report that a message's text brings along, or undefined. What is broken in it is left out. */
export function readReport(body: string): CountReport | undefined {
  const message = parseJson(body);
  const report = isRecord(message) ? message["counters"] : undefined;
  if (!isRecord(report)) return undefined;
  const { id, counts } = report;
  if (typeof id !== "string" || !UUID.test(id) || !isRecord(counts)) return undefined;
  const read = Object.entries(counts).slice(0, MAX_COUNTS).filter(isCount);
  return { id, counts: new Map(read) };
}

function isCount(entry: readonly [name: string, value: unknown]): entry is [string, number] {
  const [name, value] = entry;
  return NAME.test(name) && typeof value === "number" && Number.isSafeInteger(value) && value > 0;
}
