/**
 * What does a redirect cost beside the least that it could? Ratios of one run, of the deploy build in one `workerd serve`. Throughput is
 * requests a second of the server's processor time; a single look-up is compared in wall time.
 *
 *   node bench/redirect.ts
 *
 * With `TEST_DATABASE_URL` and `TEST_REDIS_URL` the backends are those servers, else the embedded ones. Linux only.
 *
 * @module
 */
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { isRecord } from "../shared/json.ts";
import { type LoadResult, run } from "./load.ts";
import { calm, median, print } from "./measure.ts";
import { BACKENDS, CONSTANT, createLink, createLinks, VISITOR } from "./visits.ts";
import { type Bench, buildDeploy, HOST, withBench, withStack } from "./workerd.ts";

const ROOT = fileURLToPath(new URL("..", import.meta.url));
const CONNECTIONS = 16;
const CALLS = 2000;
const LINKS = 1500;
const COLD = 300;
const COLD_PAUSE_MS = 8;
const EDGE = 1000;
const ROUNDS = 40;
const EDGE_ROUNDS = 5;
/** Two that do not fit the visitor, by all that they can ask for, and one that divides. */
const RULES = [
  { if: { country: ["FR", "BE"] }, then: { longUrl: "https://example.com/fr" } },
  { if: { device: ["desktop"], language: ["fr", "nl"] }, then: { longUrl: "https://example.com/fr" } },
  {
    split: [
      { longUrl: "https://example.com/a", weight: 70 },
      { longUrl: "https://example.com/b", weight: 30 },
    ],
  },
];
/** An isolate looks at the edge again after 5 s (`worker/entries/tiers/memory.ts`). */
const MEMORY_KEPT_MS = 5200;

const PEERS = {
  BARE: `export default { fetch: () => ${CONSTANT} };`,
  CACHE: `export default { async fetch(request) {
  const url = "https://${HOST}/.well-known/bench" + new URL(request.url).pathname;
  if (request.url.endsWith("?fill")) {
    await caches.default.put(url, new Response("x".repeat(250), { headers: { "Cache-Control": "public, max-age=3600" } }));
    return new Response();
  }
  const hit = await caches.default.match(url);
  await hit?.text();
  return ${CONSTANT};
} };`,
  BACKENDS,
};

/** Hono's default app, bundled as wrangler bundles. */
async function honoPeer(): Promise<string> {
  const contents = `import { Hono } from "hono"; const app = new Hono(); app.get("/:code", () => ${CONSTANT}); export default app;`;
  const { outputFiles } = await build({
    stdin: { contents, resolveDir: ROOT },
    bundle: true,
    format: "esm",
    target: "es2024",
    write: false,
  });
  return outputFiles[0]?.text ?? "";
}

async function main(): Promise<void> {
  await withStack(async (place) => {
    const parts = { ...place, build: await buildDeploy(place.folder), peers: { ...PEERS, HONO: await honoPeer() } };
    const [codes, ruled] = await withBench(parts, async (bench) => [
      await createLinks(bench, LINKS),
      await createLink(bench, { longUrl: "https://example.com/", rules: RULES }),
    ]);
    await flushRedis(place.stack.redisUrl, place.stack.redisToken);
    await withBench(parts, (bench) => measure(bench, codes, `/${ruled}`));
  });
}

/** What the stand-ins hold under their own names goes; the links stay in Postgres. */
async function flushRedis(url: string, token: string): Promise<void> {
  const ask = async (command: readonly string[]): Promise<unknown> => {
    const answer = await fetch(url, {
      method: "POST",
      headers: { Authorization: `Bearer ${token}` },
      body: JSON.stringify(command),
    });
    const body: unknown = await answer.json();
    return isRecord(body) ? body["result"] : undefined;
  };
  const keys = await ask(["KEYS", "bench:entry:*"]);
  if (Array.isArray(keys) && keys.length > 0) await ask(["DEL", ...keys.map(String)]);
}

async function measure(bench: Bench, codes: readonly string[], ruled: string): Promise<void> {
  const paths = codes.map((code) => `/${code}`);
  // The first of these are cold look-ups too, so what comes after runs in an isolate that has made many.
  await measureEdge(bench, paths.slice(0, EDGE));
  await measureCold(bench, paths.slice(EDGE));
  await measureHot(bench, paths[0] ?? "/", ruled);
}

