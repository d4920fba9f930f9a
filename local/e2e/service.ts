/**
 * The whole service for end-to-end tests: the deploy build of `wrangler.toml` over the local stack, spoken to over HTTP.
 *
 * @module
 */
import { connect } from "node:net";
import { createTestHarness, type TestHarness } from "wrangler";
import { inject } from "vitest";
import { isRecord, parseJson } from "../../shared/json.ts";

/** A request, as far as these tests need one. */
export interface Asked {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
}

/** An answer, as the harness gives it. */
export type Answered = Awaited<ReturnType<TestHarness["fetch"]>>;

/** An answer, read to its end. */
export interface Seen {
  readonly status: number;
  /** By name in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
  /** The body as JSON, or undefined when it is none. */
  readonly body: unknown;
}

/** A running service. */
export interface Service {
  /** Where it listens, for a browser. */
  readonly origin: string;
  /** Sends a request for `host` with its path, or for a whole URL; redirects are answered, not followed. */
  fetch(path: string, asked?: Asked): Promise<Answered>;
  /** The same with the admin key and, where there is a body, as JSON. */
  api(method: string, path: string, body?: unknown, headers?: Readonly<Record<string, string>>): Promise<Answered>;
  /** Writes a request to the socket as it stands, which has to say `Connection: close`; the answer is read as Latin-1. */
  raw(request: string | Uint8Array): Promise<string>;
  /** Runs what cron does every five minutes, and nothing that it does once an hour. */
  cron(): Promise<void>;
  /** Where it listens; a request for a domain names it in `Host`. */
  readonly url: URL;
  /** What the Worker logged so far. */
  logs(): readonly string[];
  stop(): Promise<void>;
}

/** The key that may do everything. */
export const ADMIN_KEY = "test-admin-key";
/** As `wrangler.toml` has it. */
const CRON = "*/5 * * * *";
const CRON_MS = 5 * 60_000;
const HOUR_MS = 60 * 60_000;
/** What `wrangler.toml` names as secrets. */
const SECRETS: ReadonlySet<string> = new Set([
  "ADMIN_KEY",
  "DATABASE_URL",
  "UPSTASH_REDIS_REST_URL",
  "UPSTASH_REDIS_REST_TOKEN",
]);

/** Starts a service that answers as `host`, a domain of its own in the shared database. `vars` may name other backends. */
export async function startService(host: string, vars: Readonly<Record<string, string>> = {}): Promise<Service> {
  const bindings: Readonly<Record<string, string>> = { ...inject("workerBindings"), ...vars };
  const secrets = Object.fromEntries(Object.entries(bindings).filter(([name]) => SECRETS.has(name)));
  const others = Object.fromEntries(Object.entries(bindings).filter(([name]) => !SECRETS.has(name)));
  const server = createTestHarness({
    workers: [{ configPath: "./wrangler.toml", vars: others, secrets }],
  });
  const { url } = await server.listen();
  const send = (path: string, asked: Asked = {}): Promise<Answered> =>
    server.fetch(path.startsWith("https://") ? path : `https://${host}${path}`, {
      redirect: "manual",
      ...asked,
      headers: { ...asked.headers },
    });
  return {
    origin: url.origin,
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
    raw: (request) => exchange(url, request),
    cron: async () => {
      const { outcome } = await server
        .getWorker()
        .scheduled({ cron: CRON, scheduledTime: lastOrdinaryRun(Date.now()) });
      if (outcome !== "ok") throw new Error(`cron ended with ${outcome}`);
    },
    url,
    logs: () => server.getLogs().map((entry) => JSON.stringify(entry)),
    stop: () => server.close(),
  };
}

/** The last time but full hours at which cron ran. */
function lastOrdinaryRun(now: number): Date {
  const minutes = Math.floor(now / CRON_MS) * CRON_MS;
  return new Date(minutes % HOUR_MS === 0 ? minutes - CRON_MS : minutes);
}

/** A field of a JSON object, or undefined. */
export function fieldOf(body: unknown, name: string): unknown {
  return isRecord(body) ? body[name] : undefined;
}

/** Creates a link of its own; answers its code. Rejects when none was made. */
export async function createLink(service: Service, fields: Readonly<Record<string, unknown>> = {}): Promise<string> {
  const answer = await service.api("POST", "/links", { longUrl: "https://example.com/", unique: true, ...fields });
  const text = await answer.text();
  if (!answer.ok) throw new Error(`no link was made: ${answer.status} ${text}`);
  return String(fieldOf(parseJson(text), "shortCode"));
}

/** Reads an answer to its end. */
export async function see(answer: Answered | Promise<Answered>): Promise<Seen> {
  const answered = await answer;
  const text = await answered.text();
  return { status: answered.status, headers: Object.fromEntries(answered.headers), text, body: parseJson(text) };
}

function exchange(url: URL, request: string | Uint8Array): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(Number(url.port), url.hostname, () => socket.write(request));
    let answer = "";
    socket.setEncoding("latin1");
    socket.on("data", (part) => (answer += String(part)));
    socket.on("error", reject);
    socket.on("close", () => resolve(answer));
  });
}

let strangers = 0;

/** Headers of a visitor whose address has never been here, so that no limit for one address is met. */
export function stranger(): Readonly<Record<string, string>> {
  strangers += 1;
  return { "CF-Connecting-IP": `2600::${(strangers >> 16).toString(16)}:${(strangers & 0xffff).toString(16)}` };
}
