/**
 * Hundreds of random and mutated requests for every route, on backends of their own: nothing fails, nothing hangs, every refusal is whole, and
 * every row that they leave can be read. The same run in other sizes: `FUZZ_REQUESTS=100000 FUZZ_SEED=7 npx vitest run --project e2e
 * local/e2e/fuzz.e2e.test.ts`. A fault is told with its request as a curl command.
 *
 * @module
 */
import { neon, neonConfig } from "@neondatabase/serverless";
import { afterAll, beforeAll, test } from "vitest";
import { parseJson } from "../../shared/json.ts";
import { type Stack, startStack } from "../stack.ts";
import { fuzz, type Ran } from "./fuzz-answers.ts";
import { createHostile } from "./fuzz-hostile.ts";
import { readBack } from "./fuzz-readback.ts";
import { createRequests } from "./fuzz-requests.ts";
import { createWorld } from "./fuzz-world.ts";
import { type Service, startService } from "./service.ts";

const REQUESTS = Number(process.env["FUZZ_REQUESTS"] ?? 600);
const SEED = Number(process.env["FUZZ_SEED"] ?? 1);
const HOSTS = ["fuzz.example.test", "other.fuzz.example.test"] as const;
/** Far more than a run of this size takes. */
const LIMIT_MS = 120_000 + REQUESTS * 200;

let stack: Stack;
let service: Service;

beforeAll(async () => {
  // Its own, since it lists, deletes and fills whatever it finds.
  stack = await startStack({
    databaseUrl: process.env["TEST_DATABASE_URL"],
    redisUrl: process.env["TEST_REDIS_URL"],
    isolateDatabase: true,
    migrate: true,
  });
  service = await startService(HOSTS[0], {
    DOMAINS: HOSTS.join(","),
    DATABASE_URL: stack.databaseUrl,
    NEON_FETCH_ENDPOINT: stack.databaseEndpoint,
    UPSTASH_REDIS_REST_URL: stack.redisUrl,
    UPSTASH_REDIS_REST_TOKEN: stack.redisToken,
    REDIS_PREFIX: `hop-fuzz-${crypto.randomUUID()}:`,
  });
}, LIMIT_MS);
afterAll(async () => {
  await service.stop();
  await stack.stop();
});

test(
  `seed ${SEED}: of ${REQUESTS} hostile requests none fails or hangs, and what they leave can be read`,
  { timeout: LIMIT_MS },
  async ({ expect }) => {
    const document = parseJson(await (await service.fetch("/api/openapi.json")).text());
    const world = createWorld();
    const make = createRequests({ hosts: HOSTS, document, hostile: createHostile(SEED), world });
    const ran: Ran = await fuzz({
      origin: service.url.origin,
      seed: SEED,
      requests: REQUESTS,
      make,
      world,
      logged: (id) => service.logs().filter((line) => line.includes(id)),
    });
    if (process.env["FUZZ_REQUESTS"] !== undefined)
      process.stdout.write(`${JSON.stringify([...ran.statuses].toSorted(([one], [other]) => one - other))}\n`);
    expect(ran.faults.join("\n\n")).toBe("");
    // What is refused tells nothing of the rest: most must get through.
    const share = (isMeant: (status: number) => boolean): number =>
      [...ran.statuses].reduce((sum, [status, count]) => sum + (isMeant(status) ? count : 0), 0) / ran.requests;
    expect(share((status) => status < 400)).toBeGreaterThan(0.2);
    expect(share((status) => status === 429)).toBeLessThan(0.05);
    neonConfig.fetchEndpoint = stack.databaseEndpoint;
    const rows = await neon(stack.databaseUrl).query(
      "SELECT *, to_jsonb(tags) AS tags_json FROM short_links ORDER BY id",
    );
    expect((await readBack(service, rows, HOSTS)).slice(0, 20).join("\n\n")).toBe("");
  },
);
