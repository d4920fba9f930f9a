/**
 * `/metrics`: how the service does, for Prometheus.
 *
 * @module
 */
import { Hono, type MiddlewareHandler } from "hono";
import { exhaustsAt, type Layout } from "../../shared/snowflake.ts";
import type { ApiEnv } from "../http/api-env.ts";
import type { SequencerCounts, SequencerStatus } from "../sequencer/object.ts";
import type { SpillStatus } from "../spill/object.ts";
import { type Metric, PROMETHEUS_CONTENT_TYPE, renderMetrics } from "../telemetry/prometheus.ts";

/** What the figures are made of, handed in. */
export interface MetricParts {
  readonly mayRead: MiddlewareHandler<ApiEnv>;
  /** What every sequencer has counted. */
  readonly readSequencers: () => Promise<readonly SequencerStatus[]>;
  /** How the messages stand that the queue did not take. */
  readonly readSpill: () => Promise<SpillStatus>;
  /** The layout of new ids. */
  readonly layout: Layout;
}

/** `GET /metrics` */
export function metricRoutes(parts: MetricParts): Hono<ApiEnv> {
  const routes = new Hono<ApiEnv>();
  routes.use("/*", parts.mayRead);
  routes.get("/", async (c) => {
    const [sequencers, spill] = await Promise.all([parts.readSequencers(), parts.readSpill()]);
    const text = renderMetrics([...sequencerMetrics(sequencers), exhaustion(parts.layout), ...spillMetrics(spill)]);
    return c.body(text, 200, { "Content-Type": PROMETHEUS_CONTENT_TYPE, "Cache-Control": "no-store" });
  });
  return routes;
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
