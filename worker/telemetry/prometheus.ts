/**
 * The Prometheus text format, version 0.0.4 (prometheus.io, "Exposition formats").
 *
 * @module
 */

/** One family of figures. */
export interface Metric {
  /** As the naming rules have it: a unit last, and `_total` behind a counter. */
  readonly name: string;
  readonly type: "counter" | "gauge" | "histogram";
  readonly help: string;
  readonly samples: readonly Sample[];
}

/** One figure and what tells it from the others of its family. */
export interface Sample {
  /** Behind the family's name: `_bucket`, `_sum` or `_count` of a histogram. */
  readonly suffix?: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

/** What a scraper is told of the format. */
export const PROMETHEUS_CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8";

/** The text of some families. */
export function renderMetrics(metrics: readonly Metric[]): string {
  return metrics.map((metric) => renderMetric(metric)).join("");
}

function renderMetric({ name, type, help, samples }: Metric): string {
  const lines = samples.map(({ suffix = "", labels, value }) => `${name}${suffix}${renderLabels(labels)} ${value}`);
  return [`# HELP ${name} ${help}`, `# TYPE ${name} ${type}`, ...lines, ""].join("\n");
}

function renderLabels(labels: Readonly<Record<string, string>>): string {
  const pairs = Object.entries(labels).map(([name, value]) => `${name}="${escapeValue(value)}"`);
  return pairs.length === 0 ? "" : `{${pairs.join(",")}}`;
}

function escapeValue(value: string): string {
  return value.replaceAll("\\", "\\\\").replaceAll('"', '\\"').replaceAll("\n", "\\n");
}