/** One look-up at a time, and its back-fill done before the next. */
async function measureCold(bench: Bench, paths: readonly string[]): Promise<void> {
  const cold = (name: string, of: readonly string[]): Promise<LoadResult> =>
    send(bench, name, of, of.length, 1, COLD_PAUSE_MS);
  const warming = paths.slice(COLD);
  await send(bench, "BACKENDS", paths, EDGE);
  await cold("BACKENDS", warming);
  await cold("HOP", warming);
  const measured = paths.slice(0, COLD);
  const hop = await cold("HOP", measured);
  const backends = await cold("BACKENDS", measured);
  const [ours, theirs] = [median(hop.times), median(backends.times)];
  report("cold redirect ÷ one Redis command and one select, in time", ours / theirs, "≤", 1.25);
  print(`        (${ours.toFixed(2)} ms and ${theirs.toFixed(2)} ms)  ${JSON.stringify(hop.statuses)}`);
}

async function measureEdge(bench: Bench, paths: readonly string[]): Promise<void> {
  const fills = paths.map((path) => `${path}?fill`);
  await send(bench, "HOP", paths, paths.length);
  await send(bench, "CACHE", fills, fills.length);
  const ours: number[] = [];
  const theirs: number[] = [];
  for (let round = 0; round <= EDGE_ROUNDS; round += 1) {
    await new Promise((resolve) => setTimeout(resolve, MEMORY_KEPT_MS));
    const hop = await cost(bench, "HOP", paths, paths.length);
    const match = await cost(bench, "CACHE", paths, paths.length);
    if (round === 0) continue;
    ours.push(hop);
    theirs.push(match);
  }
  report("edge hit ÷ a bare cache.match", calm(theirs) / calm(ours), "≥", 0.85);
  print(`        (processor time: cache.match ${micros(calm(theirs))}, edge hit ${micros(calm(ours))})`);
}

async function measureHot(bench: Bench, hot: string, ruled: string): Promise<void> {
  const random = Array.from({ length: CALLS }, (_, at) => `/${madeUp(at)}`);
  const of: Record<"bare" | "hono" | "hot" | "ruled" | "flood", number[]> = {
    bare: [],
    hono: [],
    hot: [],
    ruled: [],
    flood: [],
  };
  for (let round = 0; round <= ROUNDS; round += 1) {
    const bare = await cost(bench, "BARE", [hot], CALLS);
    const hono = await cost(bench, "HONO", [hot], CALLS);
    const redirect = await cost(bench, "HOP", [hot], CALLS);
    const withRules = await cost(bench, "HOP", [ruled], CALLS);
    const flood = await cost(bench, "HOP", random, CALLS);
    if (round === 0) continue;
    of.bare.push(bare);
    of.hono.push(hono);
    of.hot.push(redirect);
    of.ruled.push(withRules);
    of.flood.push(flood);
  }
  const [bare, hono, ours, flood] = [calm(of.bare), calm(of.hono), calm(of.hot), calm(of.flood)];
  report("hot redirect ÷ a bare Worker's constant 302", bare / ours, "≥", 0.75);
  report("hot redirect ÷ a constant 302 through Hono", hono / ours, "≥", 0.95);
  report("hot redirect with rules ÷ hot redirect", ours / calm(of.ruled), "≥", 0.6);
  report("made-up codes ÷ hot redirect", ours / flood, "≥", 1);
  print(
    `        (processor time: bare ${micros(bare)}, Hono ${micros(hono)}, hot ${micros(ours)}, made-up ${micros(flood)})`,
  );
}

function send(
  bench: Bench,
  name: string,
  paths: readonly string[],
  calls: number,
  connections = CONNECTIONS,
  pauseMs = 0,
): Promise<LoadResult> {
  return run({ port: bench.target(name).port, paths, headers: VISITOR, calls, connections, pauseMs });
}

/** Milliseconds of the server's processor time a call. */
async function cost(bench: Bench, name: string, paths: readonly string[], calls: number): Promise<number> {
  const before = await bench.cpuMs();
  await send(bench, name, paths, calls);
  return ((await bench.cpuMs()) - before) / calls;
}

function report(what: string, value: number, direction: "≥" | "≤", goal: number): void {
  const isMet = direction === "≥" ? value >= goal : value <= goal;
  print(`${value.toFixed(2).padStart(6)}  ${what}  goal ${direction} ${goal}: ${isMet ? "met" : "MISSED"}`);
}

function micros(ms: number): string {
  return `${(ms * 1000).toFixed(1)} µs`;
}

/** Eleven characters of the safe alphabet, which no sequencer has made. */
function madeUp(at: number): string {
  const alphabet = "23456789abcdefghjkmnpqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ";
  let state = (at + 1) * 2_654_435_761;
  return Array.from({ length: 11 }, () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return alphabet[state % alphabet.length];
  }).join("");
}

await main();
