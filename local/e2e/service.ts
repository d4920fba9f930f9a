/**
 * The whole service for end-to-end tests: the deploy build of `wrangler.toml` over the local stack, spoken to over HTTP.
 *
 * @module
 */
import { createTestHarness, type TestHarness } from "wrangler";
import { inject } from "vitest";
import { isRecord } from "../../shared/json.ts";

/** A request, as far as these tests need one. */
export interface Asked {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
}

/** An answer, as the harness gives it. */
export type Answered = Awaited<ReturnType<TestHarness["fetch"]>>;

/** A running service. */
export interface Service {
  /** Sends a request for `host` with its path; redirects are answered, not followed. */
  fetch(path: string, asked?: Asked): Promise<Answered>;
  /** The same with the admin key and, where there is a body, as JSON. */
  api(method: string, path: string, body?: unknown, headers?: Readonly<Record<string, string>>): Promise<Answered>;
  /** What the Worker logged so far. */
  logs(): readonly string[];
  stop(): Promise<void>;
}

const ADMIN_KEY = "test-admin-key";
/** What `wrangler.toml` names as secrets. */
const SECRETS: ReadonlySet<string> = new Set([
  "ADMIN_KEY",
  "DATABASE_URL",
  "UPSTASH_REDIS_REST_URL",
  "UPSTASH_REDIS_REST_TOKEN",
]);

/** Starts a service that answers as `host`, a domain of its own in the shared database. */
export async function startService(host: string, vars: Readonly<Record<string, string>> = {}): Promise<Service> {
  const bindings = inject("workerBindings");
  const secrets = Object.fromEntries(Object.entries(bindings).filter(([name]) => SECRETS.has(name)));
  const others = Object.fromEntries(Object.entries(bindings).filter(([name]) => !SECRETS.has(name)));
  const server = createTestHarness({
    workers: [{ configPath: "./wrangler.toml", vars: { ...others, ...vars }, secrets }],
  });
  await server.listen();
  const send = (path: string, asked: Asked = {}): Promise<Answered> =>
    server.fetch(`https://${host}${path}`, { redirect: "manual", ...asked, headers: { ...asked.headers } });
  return {
    fetch: send,
    api: (method, path, body, headers = {}) =>
      send(`/api/v1${path}`, {
        method,
        headers: {
          Authorization: `Bearer ${ADMIN_KEY}`,
          ...(body === undefined ? {} : { "Content-Type": "application/json" }),
          ...headers,
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      }),
    logs: () => server.getLogs().map((entry) => JSON.stringify(entry)),
    stop: () => server.close(),
  };
}

/** A field of a JSON object, or undefined. */
export function fieldOf(body: unknown, name: string): unknown {
  return isRecord(body) ? body[name] : undefined;
}
