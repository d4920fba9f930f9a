/**
 * Backends of a file's own, for tests whose work others would feel: cron builds the filter of custom codes, and rows that other files write by
 * SQL are in none.
 *
 * @module
 */
import { neon, neonConfig } from "@neondatabase/serverless";
import { applyMigrations } from "../../migrations/apply.ts";
import { startStack } from "../stack.ts";

/** A database and keys in Redis that no other file shares. */
export interface Apart {
  /** What makes a Worker use them. */
  readonly vars: Readonly<Record<string, string>>;
  /** Runs a statement in the database; answers its rows. */
  query(statement: string, parameters?: readonly unknown[]): Promise<Record<string, unknown>[]>;
  stop(): Promise<void>;
}

/** Starts them, with Hop's tables. */
export async function startApart(): Promise<Apart> {
  const stack = await startStack({
    databaseUrl: process.env["TEST_DATABASE_URL"],
    redisUrl: process.env["TEST_REDIS_URL"],
    isolateDatabase: true,
  });
  await applyMigrations({ connectionString: stack.databaseUrl, fetchEndpoint: stack.databaseEndpoint });
  return {
    vars: {
      DATABASE_URL: stack.databaseUrl,
      NEON_FETCH_ENDPOINT: stack.databaseEndpoint,
      UPSTASH_REDIS_REST_URL: stack.redisUrl,
      UPSTASH_REDIS_REST_TOKEN: stack.redisToken,
      REDIS_PREFIX: `hop-apart-${crypto.randomUUID()}:`,
    },
    query(statement, parameters = []) {
      neonConfig.fetchEndpoint = stack.databaseEndpoint;
      return neon(stack.databaseUrl).query(statement, [...parameters]);
    },
    stop: () => stack.stop(),
  };
}
