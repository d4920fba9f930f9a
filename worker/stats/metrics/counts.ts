/**
 * The counts of the isolates as Prometheus families.
 *
 * @module
 */
import {
  COUNTER_LABELS,
  type CounterFamily,
  HISTOGRAM_BUCKETS,
  HISTOGRAM_REST,
  type HistogramFamily,
} from "../../../shared/counters.ts";
import type { Metric, Sample } from "../../telemetry/prometheus.ts";
import type { StoredCounts } from "./queries.ts";

interface ShownFamily {
  readonly family: CounterFamily;
  readonly name: string;
  readonly help: string;
  readonly labels: readonly string[];
}

const COUNTERS: readonly ShownFamily[] = [
  {
    family: "requests",
    name: "hop_requests_total",
    help: "Requests answered, for links, the API and pages.",
    labels: ["door", "status"],
  },
  {
    family: "lookups",
    name: "hop_lookups_total",
    help: "What each tier said to look-ups: hit, stale (known, but not fresh), pass (not known), refused (no such code can exist), down.",
    labels: ["tier", "outcome"],
  },
  {
    family: "stale_answers",
    name: "hop_stale_answers_total",
    help: "Look-ups answered by a stale entry, since nothing that could know better was reachable.",
    labels: [],
  },
  {
    family: "redis_commands",
    name: "hop_redis_commands_total",
    help: "Redis commands sent.",
    labels: ["outcome"],
  },
  {
    family: "database_queries",
    name: "hop_database_queries_total",
    help: "Postgres statements sent.",
    labels: ["outcome"],
  },
  {
    family: "clicks",
    name: "hop_clicks_total",
    help: "Clicks captured at redirects; written; repeated (delivered again, not counted again); lost (neither queue nor store took them).",
    labels: ["stage"],
  },
  {
    family: "click_windows_orphaned",
    name: "hop_click_windows_orphaned_total",
    help: "Windows of clicks whose request was ended by the platform; their clicks went with another's.",
    labels: [],
  },
  { family: "queue_batches", name: "hop_queue_batches_total", help: "Batches taken off the queue.", labels: [] },
  {
    family: "queue_messages",
    name: "hop_queue_messages_total",
    help: "Messages of clicks by what became of them: written, delayed (will be delivered again), buried.",
    labels: ["outcome"],
  },
];

const HISTOGRAMS: readonly { readonly family: HistogramFamily; readonly name: string; readonly help: string }[] = [
  {
    family: "redirect_ms",
    name: "hop_redirect_duration_seconds",
    help: "Time from request to answer for links, by the platform's clock, which stands still while nothing is waited for.",
  },
  {
    family: "click_delay_ms",
    name: "hop_click_delay_seconds",
    help: "Time from a click to its row in the database.",
  },
];

/** All families, those without a figure too. */
export function countMetrics(
  { values, lastWrittenAt, oldestDueAt, webhooksGivenUp }: StoredCounts,
  now: number,
): Metric[] {
  return [
    ...COUNTERS.map((family) => counterMetric(family, values)),
    ...HISTOGRAMS.map((family) => histogramMetric(family, values)),
    {
      name: "hop_clicks_last_written_timestamp_seconds",
      type: "gauge",
      help: "When clicks were last written.",
      samples: lastWrittenAt === null ? [] : [{ labels: {}, value: lastWrittenAt / 1000 }],
    },
    {
      name: "hop_webhook_oldest_due_seconds",
      type: "gauge",
      help: "How long the oldest delivery of a webhook has been due; a pause between attempts does not count.",
      samples: [{ labels: {}, value: oldestDueAt === null ? 0 : Math.max(0, now - oldestDueAt) / 1000 }],
    },
    {
      name: "hop_webhooks_given_up",
      type: "gauge",
      help: "Webhooks that were switched off since their receivers failed for days, or are gone.",
      samples: [{ labels: {}, value: webhooksGivenUp }],
    },
  ];
}

function counterMetric({ family, name, help, labels }: ShownFamily, values: StoredCounts["values"]): Metric {
  const samples = combinationsOf(COUNTER_LABELS[family]).map((given): Sample => ({
    labels: Object.fromEntries(labels.map((label, at) => [label, given[at] ?? ""])),
    value: values.get([family, ...given].join(":")) ?? 0,
  }));
  return { name, type: "counter", help, samples };
}

/** Every way to take one value of each label. */
function combinationsOf(labels: readonly (readonly string[])[]): readonly (readonly string[])[] {
  const none: readonly (readonly string[])[] = [[]];
  return labels.reduce((begun, values) => begun.flatMap((one) => values.map((value) => [...one, value])), none);
}

function histogramMetric({ family, name, help }: (typeof HISTOGRAMS)[number], values: StoredCounts["values"]): Metric {
  const read = (label: string): number => values.get(`${family}:${label}`) ?? 0;
  let total = 0;
  const buckets = HISTOGRAM_BUCKETS[family].map((upper): Sample => {
    total += read(String(upper));
    return { suffix: "_bucket", labels: { le: String(upper / 1000) }, value: total };
  });
  total += read(HISTOGRAM_REST.bucket);
  const samples: Sample[] = [
    ...buckets,
    { suffix: "_bucket", labels: { le: "+Inf" }, value: total },
    { suffix: "_sum", labels: {}, value: read(HISTOGRAM_REST.sum) / 1000 },
    { suffix: "_count", labels: {}, value: total },
  ];
  return { name, type: "histogram", help, samples };
}
