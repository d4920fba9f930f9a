/**
 * Hop's deploy build beside small Workers of our own, in one workerd: a bench Worker calls each of them through a service
 * binding, so that no proxy stands in between and all are called alike.
 *
 * @module
 */
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { createTestHarness } from "wrangler";
import type { Stack } from "../local/stack.ts";

// Else the local runtime asks the network what a visitor from here looks like.
process.env["CLOUDFLARE_CF_FETCH_ENABLED"] = "false";

const ROOT = fileURLToPath(new URL("..", import.meta.url));
/** The host that everything answers on. */
export const HOST = "https://bench.example.test";
/** The key of the service under test. */
export const ADMIN_KEY = "bench-admin-key";
const DATE = "2026-11-01";

/** Calls a Worker again and again, each path once or one path for all, and says how long that took. */
const CALLER = `
export default {
  async fetch(request, env) {
    const { target, paths, calls, callers } = await request.json();
    const service = env[target];
    let next = 0;
    const statuses = {};
    const caller = async () => {
      while (next < calls) {
        const path = paths[next++ % paths.length];
        const answer = await service.fetch(${JSON.stringify(HOST)} + path, { redirect: "manual" });
        statuses[answer.status] = (statuses[answer.status] ?? 0) + 1;
        await answer.arrayBuffer();
      }
    };
    const start = Date.now();
    await Promise.all(Array.from({ length: callers }, caller));
    return Response.json({ ms: Date.now() - start, statuses });
  },
};`;

/** What a run took. */
export interface Timing {
  readonly ms: number;
  /** How many answers had each status. */
  readonly statuses: Readonly<Record<string, number>>;
}

/** A workerd with Hop, the caller and some peers in it. */
export interface Bench {
  /** Sends a request to Hop itself. */
  readonly hop: (
    path: string,
    init?: { method?: string; headers?: Record<string, string>; body?: string },
  ) => Promise<{ readonly status: number; readonly body: string }>;
  /** Calls a Worker (`HOP` or a peer) `calls` times, through the paths in turn. */
  readonly run: (target: string, paths: readonly string[], calls: number, callers: number) => Promise<Timing>;
  readonly stop: () => Promise<void>;
}

/** Starts them. `peers` are Workers by their binding's name, as source text; they may read \`env.DATABASE\` and the like from \`vars\`. */
export async function startBench(stack: Stack, peers: Readonly<Record<string, string>>): Promise<Bench> {
  const folder = await mkdtemp(join(tmpdir(), "hop-bench-"));
  const put = async (name: string, source: string): Promise<string> => {
    const path = join(folder, `${name}.js`);
    await writeFile(path, source);
    return path;
  };
  const vars = { NEON_FETCH_ENDPOINT: stack.databaseEndpoint, REDIS_PREFIX: "bench:" };
  const secrets = {
    ADMIN_KEY,
    DATABASE_URL: stack.databaseUrl,
    UPSTASH_REDIS_REST_URL: stack.redisUrl,
    UPSTASH_REDIS_REST_TOKEN: stack.redisToken,
  };
  const names = Object.keys(peers);
  const caller = {
    name: "caller",
    main: await put("caller", CALLER),
    compatibility_date: DATE,
    services: [
      { binding: "HOP", service: "hop" },
      ...names.map((name) => ({ binding: name, service: name.toLowerCase() })),
    ],
  };
  const others = await Promise.all(
    names.map(async (name) => ({
      config: {
        name: name.toLowerCase(),
        main: await put(name.toLowerCase(), peers[name] ?? ""),
        compatibility_date: DATE,
        vars: { ...vars, ...secrets },
      },
    })),
  );
  const server = createTestHarness({
    root: ROOT,
    workers: [{ config: caller }, { configPath: "./wrangler.toml", vars, secrets }, ...others],
  });
  await server.listen();
  return {
    async hop(path, init = {}) {
      const answer = await server
        .getWorker("hop")
        .fetch(`${HOST}${path}`, { redirect: "manual", ...init, headers: { ...init.headers } });
      return { status: answer.status, body: await answer.text() };
    },
    async run(target, paths, calls, callers) {
      const answer = await server.fetch(HOST, {
        method: "POST",
        body: JSON.stringify({ target, paths, calls, callers }),
      });
      return JSON.parse(await answer.text());
    },
    async stop() {
      await server.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
