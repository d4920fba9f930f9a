/**
 * The filter of custom codes in the whole service: cron builds it, made-up codes stay away from Postgres, and what Redis forgets
 * hides no link.
 *
 * @module
 */
import { createTestHarness, type TestHarness } from "wrangler";
import { afterAll, beforeAll, test } from "vitest";
import { applyMigrations } from "../../migrations/apply.ts";
import { type Stack, startStack } from "../stack.ts";
import { ADMIN_KEY, stranger } from "./service.ts";

const HOST = "filter.example.test";
const PREFIX = `hop-filter-${crypto.randomUUID()}:`;
let stack: Stack;
let server: TestHarness;
let serial = 0;

beforeAll(async () => {
  stack = await startStack({
    databaseUrl: process.env["TEST_DATABASE_URL"],
    redisUrl: process.env["TEST_REDIS_URL"],
    isolateDatabase: true,
  });
  await applyMigrations({ connectionString: stack.databaseUrl, fetchEndpoint: stack.databaseEndpoint });
  const vars = { NEON_FETCH_ENDPOINT: stack.databaseEndpoint, REDIS_PREFIX: PREFIX, FILTER_CAPACITY: "1000" };
  const secrets = {
    ADMIN_KEY,
    DATABASE_URL: stack.databaseUrl,
    UPSTASH_REDIS_REST_URL: stack.redisUrl,
    UPSTASH_REDIS_REST_TOKEN: stack.redisToken,
  };
  server = createTestHarness({ workers: [{ configPath: "./wrangler.toml", vars, secrets }] });
  await server.listen();
});
afterAll(async () => {
  await server.close();
  await stack.stop();
});

async function create(customCode?: string): Promise<number> {
  serial += 1;
  const answer = await server.fetch(`https://${HOST}/api/v1/links`, {
    method: "POST",
    headers: { Authorization: `Bearer ${ADMIN_KEY}`, "Content-Type": "application/json" },
    body: JSON.stringify({ longUrl: `https://example.com/${serial}`, ...(customCode && { customCode }) }),
  });
  await answer.text();
  return answer.status;
}

async function visit(code: string): Promise<number> {
  const answer = await server.fetch(`https://${HOST}/${code}`, { redirect: "manual", headers: stranger() });
  await answer.text();
  return answer.status;
}

/** How many requests to a backend named this code. */
function asked(backend: "postgres" | "redis", code: string): number {
  return stack.faults[backend].count(code);
}

async function runCron(): Promise<void> {
  const answer = await server.getWorker().scheduled({ cron: "*/5 * * * *", scheduledTime: new Date() });
  if (answer.outcome !== "ok") throw new Error(`cron ended with ${answer.outcome}`);
}

/** Asks for codes that nobody made until one is turned away without Postgres. */
async function guards(name: string): Promise<boolean> {
  for (let attempt = 0; attempt < 30; attempt += 1) {
    const code = `${name}-${attempt}`;
    if ((await visit(code)) !== 404) return false;
    if (asked("postgres", code) === 0) return true;
    await new Promise((resolve) => void setTimeout(resolve, 100));
  }
  return false;
}

/** Removes what the service keeps in Redis. */
async function flush(): Promise<void> {
  const command = ["EVAL", "for _, key in ipairs(redis.call('KEYS', ARGV[1])) do redis.call('DEL', key) end return 1"];
  const answer = await fetch(stack.redisUrl, {
    method: "POST",
    headers: { Authorization: `Bearer ${stack.redisToken}` },
    body: JSON.stringify([...command, "0", `${PREFIX}*`]),
  });
  if (!answer.ok) throw new Error(await answer.text());
}

test("cron builds it; made-up codes cost one Redis command and no query, and every link is found", async ({
  expect,
}) => {
  expect(await create("before")).toBe(201);
  expect(await visit("nobody-yet")).toBe(404);
  expect(asked("postgres", "nobody-yet")).toBe(1);
  await runCron();
  expect(await guards("nobody")).toBe(true);
  expect(await create("after")).toBe(201);
  expect(await create("after")).toBe(409);
  expect([await visit("before"), await visit("after")]).toEqual([302, 302]);
  expect(await visit("made-up-once")).toBe(404);
  expect(asked("redis", "made-up-once")).toBe(1);
});

test("B180: a flush of Redis hides nothing, and the next cron run builds it anew", async ({ expect }) => {
  expect(await create("kept")).toBe(201);
  await flush();
  expect([await visit("kept"), await create("new")]).toEqual([302, 201]);
  expect(await visit("nobody-flushed")).toBe(404);
  expect(asked("postgres", "nobody-flushed")).toBe(1);
  await runCron();
  expect(await guards("nobody-again")).toBe(true);
  expect([await visit("kept"), await visit("new"), await visit("before")]).toEqual([302, 302, 302]);
});

test("while Redis is away custom codes wait, and automatic ones are made", async ({ expect }) => {
  const id = stack.faults.redis.set({ kind: "refuse" });
  expect([await create("waits"), await create()]).toEqual([503, 201]);
  expect(await visit("kept")).toBe(302);
  stack.faults.redis.lift(id);
});
