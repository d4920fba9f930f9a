/**
 * `/metrics`: how the service does, for Prometheus.
 *
 * @module
 */
import { Hono, type MiddlewareHandler } from "hono";
import { exhaustsAt, type Layout } from "../../../shared/snowflake.ts";
import type { ApiEnv } from "../../http/api-env.ts";
import type { SequencerCounts, SequencerStatus } from "../../sequencer/object.ts";
import type { SpillStatus } from "../../spill/object.ts";
import { log } from "../../telemetry/log.ts";
import { type Metric, PROMETHEUS_CONTENT_TYPE, renderMetrics } from "../../telemetry/prometheus.ts";
import { countMetrics } from "./counts.ts";
import type { ReadCounts } from "./queries.ts";

/** What the figures are made of, handed in. Each may reject: the others are shown all the same. */
export interface MetricParts {
  readonly mayRead: MiddlewareHandler<ApiEnv>;
  /** What every sequencer has counted. */
  readonly readSequencers: () => Promise<readonly SequencerStatus[]>;
  /** How the messages stand that the queue did not take. */
  readonly readSpill: () => Promise<SpillStatus>;
  /** What waits in the queue. */
  readonly readQueue: () => Promise<QueueMetrics>;
  /** What the isolates have counted. */
  readonly readCounts: ReadCounts;
  /** The layout of new ids. */
  readonly layout: Layout;
}

/** `GET /metrics` */
export function metricRoutes(parts: MetricParts): Hono<ApiEnv> {
  const routes = new Hono<ApiEnv>();
  routes.use("/*", parts.mayRead);
  routes.get("/", async (c) => {
    const sources = [
      readSource("sequencers", async () => sequencerMetrics(await parts.readSequencers())),
      readSource("spill", async () => spillMetrics(await parts.readSpill())),
      readSource("queue", async () => queueMetrics(await parts.readQueue(), c.env.scope.now)),
      readSource("postgres", async () => countMetrics(await parts.readCounts(), c.env.scope.now)),
    ];
    const told = await Promise.all(sources);
    const text = renderMetrics([...told.flatMap(({ metrics }) => metrics), exhaustion(parts.layout), upMetric(told)]);
    return c.body(text, 200, { "Content-Type": PROMETHEUS_CONTENT_TYPE, "Cache-Control": "no-store" });
  });
  return routes;
}

/** The families of one source, or none when it could not be asked. */
interface Told {
  readonly source: string;
  readonly metrics: readonly Metric[];
  readonly isUp: boolean;
}

async function readSource(source: string, ask: () => Promise<readonly Metric[]>): Promise<Told> {
  try {
    return { source, metrics: await ask(), isUp: true };
  } catch (error) {
    log("warn", "metrics_missing", { source }, error);
    return { source, metrics: [], isUp: false };
  }
}

function upMetric(told: readonly Told[]): Metric {
  return {
    name: "hop_source_up",
    type: "gauge",
    help: "Whether a source of these figures could be asked; those of one that could not are missing.",
    samples: told.map(({ source, isUp }) => ({ labels: { source }, value: isUp ? 1 : 0 })),
  };
}

const SEQUENCER_METRICS: readonly (Omit<Metric, "samples"> & { readonly read: (counts: SequencerCounts) => number })[] =
  [
    { name: "hop_ids_issued_total", type: "counter", help: "Ids given out.", read: (counts) => counts.issued },
    {
      name: "hop_clock_rollbacks_total",
      type: "counter",
      help: "How often a sequencer's clock was found behind an earlier reading.",
      read: (counts) => counts.rollbacks,
    },
    {
      name: "hop_clock_rollback_max_seconds",
      type: "gauge",
      help: "The farthest that a sequencer's clock was ever behind.",
      read: (counts) => counts.maxDriftMs / 1000,
    },
    {
      name: "hop_ids_from_reserve_total",
      type: "counter",
      help: "Ids given out of the reserve while the clock was behind.",
      read: (counts) => counts.fromReserve,
    },
    {
      name: "hop_sequencer_refusals_total",
      type: "counter",
      help: "Calls that a sequencer refused.",
      read: (counts) => counts.refused,
    },
    {
      name: "hop_sequencer_failovers_total",
      type: "counter",
      help: "Calls that came because another sequencer had failed.",
      read: (counts) => counts.failovers,
    },
  ];

function sequencerMetrics(sequencers: readonly SequencerStatus[]): Metric[] {
  return SEQUENCER_METRICS.map(({ read, ...metric }) => ({
    ...metric,
    samples: sequencers.map(({ layout, machine, counts }) => ({
      labels: { layout, machine: String(machine) },
      value: read(counts),
    })),
  }));
}

function exhaustion(layout: Layout): Metric {
  return {
    name: "hop_layout_exhausted_timestamp_seconds",
    type: "gauge",
    help: "When the layout of ids has no time left.",
    samples: [{ labels: { layout: layout.name }, value: exhaustsAt(layout) / 1000 }],
  };
}

function spillMetrics({ waiting, kept }: SpillStatus): Metric[] {
  return [
    {
      name: "hop_spilled_messages_total",
      type: "counter",
      help: "Messages that the queue did not take at once and that were kept.",
      samples: [{ labels: {}, value: kept }],
    },
    {
      name: "hop_spilled_messages_waiting",
      type: "gauge",
      help: "Messages that are kept until the queue takes them.",
      samples: [{ labels: {}, value: waiting }],
    },
  ];
}

function queueMetrics({ backlogCount, backlogBytes, oldestMessageTimestamp }: QueueMetrics, now: number): Metric[] {
  const oldest = oldestMessageTimestamp?.getTime() ?? 0;
  const gauges = [
    ["hop_queue_backlog_messages", "Messages that wait in the queue.", backlogCount],
    ["hop_queue_backlog_bytes", "Bytes that wait in the queue.", backlogBytes],
    // Without a message the platform names no time, or the beginning of time.
    ["hop_queue_oldest_message_age_seconds", "Age of the oldest.", oldest > 0 ? Math.max(0, now - oldest) / 1000 : 0],
  ] as const;
  return gauges.map(([name, help, value]) => ({ name, type: "gauge", help, samples: [{ labels: {}, value }] }));
}
