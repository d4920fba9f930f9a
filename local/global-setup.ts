/**
 * Starts the stack once for a whole test run and tells every project where it is: embedded, or the servers that
 * `TEST_DATABASE_URL` and `TEST_REDIS_URL` name.
 *
 * @module
 */
import { randomBytes } from "node:crypto";
import type { TestProject } from "vitest/node";
import { startStack } from "./stack.ts";

/** Starts; what it answers is called at the end. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const started = await startStack({
    databaseUrl: process.env["TEST_DATABASE_URL"],
    redisUrl: process.env["TEST_REDIS_URL"],
    isolateDatabase: true,
    migrate: true,
  });
  const { faults: _faults, stop, ...stack } = { ...started, stop: () => started.stop() };
  project.provide("stack", stack);
  project.provide("workerBindings", {
    ADMIN_KEY: "test-admin-key",
    DATABASE_URL: stack.databaseUrl,
    NEON_FETCH_ENDPOINT: stack.databaseEndpoint,
    UPSTASH_REDIS_REST_URL: stack.redisUrl,
    UPSTASH_REDIS_REST_TOKEN: stack.redisToken,
    // A server may hold other data: every key of this run begins with this, and expires by itself.
    REDIS_PREFIX: `hop-test-${randomBytes(6).toString("hex")}:`,
  });
  return stop;
}
