/**
 * The Redis tier keeps to the tiers' contract over a real Redis protocol; a Redis that fails is down and never says that a
 * link is absent.
 *
 * @module
 */
import { env } from "cloudflare:workers";
import { afterEach, test } from "vitest";
import { type CodeKey, notFoundAt } from "../../../shared/entry.ts";
import { BREAKER_LIMITS, createBreaker } from "../../backends/breaker.ts";
import { connectRedis, type RedisClient } from "../../backends/redis.ts";
import { readConfig } from "../../config.ts";
import { absent, present } from "../../testing/entries.ts";
import { liftFaults, setFault } from "../../testing/stack.ts";
import type { FilterAnswer } from "../filter.ts";
import { describeTier, freshKey } from "../tier.contract.ts";
import type { Tier } from "../tier.ts";
import { createRedisTier } from "./redis.ts";

const now = 1_800_000_000_000;
const manners = { breaker: createBreaker("redis", { ...BREAKER_LIMITS, failures: Infinity }), clock: () => Date.now() };
const patient = { ...manners, limitMs: 2000 };
const hasty = { ...manners, limitMs: 400 };
const { redisUrl, redisToken, redisPrefix } = readConfig(env);
const client = async (): Promise<RedisClient> => connectRedis(redisUrl, redisToken, patient);
const build = (): Required<Tier> => createRedisTier(client, redisPrefix);

afterEach(liftFaults);

describeTier("redis", build);

/** A filter that denies the codes which begin with "nobody", and does not know of generated ones. */
const filtered = {
  includes: (code: string) => code !== "generated",
  filter: {
    async lookup(entryKey: string, { code }: CodeKey): Promise<FilterAnswer> {
      const text = await (await client()).get(entryKey);
      if (text !== null) return { kind: "entry", text };
      return { kind: code.startsWith("nobody") ? "absent" : "pass" };
    },
  },
};
const buildFiltered = (): Required<Tier> => createRedisTier(client, redisPrefix, filtered);

describeTier("redis with a filter", buildFiltered);

test("a code that the filter denies is absent, vouched for now; one that it lets pass, or does not know, is passed on", async ({
  expect,
}) => {
  const tier = buildFiltered();
  expect(await tier.lookup(freshKey("nobody-made-it"), now)).toEqual({ kind: "entry", entry: notFoundAt(now) });
  expect(await tier.lookup(freshKey("made"), now)).toEqual({ kind: "pass" });
  expect(await tier.lookup(freshKey("generated"), now)).toEqual({ kind: "pass" });
  const nonsense = { ...filtered, filter: { lookup: () => Promise.reject(new TypeError("nonsense")) } };
  expect(await createRedisTier(client, redisPrefix, nonsense).lookup(freshKey(), now)).toMatchObject({ kind: "down" });
});

test("what is read counts as vouched for now", async ({ expect }) => {
  const tier = build();
  const key = freshKey();
  await tier.fill(key, present({ vouchedAt: 5 }));
  expect(await tier.lookup(key, now)).toMatchObject({ entry: { vouchedAt: now } });
});

test('B103, B104: text that is no entry, also "null" and numbers, is passed on', async ({ expect }) => {
  for (const text of ['{"a":1}', '"quoted"', "123", "null", ""]) {
    const key = freshKey();
    const redis = await client();
    await redis.evaluate(
      "redis.call('SET', KEYS[1], ARGV[1]) return 1",
      [`${redisPrefix}entry:${key.domain}/${key.code}`],
      [text],
    );
    expect(await build().lookup(key, now), text).toEqual({ kind: "pass" });
  }
});

test("B016: a deletion stands in Redis itself", async ({ expect }) => {
  const key = freshKey();
  await build().fill(key, present({ version: 1 }));
  await build().fill(key, absent({ version: 2 }));
  const stored = await (await client()).get(`${redisPrefix}entry:${key.domain}/${key.code}`);
  expect(stored).not.toContain("example.com");
});

test.for(["refuse", "hang", "cut", "html", "unauthorized", "too_many", "garbage"] as const)(
  "a Redis that answers with %s is down, and so is one with another token",
  async (kind, { expect }) => {
    const impatient = createRedisTier(async () => connectRedis(redisUrl, redisToken, hasty), redisPrefix);
    const key = freshKey();
    await impatient.fill(key, present());
    await setFault("redis", { kind, matching: key.domain });
    expect(await impatient.lookup(key, now)).toMatchObject({ kind: "down" });
    await expect(impatient.fill(key, present())).rejects.toThrow("redis");
    await liftFaults();
    expect(await impatient.lookup(key, now)).toMatchObject({ kind: "entry" });
  },
);

test("an address where nothing listens, and a wrong token, are down", async ({ expect }) => {
  for (const [url, token] of [
    ["http://127.0.0.1:1", redisToken],
    [redisUrl, "wrong"],
  ] as const) {
    const tier = createRedisTier(async () => connectRedis(url, token, hasty), redisPrefix);
    expect(await tier.lookup(freshKey(), now)).toMatchObject({ kind: "down" });
  }
});

test("several entries are kept with one command, each unless a newer one stands there", async ({ expect }) => {
  const tier = createRedisTier(client, redisPrefix);
  const [first, second] = [freshKey(), freshKey()];
  const newer = present({ version: 9, longUrl: "https://example.com/newer" });
  await tier.fill(first, newer);
  await tier.fillAll([first, second].map((key) => ({ key, entry: present({ version: 8 }) })));
  expect(await tier.lookup(first, now)).toMatchObject({ entry: { version: 9 } });
  expect(await tier.lookup(second, now)).toMatchObject({ kind: "entry", entry: { version: 8 } });
});
