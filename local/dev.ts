/**
 * `npm run dev`: the whole service on this machine, with embedded backends. Data stays in `.hop/` between runs; whatever it
 * started ends with it.
 *
 * @module
 */
import { type ChildProcess, spawn } from "node:child_process";
import { mkdir, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { type Stack, startStack } from "./stack.ts";

const ROOT = fileURLToPath(new URL("..", import.meta.url));
const ADMIN_KEY = "hop_dev_admin";
const DEFAULT_PORT = 8787;
const READY_WITHIN_MS = 60_000;
const READY_POLL_MS = 100;
/** How long the Worker's processes have to end before they are ended. */
const STOP_WITHIN_MS = 5000;
/** A start script that is killed takes nobody along, so its end is looked for. */
const PARENT_POLL_MS = 1000;

const USAGE = `npm run dev [-- --fresh] [-- --data DIR]

  --fresh      start empty
  --data DIR   keep data in DIR instead of .hop

  PORT                 the port to serve on (${DEFAULT_PORT})
  LOCAL_DATABASE_URL   a PostgreSQL server to use instead of the embedded one
  LOCAL_REDIS_URL      a Redis server to use instead of the embedded one`;

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: { fresh: { type: "boolean" }, data: { type: "string" }, help: { type: "boolean", short: "h" } },
  });
  if (values.help === true) {
    console.log(USAGE);
    return;
  }
  const port = readPort(process.env["PORT"]);
  await requireFree(port);
  const dataDir = values.data ?? `${ROOT}.hop`;
  if (values.fresh === true) await rm(dataDir, { recursive: true, force: true });
  await mkdir(dataDir, { recursive: true });

  const stack = await startStack({
    dataDir: `${dataDir}/postgres`,
    databaseUrl: process.env["LOCAL_DATABASE_URL"],
    redisUrl: process.env["LOCAL_REDIS_URL"],
    migrate: true,
  });
  const parts: { worker?: ChildProcess } = {};
  const stop = stopper(stack, parts);
  try {
    parts.worker = await startWorker(stack, port, dataDir);
    parts.worker.once("exit", (code) => void stop(code ?? 1));
    await waitUntilReady(port);
    console.log(greeting(port));
  } catch (error) {
    console.error(error instanceof Error ? error.message : String(error));
    await stop(1);
  }
}

function readPort(text: string | undefined): number {
  const port = text === undefined || text === "" ? DEFAULT_PORT : Number(text);
  if (Number.isInteger(port) && port > 0 && port < 65_536) return port;
  throw new Error(`PORT is "${text}"; it takes a number from 1 to 65535.`);
}

async function requireFree(port: number): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const probe = createServer()
    .once("error", () => reject(new Error(`Port ${port} is in use. Set another one: PORT=${port + 1} npm run dev`)))
    .listen(port, () => probe.close(() => resolve()));
  await promise;
}

/** `wrangler dev` watches the sources and reloads. It gets the stack's addresses from a file that only this run uses. */
async function startWorker(stack: Stack, port: number, dataDir: string): Promise<ChildProcess> {
  const secrets = {
    ADMIN_KEY,
    DATABASE_URL: stack.databaseUrl,
    UPSTASH_REDIS_REST_URL: stack.redisUrl,
    UPSTASH_REDIS_REST_TOKEN: stack.redisToken,
  };
  const secretsFile = `${dataDir}/dev.vars`;
  await writeFile(
    secretsFile,
    Object.entries(secrets)
      .map(([name, value]) => `${name}="${value}"\n`)
      .join(""),
  );
  const args = ["dev", "--port", String(port), "--show-interactive-dev-session=false"];
  args.push("--persist-to", `${dataDir}/worker`, "--env-file", secretsFile);
  args.push("--var", `NEON_FETCH_ENDPOINT:${stack.databaseEndpoint}`);
  // So that a webhook can be tried out with a receiver on this machine.
  args.push("--var", "WEBHOOK_LOCAL_HOSTS:localhost,127.0.0.1");
  return spawn(process.execPath, [`${ROOT}node_modules/wrangler/bin/wrangler.js`, ...args], {
    cwd: ROOT,
    stdio: ["ignore", "inherit", "inherit"],
    // A group of its own, so that its children can be ended with it.
    detached: true,
    env: {
      ...process.env,
      // wrangler prefers the environment to the file, and this shell may hold another installation's.
      ...secrets,
      WRANGLER_LOG: process.env["WRANGLER_LOG"] ?? "error",
      WRANGLER_SEND_METRICS: "false",
      // Else it asks the network what a visitor from here looks like.
      CLOUDFLARE_CF_FETCH_ENABLED: "false",
    },
  });
}

async function waitUntilReady(port: number): Promise<void> {
  const deadline = Date.now() + READY_WITHIN_MS;
  while (Date.now() < deadline) {
    try {
      if ((await fetch(`http://localhost:${port}/healthz`)).ok) return;
    } catch {
      // Not listening yet.
    }
    await new Promise((resolve) => setTimeout(resolve, READY_POLL_MS));
  }
  throw new Error(`The service did not answer within ${READY_WITHIN_MS / 1000} seconds.`);
}

/** Ends what was started, once, however the end comes. */
function stopper(stack: Stack, parts: { worker?: ChildProcess }): (code: number) => Promise<void> {
  let isStopping = false;
  const stop = async (code: number): Promise<void> => {
    if (isStopping) return;
    isStopping = true;
    await endWorker(parts.worker);
    await stack.stop();
    process.exit(code);
  };
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, () => void stop(0));
  const parent = process.ppid;
  setInterval(() => {
    if (process.ppid !== parent) void stop(0);
  }, PARENT_POLL_MS).unref();
  return stop;
}

async function endWorker(worker: ChildProcess | undefined): Promise<void> {
  if (worker?.pid === undefined || worker.exitCode !== null || worker.signalCode !== null) return;
  const ended = new Promise<void>((resolve) => worker.once("exit", () => resolve()));
  const group = -worker.pid;
  process.kill(group, "SIGTERM");
  const timer = setTimeout(() => process.kill(group, "SIGKILL"), STOP_WITHIN_MS);
  await ended;
  clearTimeout(timer);
}

function greeting(port: number): string {
  const origin = `http://localhost:${port}`;
  return `
Hop serves ${origin}   (Ctrl-C ends it; data is kept, --fresh starts empty)
The key is ${ADMIN_KEY}

  curl -X POST ${origin}/api/v1/links -H 'Authorization: Bearer ${ADMIN_KEY}' -H 'Content-Type: application/json' -d '{"longUrl":"https://example.com/","customCode":"hello"}'
  curl -i ${origin}/hello
  curl ${origin}/api/v1/links/hello -H 'Authorization: Bearer ${ADMIN_KEY}'
`;
}

await main().catch((error: unknown) => {
  console.error(error instanceof Error ? error.message : String(error));
  process.exitCode = 1;
});
