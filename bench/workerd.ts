/**
 * Hop's deploy build beside small Workers of our own, in one `workerd serve`, each on a port of its own: no proxy stands in
 * between. Queue, data centre's cache and rate limiter are Workers too, as small as they can be, and the same for all.
 *
 * @module
 */
import { type ChildProcess, execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { type Stack, startStack } from "../local/stack.ts";

const ROOT = fileURLToPath(new URL("..", import.meta.url));
/** The program itself: the package's own entry is a script that starts it, and would outlive a kill. */
const PLATFORM = process.arch === "arm64" ? "linux-arm64" : "linux-64";
const BINARY = fileURLToPath(import.meta.resolve(`@cloudflare/workerd-${PLATFORM}/bin/workerd`));
/** The domain of its links. */
export const HOST = "bench.example.test";
/** The key of the service under test. */
export const ADMIN_KEY = "bench-admin-key";
/** The header in which a request's `cf` comes, as Cloudflare's own edge hands it over. */
export const CF_HEADER = "CF-Blob";
const DATE = "2026-11-01";

/** The data centre's cache, as `cacheApiOutbound` sees it: a stored answer is a whole HTTP message. */
const CACHE = `
const kept = new Map();
export default { async fetch(request) {
  if (request.method === "PUT") {
    const message = await request.text();
    kept.set(request.url, message.slice(message.indexOf("\\r\\n\\r\\n") + 4));
    return new Response(null, { status: 204 });
  }
  if (request.method === "PURGE") return new Response(null, { status: kept.delete(request.url) ? 200 : 404 });
  const body = kept.get(request.url);
  if (body === undefined) return new Response(null, { status: 504, headers: { "CF-Cache-Status": "MISS" } });
  return new Response(body, { headers: { "CF-Cache-Status": "HIT", "Cache-Control": "public, max-age=86400", "Content-Type": "text/plain" } });
} };`;
/** Takes every message, and tells whoever asks with `GET` how many there were, and how many units of 64 KB they are billed as. */
const QUEUE = `
let [messages, units] = [0, 0];
export default { async fetch(request) {
  if (request.method === "GET") return Response.json({ messages, units });
  const { byteLength } = await request.arrayBuffer();
  messages += 1;
  units += Math.ceil(byteLength / 65536);
  return Response.json({ metadata: { metrics: { backlogCount: 0, backlogBytes: 0, oldestMessageTimestamp: 0 } } });
} };`;
const LIMITER = `export default () => ({ limit: async () => ({ success: true }) });`;

/** Where a Worker listens. */
export interface Target {
  readonly port: number;
  readonly origin: string;
}

/** A workerd with Hop and its peers in it. */
export interface Bench {
  /** A Worker by name: `HOP` or a further instance of it, a peer's, or `QUEUE`, the queue's stand-in. */
  readonly target: (name: string) => Target;
  /** Milliseconds of processor time that the workerd has used so far. */
  readonly cpuMs: () => Promise<number>;
  readonly stop: () => Promise<void>;
}

/** The build that `wrangler deploy` would upload. `folder` takes it. */
export async function buildDeploy(folder: string): Promise<string> {
  const wrangler = fileURLToPath(import.meta.resolve("wrangler"));
  const bin = join(wrangler, "..", "..", "bin", "wrangler.js");
  const outdir = join(folder, "build");
  await promisify(execFile)(process.execPath, [bin, "deploy", "--dry-run", "--outdir", outdir], { cwd: ROOT });
  return join(outdir, "index.js");
}

/** Where a bench works. */
export interface BenchPlace {
  /** Takes the build, the configuration and the objects' storage. */
  readonly folder: string;
  readonly stack: Stack;
}

/** Starts backends with Hop's tables, those that the environment names or embedded ones; they and the folder are gone afterwards. */
export async function withStack(use: (place: BenchPlace) => Promise<void>): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), "hop-bench-"));
  const stack = await startStack({
    databaseUrl: process.env["TEST_DATABASE_URL"],
    redisUrl: process.env["TEST_REDIS_URL"],
    isolateDatabase: true,
    migrate: true,
  });
  try {
    await use({ folder, stack });
  } finally {
    await stack.stop();
    await rm(folder, { recursive: true, force: true });
  }
}

