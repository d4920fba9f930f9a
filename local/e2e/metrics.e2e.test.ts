/**
 * `/metrics`, from visits to the figures that Prometheus reads, on backends of its own: the figures are those of all Workers on one
 * database. What the dashboard and the alert rules ask for is there.
 *
 * @module
 */
import { readFile } from "node:fs/promises";
import { parser } from "@prometheus-io/lezer-promql";
import { afterAll, beforeAll, test } from "vitest";
import { parse } from "yaml";
import { isRecord, parseJson } from "../../shared/json.ts";
import { type Stack, startStack } from "../stack.ts";
import { ADMIN_KEY, createLink, type Service, see, startService, stranger } from "./service.ts";

let stack: Stack;
let service: Service;

beforeAll(async () => {
  stack = await startStack({
    databaseUrl: process.env["TEST_DATABASE_URL"],
    redisUrl: process.env["TEST_REDIS_URL"],
    isolateDatabase: true,
    migrate: true,
  });
  service = await startService("metrics.example.test", {
    DATABASE_URL: stack.databaseUrl,
    NEON_FETCH_ENDPOINT: stack.databaseEndpoint,
    UPSTASH_REDIS_REST_URL: stack.redisUrl,
    UPSTASH_REDIS_REST_TOKEN: stack.redisToken,
    LAUNCHED_AT: new Date().toISOString(),
  });
});
afterAll(async () => {
  await service.stop();
  await stack.stop();
});

async function scrape(): Promise<string> {
  const { status, text } = await see(service.fetch("/metrics", { headers: { Authorization: `Bearer ${ADMIN_KEY}` } }));
  return status === 200 ? text : `status ${status}`;
}

/** The value of a sample, its labels as they are written; undefined when it is not there. */
function valueIn(text: string, sample: string): number | undefined {
  const line = text.split("\n").find((candidate) => candidate.startsWith(`${sample} `));
  return line === undefined ? undefined : Number(line.slice(sample.length + 1));
}

test("visits show by their answer, their tier and their time; clicks by what became of them", async ({ expect }) => {
  const code = await createLink(service);
  for (let round = 0; round < 20; round += 1) await service.fetch(`/${code}`);
  await service.fetch(`/${code}`, { method: "HEAD" });
  // Of the width of generated codes, and made by no sequencer: the guard needs nobody to say so.
  for (let round = 0; round < 3; round += 1) await service.fetch("/22222222222", { headers: stranger() });
  const written = async () => valueIn(await scrape(), 'hop_clicks_total{stage="written"}');
  await expect.poll(written, { timeout: 30_000, interval: 500 }).toBe(20);
  // What was counted after the clicks had left rides later, by itself.
  const visits = async () => valueIn(await scrape(), 'hop_requests_total{door="link",status="4xx"}');
  await expect.poll(visits, { timeout: 30_000, interval: 500 }).toBe(3);

  const text = await scrape();
  const value = (sample: string) => valueIn(text, sample);
  expect(value('hop_clicks_total{stage="captured"}')).toBe(20);
  // There before the first incident: an increase from nothing is none.
  expect(value('hop_clicks_total{stage="lost"}')).toBe(0);
  expect(value('hop_queue_messages_total{outcome="buried"}')).toBe(0);
  expect(value('hop_requests_total{door="link",status="3xx"}')).toBe(21);
  expect(value('hop_requests_total{door="api",status="2xx"}')).toBeGreaterThan(0);
  expect(value('hop_lookups_total{tier="guard",outcome="refused"}')).toBe(3);
  // The creation has left the entry in this isolate's memory.
  expect(value('hop_lookups_total{tier="memory",outcome="hit"}')).toBeGreaterThan(15);
  expect(value('hop_redirect_duration_seconds_bucket{le="+Inf"}')).toBe(24);
  expect(value("hop_redirect_duration_seconds_count")).toBe(24);
  expect(value('hop_click_delay_seconds_bucket{le="+Inf"}')).toBe(20);
  expect(value('hop_database_queries_total{outcome="ok"}')).toBeGreaterThan(1);
  expect(value('hop_redis_commands_total{outcome="ok"}')).toBeGreaterThan(0);
  expect(value("hop_queue_batches_total")).toBeGreaterThan(0);
  expect(value('hop_queue_messages_total{outcome="written"}')).toBeGreaterThan(0);
  expect(value("hop_queue_backlog_messages")).toBeGreaterThanOrEqual(0);
  expect(Math.abs((value("hop_clicks_last_written_timestamp_seconds") ?? 0) - Date.now() / 1000)).toBeLessThan(60);
  for (const source of ["sequencers", "spill", "queue", "postgres"]) {
    expect(value(`hop_source_up{source="${source}"}`)).toBe(1);
  }
});

test("every line is one of the Prometheus text format, and every family is told of once", async ({ expect }) => {
  const lines = (await scrape()).trimEnd().split("\n");
  const sample = /^[a-z_]+(?:\{[a-z]+="[^"\n]*"(?:,[a-z]+="[^"\n]*")*\})? -?\d+(?:\.\d+)?(?:e[+-]?\d+)?$/;
  const broken = lines.filter((line) => !/^# (?:HELP [a-z_]+ .+|TYPE [a-z_]+ (?:counter|gauge|histogram))$/.test(line));
  expect(broken.filter((line) => !sample.test(line))).toEqual([]);
  const families = lines.filter((line) => line.startsWith("# TYPE"));
  expect(new Set(families).size).toBe(families.length);
});

test("with Postgres away, the figures of all else are there, and one says what is missing", async ({ expect }) => {
  const fault = await fetch(stack.faultUrls.postgres, { method: "PUT", body: JSON.stringify({ kind: "refuse" }) });
  const text = await scrape();
  expect(valueIn(text, 'hop_source_up{source="postgres"}')).toBe(0);
  expect(valueIn(text, 'hop_source_up{source="sequencers"}')).toBe(1);
  expect(text).toContain("hop_ids_issued_total");
  const id = parseJson(await fault.text());
  await fetch(`${stack.faultUrls.postgres}/${isRecord(id) ? String(id["id"]) : ""}`, { method: "DELETE" });
  expect(valueIn(await scrape(), 'hop_source_up{source="postgres"}')).toBe(1);
});

/** Every expression in a tree of plain values, by the key that holds it. */
function expressionsIn(value: unknown): string[] {
  if (Array.isArray(value)) return value.flatMap((item) => expressionsIn(item));
  if (!isRecord(value)) return [];
  return Object.entries(value).flatMap(([key, item]) =>
    key === "expr" && typeof item === "string" ? [item] : expressionsIn(item),
  );
}

test.for(["grafana-dashboard.json", "alerts.yaml"])(
  "%s asks for what is there, in PromQL",
  async (file, { expect }) => {
    const told = new Set([...(await scrape()).matchAll(/^# TYPE (\S+)/gm)].map(([, name]) => name));
    const expressions = expressionsIn(parse(await readFile(new URL(`../monitoring/${file}`, import.meta.url), "utf8")));
    expect(expressions.length).toBeGreaterThan(10);
    for (const expression of expressions) {
      const query = expression.replaceAll("$__rate_interval", "5m");
      let isBroken = false;
      parser.parse(query).iterate({ enter: ({ type }) => void (isBroken ||= type.isError) });
      expect({ query, isBroken }).toEqual({ query, isBroken: false });
      const names = [...query.matchAll(/\bhop_[a-z_]+/g)].map(([name]) => name.replace(/_bucket$/, ""));
      expect(names.length).toBeGreaterThan(0);
      expect(names.filter((name) => !told.has(name))).toEqual([]);
    }
  },
);
