/**
 * What does a redirect cost beside the least that it could? Ratios of one run, inside one workerd, on the deploy build:
 *
 *   node bench/redirect.ts
 *
 * @module
 */
import { fileURLToPath } from "node:url";
import { isRecord, parseJson } from "../shared/json.ts";
import { startStack } from "../local/stack.ts";
import { print } from "./measure.ts";
import { ADMIN_KEY, type Bench, HOST, startBench } from "./workerd.ts";

const ROOT = fileURLToPath(new URL("..", import.meta.url));
const CALLERS = 32;
const CALLS = 6000;
const LINKS = 1500;
const ROUNDS = 5;
/** An isolate looks at the edge again after 5 s (`worker/entries/tiers/memory.ts`). */
const MEMORY_KEPT_MS = 5200;

const CONSTANT = `new Response(null, { status: 302, headers: { Location: "https://example.com/landing?a=1#top", "Cache-Control": "no-store" } })`;
const PEERS = {
  BARE: `export default { fetch: () => ${CONSTANT} };`,
  HONO: `import { Hono } from ${JSON.stringify(`${ROOT}node_modules/hono/dist/index.js`)};
const app = new Hono();
app.get("/:code", () => ${CONSTANT});
export default app;`,
  CACHE: `export default { async fetch(request) {
  const url = ${JSON.stringify(HOST)} + "/.well-known/bench" + new URL(request.url).pathname;
  if (request.url.endsWith("?fill")) {
    await caches.default.put(url, new Response("x".repeat(250), { headers: { "Cache-Control": "public, max-age=3600" } }));
    return new Response();
  }
  const hit = await caches.default.match(url);
  await hit.text();
  return ${CONSTANT};
} };`,
  BACKENDS: `export default { async fetch(request, env) {
  const code = new URL(request.url).pathname.slice(1);
  const redis = await fetch(env.UPSTASH_REDIS_REST_URL, { method: "POST", headers: { Authorization: "Bearer " + env.UPSTASH_REDIS_REST_TOKEN },
    body: JSON.stringify(["GET", "nothing:" + code]) });
  await redis.json();
  const rows = await fetch(env.NEON_FETCH_ENDPOINT, { method: "POST", headers: { "Neon-Connection-String": env.DATABASE_URL, "Neon-Array-Mode": "true", "Neon-Raw-Text-Output": "true" },
    body: JSON.stringify({ query: "SELECT id, long_url FROM short_links WHERE domain = $1 AND short_code = $2", params: ["bench.example.test", code] }) });
  await rows.json();
  return ${CONSTANT};
} };`,
};

async function main(): Promise<void> {
  const stack = await startStack({
    databaseUrl: process.env["TEST_DATABASE_URL"],
    redisUrl: process.env["TEST_REDIS_URL"],
    isolateDatabase: true,
    migrate: true,
  });
  try {
    const codes = await withBench(stack, (bench) => create(bench, LINKS));
    await flushRedis(stack.redisUrl, stack.redisToken);
    await withBench(stack, (bench) => measure(bench, codes));
  } finally {
    await stack.stop();
  }
}

async function withBench<T>(
  stack: Awaited<ReturnType<typeof startStack>>,
  use: (bench: Bench) => Promise<T>,
): Promise<T> {
  const bench = await startBench(stack, PEERS);
  try {
    return await use(bench);
  } finally {
    await bench.stop();
  }
}

async function create(bench: Bench, count: number): Promise<string[]> {
  const codes: string[] = [];
  const headers = { Authorization: `Bearer ${ADMIN_KEY}`, "Content-Type": "application/json" };
  const make = async (at: number): Promise<void> => {
    const body = JSON.stringify({ longUrl: `https://example.com/landing?a=${at}#top` });
    const link = parseJson((await bench.hop("/api/v1/links", { method: "POST", headers, body })).body);
    if (isRecord(link)) codes.push(String(link["shortCode"]));
  };
  for (let at = 0; at < count; at += 20) await Promise.all(Array.from({ length: 20 }, (_, next) => make(at + next)));
  return codes;
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

async function measure(bench: Bench, codes: readonly string[]): Promise<void> {
  const paths = codes.map((code) => `/${code}`);
  const [hot = "/"] = paths;

  // Cold first: nothing has been asked for yet.
  const half = Math.floor(paths.length / 2);
  await bench.run("BACKENDS", paths.slice(0, 50), 50, 4);
  await bench.run("HOP", paths.slice(0, 50), 50, 4);
  const cold = await bench.run("HOP", paths.slice(50, half), half - 50, 4);
  const backends = await bench.run("BACKENDS", paths.slice(50, half), half - 50, 4);
  line(
    "cold redirect ÷ one Redis command and one select, in time",
    cold.ms / backends.ms,
    "at most 1.25",
    cold.statuses,
  );

  await bench.run("HOP", paths.slice(0, 1000), 1000, CALLERS);
  await bench.run(
    "CACHE",
    paths.slice(0, 1000).map((path) => `${path}?fill`),
    1000,
    CALLERS,
  );
  await new Promise((resolve) => setTimeout(resolve, MEMORY_KEPT_MS));
  const edge = await bench.run("HOP", paths.slice(0, 1000), 1000, CALLERS);
  const match = await bench.run("CACHE", paths.slice(0, 1000), 1000, CALLERS);
  line("edge hit ÷ a bare cache.match", match.ms / edge.ms, "at least 0.85", edge.statuses);

  const random = Array.from({ length: CALLS }, (_, at) => `/${madeUp(at)}`);
  const rates = { bare: [] as number[], hono: [] as number[], hot: [] as number[], flood: [] as number[] };
  for (let round = 0; round <= ROUNDS; round += 1) {
    const bare = await bench.run("BARE", [hot], CALLS, CALLERS);
    const hono = await bench.run("HONO", [hot], CALLS, CALLERS);
    const redirect = await bench.run("HOP", [hot], CALLS, CALLERS);
    const flood = await bench.run("HOP", random, CALLS, CALLERS);
    if (round === 0) continue;
    rates.bare.push(bare.ms);
    rates.hono.push(hono.ms);
    rates.hot.push(redirect.ms);
    rates.flood.push(flood.ms);
  }
  line("hot redirect ÷ a bare Worker's constant 302", median(rates.bare) / median(rates.hot), "at least 0.75");
  line("hot redirect ÷ a constant 302 through Hono", median(rates.hono) / median(rates.hot), "at least 0.95");
  line("made-up codes ÷ hot redirect", median(rates.hot) / median(rates.flood), "at least 1");
  print(
    `(a bare 302: ${Math.round((CALLS * 1000) / median(rates.bare))}/s, a hot redirect: ${Math.round((CALLS * 1000) / median(rates.hot))}/s)`,
  );
}

function line(what: string, ratio: number, goal: string, statuses?: Readonly<Record<string, number>>): void {
  print(
    `${ratio.toFixed(2).padStart(6)}  ${what} (goal ${goal})${statuses === undefined ? "" : `  ${JSON.stringify(statuses)}`}`,
  );
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

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
}

await main();