/** What a workerd is to serve. */
export interface BenchParts extends BenchPlace {
  /** Hop's deploy build; undefined: only peers. */
  readonly build?: string | undefined;
  /** Workers by their name, as source text; they read what Hop reads from `env`, where they find each Hop as a service. */
  readonly peers: Readonly<Record<string, string>>;
  /** Further instances of Hop by their name, with the variables in which they differ. */
  readonly instances?: Readonly<Record<string, Readonly<Record<string, string>>>>;
  /** Takes what the Workers log of failures, in place of this process' own `stderr`. */
  readonly onLog?: (text: string) => void;
}

/** Starts a workerd for one use. */
export async function withBench<T>(parts: BenchParts, use: (bench: Bench) => Promise<T>): Promise<T> {
  const bench = await startBench(parts);
  try {
    return await use(bench);
  } finally {
    await bench.stop();
  }
}

/** Starts it, and waits until every port is open. */
async function startBench({ folder, build, peers, stack, instances = {}, onLog }: BenchParts): Promise<Bench> {
  await mkdir(join(folder, "objects"), { recursive: true });
  const variables = { ...(await readVariables()), ...variablesOf(stack) };
  const hops: BenchParts["instances"] = build === undefined ? {} : { HOP: {}, ...instances };
  const [hop, files] =
    build === undefined ? ["", []] : [await readFile(build, "utf8"), await dataModules(folder, dirname(build))];
  const services = [
    ...Object.entries(hops).map(([name, own]) => hopText(name, hop, files, { ...variables, ...own })),
    ...Object.entries(peers).map(([name, source]) => peerText(name, source, variables, Object.keys(hops))),
  ];
  const ports = new Map<string, number>();
  for (const name of [...Object.keys(hops), ...Object.keys(peers), "QUEUE"]) ports.set(name, await freePort());
  const sockets = [...ports].map(
    ([name, port]) =>
      `(name = "${name}", address = "127.0.0.1:${port}", service = "${name}", http = (cfBlobHeader = "${CF_HEADER}"))`,
  );
  const config = join(folder, "config.capnp");
  await writeFile(config, configText(services, sockets, join(folder, "objects")));
  const child = spawn(BINARY, ["serve", config, "--experimental"], {
    stdio: ["ignore", "ignore", onLog === undefined ? "inherit" : "pipe"],
  });
  child.stderr?.on("data", (chunk: Buffer) => onLog?.(chunk.toString("utf8")));
  await Promise.all([...ports.values()].map((port) => opened(port, child)));
  return {
    target(name) {
      const port = ports.get(name);
      if (port === undefined) throw new Error(`there is no Worker ${name}`);
      return { port, origin: `http://127.0.0.1:${port}` };
    },
    cpuMs: () => cpuMs(child),
    async stop() {
      child.kill("SIGKILL");
      if (child.exitCode === null && child.signalCode === null) await once(child, "exit");
    },
  };
}

function configText(services: readonly string[], sockets: readonly string[], objects: string): string {
  return `using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  services = [${[
    ...services,
    smallWorker("cache", CACHE),
    smallWorker("QUEUE", QUEUE),
    `(name = "objects", disk = (path = ${JSON.stringify(objects)}, writable = true))`,
    '(name = "internet", network = (allow = ["public", "private", "local"]))',
  ].join(",\n")}],
  sockets = [${sockets.join(",\n")}],
  extensions = [(modules = [(name = "bench:limiter", esModule = ${JSON.stringify(LIMITER)}, internal = true)])],
);
`;
}

function smallWorker(name: string, source: string): string {
  return `(name = "${name}", worker = (modules = [(name = "main", esModule = ${JSON.stringify(source)})], compatibilityDate = "${DATE}"))`;
}

const OBJECTS = { SEQUENCER: "Sequencer", QUOTA: "Quota", SPILL: "Spill", WEBHOOK_SENDER: "WebhookSender" };

/** What the build imports beside its script: files that are sent to browsers as they are (`[[rules]]` of wrangler.toml), named by their hash. */
async function dataModules(folder: string, build: string): Promise<string[]> {
  return (await readdir(build))
    .filter((name) => /^[0-9a-f]{40}-/.test(name))
    .map(
      (name) => `(name = ${JSON.stringify(name)}, data = embed ${JSON.stringify(join(relative(folder, build), name))})`,
    );
}

