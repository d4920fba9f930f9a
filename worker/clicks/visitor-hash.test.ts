/**
 * One visitor is one on a day and a link, and nothing else can be told from the hash.
 *
 * @module
 */
import { env } from "cloudflare:workers";
import { test } from "vitest";
import { BackendDown } from "../../shared/backend-down.ts";
import { NO_BREAKER } from "../backends/breaker.ts";
import { connectRedis } from "../backends/redis.ts";
import { readConfig } from "../config.ts";
import { sight } from "../http/visitor.ts";
import { createDailySalt, DAY_MS } from "./salt.ts";
import { createVisitorHash, type VisitorHash } from "./visitor-hash.ts";

const AT = Date.UTC(2026, 11, 2, 12);
const { redisUrl, redisToken, redisPrefix } = readConfig(env);
const client = async () =>
  connectRedis(redisUrl, redisToken, { limitMs: 20_000, breaker: NO_BREAKER, clock: () => Date.now() });

/** As one isolate has it: each chooses a salt of its own, and takes the one that was first. */
const isolate = (prefix: string): VisitorHash =>
  createVisitorHash(
    createDailySalt({ client, prefix: `${redisPrefix}${prefix}`, random: () => crypto.randomUUID(), clock: () => AT }),
  );
const seen = (headers: Record<string, string>) => sight(new Request("https://go.example/a", { headers }));
const ANNA = seen({ "CF-Connecting-IP": "203.0.113.7", "User-Agent": "Browser/1" });
const BEN = seen({ "CF-Connecting-IP": "203.0.113.8", "User-Agent": "Browser/1" });

test("every isolate gives a visitor the same hash that day, and another to another visitor, link, day or service", async ({
  expect,
}) => {
  const [here, there, elsewhere] = [isolate("one:"), isolate("one:"), isolate("two:")];
  const anna = await here(ANNA, "7", AT);
  expect(anna).toMatch(/^[0-9a-f]{16}$/);
  expect(await there(ANNA, "7", AT + 1)).toBe(anna);
  const others = [here(BEN, "7", AT), here(ANNA, "8", AT), here(ANNA, "7", AT + DAY_MS), elsewhere(ANNA, "7", AT)];
  const hashes = new Set([anna]);
  for (const other of others) hashes.add(await other);
  expect(hashes.size).toBe(5);
});

test("the salt is forgotten an hour after its day", async ({ expect }) => {
  const told: string[][] = [];
  const salt = createDailySalt({
    client: async () => ({
      ...(await client()),
      evaluate: async (_script, keys, args) => {
        told.push([...keys, ...args]);
        return "salt";
      },
    }),
    prefix: "p:",
    random: () => "random",
    clock: () => AT,
  });
  await salt(AT);
  expect(told).toEqual([[`p:salt:${AT / DAY_MS - 0.5}`, "random", String(13 * 60 * 60)]]);
});

test("who asks not to be tracked has none, and so has everybody while there is no salt", async ({ expect }) => {
  expect(await isolate("one:")(seen({ DNT: "1", "User-Agent": "Browser/1" }), "7", AT)).toBeNull();
  let asked = 0;
  const saltless = createVisitorHash(async () => {
    asked += 1;
    throw new BackendDown("redis", new Error("away"));
  });
  for (const at of [AT, AT + 1, AT + 4999, AT + 5000]) expect(await saltless(ANNA, "7", at)).toBeNull();
  expect(asked).toBe(2);
});
