/**
 * The backends of the service on this machine: Postgres behind Neon's HTTP protocol and Redis behind Upstash's, both
 * embedded, or real servers where the caller names them.
 *
 * @module
 */
import { randomBytes } from "node:crypto";
import pg from "pg";
import { applyMigrations } from "../migrations/apply.ts";
import { faultsHandler } from "./fault-control.ts";
import { createFaults, type Faults } from "./faults.ts";
import { type Handler, listen, type Listener } from "./listener.ts";
import { type PostgresServer, startEmbeddedPostgres } from "./postgres/embedded.ts";
import { openEngine } from "./postgres/engine.ts";
import { neonHandler } from "./postgres/neon-http.ts";
import { openEmbeddedRedis, openRedis } from "./redis/engine.ts";
import { upstashHandler } from "./redis/upstash-rest.ts";

/** What to start. */
export interface StackOptions {
  /** Where the embedded Postgres keeps its data; undefined: in memory. */
  readonly dataDir?: string | undefined;
  /** A PostgreSQL server to use instead. */
  readonly databaseUrl?: string | undefined;
  /** A Redis server to use instead. */
  readonly redisUrl?: string | undefined;
  /** On a PostgreSQL server: use a database of its own, which is dropped at the end. */
  readonly isolateDatabase?: boolean;
  /** Applies the migrations before anybody asks. */
  readonly migrate?: boolean;
}

/** Running backends. */
export interface Stack {
  /** The connection string for Neon's client. */
  readonly databaseUrl: string;
  /** Where Neon's client is to send its queries. */
  readonly databaseEndpoint: string;
  /** For Postgres' wire protocol. */
  readonly postgresUrl: string;
  /** How many connections Postgres serves at once. */
  readonly postgresConnections: number;
  readonly redisUrl: string;
  readonly redisToken: string;
  readonly faults: { readonly postgres: Faults; readonly redis: Faults };
  /** Where the switches are served over HTTP. */
  readonly faultUrls: { readonly postgres: string; readonly redis: string };
  /** Ends everything that was started; a second call does nothing. */
  stop(): Promise<void>;
}

const SERVER_CONNECTIONS = 20;

/** Starts the backends. */
export async function startStack(options: StackOptions): Promise<Stack> {
  const stops: (() => Promise<void>)[] = [];
  const stop = async (): Promise<void> => {
    for (const end of stops.splice(0).toReversed()) await end();
  };
  try {
    const stack = await start(options, stops);
    if (options.migrate === true) {
      await applyMigrations({ connectionString: stack.databaseUrl, fetchEndpoint: stack.databaseEndpoint });
    }
    return { ...stack, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

async function start(options: StackOptions, stops: (() => Promise<void>)[]): Promise<Omit<Stack, "stop">> {
  const server = await openPostgres(options);
  stops.push(() => server.stop());
  const engine = openEngine(server.url, server.maxConnections);
  stops.push(() => engine.stop());
  const redis = options.redisUrl === undefined ? openEmbeddedRedis() : openRedis(options.redisUrl);
  stops.push(() => redis.stop());

  const password = randomBytes(12).toString("hex");
  const redisToken = randomBytes(12).toString("hex");
  const serve = async (handler: Handler, faults?: Faults): Promise<Listener> => {
    const listener = await listen(handler, faults);
    stops.push(() => listener.stop());
    return listener;
  };
  const faults = { postgres: createFaults(), redis: createFaults() };
  const neon = await serve(neonHandler(engine, { user: "hop", password }), faults.postgres);
  const upstash = await serve(upstashHandler(redis, redisToken), faults.redis);
  return {
    databaseUrl: `postgres://hop:${password}@localhost/hop`,
    databaseEndpoint: `${neon.origin}/sql`,
    postgresUrl: server.url,
    postgresConnections: server.maxConnections,
    redisUrl: upstash.origin,
    redisToken,
    faults,
    faultUrls: {
      postgres: (await serve(faultsHandler(faults.postgres))).origin,
      redis: (await serve(faultsHandler(faults.redis))).origin,
    },
  };
}

async function openPostgres(options: StackOptions): Promise<PostgresServer> {
  if (options.databaseUrl === undefined) return startEmbeddedPostgres(options.dataDir);
  if (options.isolateDatabase === true) return createDatabase(options.databaseUrl);
  return { url: options.databaseUrl, maxConnections: SERVER_CONNECTIONS, stop: async () => {} };
}

/** A new, empty database on a server, gone when it is stopped. */
async function createDatabase(serverUrl: string): Promise<PostgresServer> {
  const name = `hop_test_${randomBytes(6).toString("hex")}`;
  const administer = async (statement: string): Promise<void> => {
    const client = new pg.Client({ connectionString: serverUrl });
    await client.connect();
    try {
      await client.query(statement);
    } finally {
      await client.end();
    }
  };
  await administer(`CREATE DATABASE ${name}`);
  const url = new URL(serverUrl);
  url.pathname = `/${name}`;
  return {
    url: url.href,
    maxConnections: SERVER_CONNECTIONS,
    stop: () => administer(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`),
  };
}