function hopText(
  name: string,
  source: string,
  files: readonly string[],
  variables: Readonly<Record<string, string>>,
): string {
  const bindings = Object.entries(OBJECTS).map(
    ([binding, of]) => `(name = "${binding}", durableObjectNamespace = "${of}")`,
  );
  const namespaces = Object.values(OBJECTS).map(
    (of) => `(className = "${of}", uniqueKey = "${name}-${of}", enableSql = true)`,
  );
  const storage = `durableObjectNamespaces = [${namespaces.join(", ")}], durableObjectStorage = (localDisk = "objects"),`;
  return workerText(name, [mainModule(source), ...files], [...bindingsOf(variables), ...bindings], storage);
}

/** A peer may hand a service batches of a queue, which takes a flag. */
function peerText(
  name: string,
  source: string,
  variables: Readonly<Record<string, string>>,
  hops: readonly string[],
): string {
  const bindings = [...bindingsOf(variables), ...hops.map((hop) => `(name = "${hop}", service = "${hop}")`)];
  return workerText(name, [mainModule(source)], bindings, 'compatibilityFlags = ["service_binding_extra_handlers"],');
}

function bindingsOf(variables: Readonly<Record<string, string>>): string[] {
  return [
    ...Object.entries(variables).map(([key, value]) => `(name = "${key}", text = ${JSON.stringify(value)})`),
    '(name = "CLICKS", queue = "QUEUE")',
    limiter("UNKNOWN_CODE_LIMIT"),
    limiter("REFUSED_KEY_LIMIT"),
    limiter("API_LIMIT"),
    limiter("PASSWORD_LIMIT"),
  ];
}

const mainModule = (source: string) => `(name = "main", esModule = ${JSON.stringify(source)})`;

function workerText(name: string, modules: readonly string[], bindings: readonly string[], more: string): string {
  return `(name = "${name}", worker = (
    modules = [${modules.join(", ")}],
    compatibilityDate = "${DATE}",
    bindings = [${bindings.join(", ")}],
    ${more}
    cacheApiOutbound = "cache"
  ))`;
}

function limiter(binding: string): string {
  return `(name = "${binding}", wrapped = (moduleName = "bench:limiter"))`;
}

/** The variables of `wrangler.toml`, which are plain text. */
async function readVariables(): Promise<Record<string, string>> {
  const text = await readFile(join(ROOT, "wrangler.toml"), "utf8");
  const section = /^\[vars\]\n([^[]*)/m.exec(text)?.[1] ?? "";
  return Object.fromEntries(
    [...section.matchAll(/^(\w+) = "(.*)"$/gm)].map(([, name = "", value = ""]) => [name, value]),
  );
}

function variablesOf(stack: Stack): Record<string, string> {
  return {
    ADMIN_KEY,
    DOMAINS: HOST,
    NEON_FETCH_ENDPOINT: stack.databaseEndpoint,
    REDIS_PREFIX: "bench:",
    DATABASE_URL: stack.databaseUrl,
    UPSTASH_REDIS_REST_URL: stack.redisUrl,
    UPSTASH_REDIS_REST_TOKEN: stack.redisToken,
  };
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  server.close();
  await once(server, "close");
  if (address === null || typeof address === "string") throw new Error("no port was given");
  return address.port;
}

async function opened(port: number, child: ChildProcess): Promise<void> {
  while (child.exitCode === null) {
    try {
      await fetch(`http://127.0.0.1:${port}/favicon.ico`, { redirect: "manual" });
      return;
    } catch {
      await new Promise((resolve) => void setTimeout(resolve, 2));
    }
  }
  throw new Error("workerd did not start");
}

/** The time on a processor of each thread so far, in nanoseconds: the first field of `schedstat` (man 5 proc). */
async function cpuMs(child: ChildProcess): Promise<number> {
  const tasks = `/proc/${child.pid ?? 0}/task`;
  const times = await Promise.all(
    (await readdir(tasks)).map(async (task) =>
      Number((await readFile(join(tasks, task, "schedstat"), "utf8")).split(" ")[0]),
    ),
  );
  return times.reduce((sum, time) => sum + time, 0) / 1e6;
}
