/**
 * The stand-in for Upstash is true to what Upstash's own client expects of it, on every engine.
 *
 * @module
 */
import { Redis } from "@upstash/redis";
import { afterAll, beforeAll, describe, test } from "vitest";
import type { Stack } from "../stack.ts";
import { ENGINES, startEngines } from "../testing.ts";

const PREFIX = `hop-test-${crypto.randomUUID()}:`;
const SCRIPT = "redis.call('SET', KEYS[1], ARGV[1], 'EX', ARGV[2]) return {redis.call('GET', KEYS[1]), 7, false}";

const key = (name: string): string => `${PREFIX}${name}`;

describe.for(ENGINES)("on $name Redis", (engines) => {
  let stack: Stack;
  let redis: Redis;
  beforeAll(async () => {
    stack = await startEngines(engines);
    const { redisUrl: url, redisToken: token } = stack;
    redis = new Redis({ url, token, automaticDeserialization: false, enableAutoPipelining: false, retry: false });
  }, 60_000);
  afterAll(() => stack.stop());

  const send = (path: string, body: unknown, headers: Readonly<Record<string, string>> = {}): Promise<Response> =>
    fetch(`${stack.redisUrl}${path}`, {
      method: "POST",
      headers: { Authorization: `Bearer ${stack.redisToken}`, ...headers },
      body: JSON.stringify(body),
    });

  const ask = async (command: readonly string[]): Promise<unknown> =>
    (await send("/", command, { "Upstash-Encoding": "base64" })).json();

  test.for([
    "123",
    "1541815603606036481",
    "null",
    "true",
    "1e5",
    "[]",
    '{"a":1}',
    '"quoted"',
    "",
    "ünï 小麦粉 😀",
    "a\nb\r\nc",
    "x".repeat(100_000),
  ])("B101, B102, B103: what is read is what was written: %j", async (value, { expect }) => {
    await redis.set(key("text"), value, { ex: 60 });
    expect(await redis.get(key("text"))).toBe(value);
    expect(await redis.mget(key("text"), key("nothing"))).toEqual([value, null]);
  });

  test("expiry, conditions, counters and bits work as Redis has them", async ({ expect }) => {
    expect(await redis.set(key("once"), "a", { nx: true, ex: 100 })).toBe("OK");
    expect(await redis.set(key("once"), "b", { nx: true })).toBeNull();
    expect(await redis.ttl(key("once"))).toBeGreaterThan(90);
    expect([await redis.incr(key("count")), await redis.incr(key("count"))]).toEqual([1, 2]);
    await redis.expire(key("count"), 60);
    expect([
      await redis.setbit(key("bits"), 1000, 1),
      await redis.getbit(key("bits"), 1000),
      await redis.getbit(key("bits"), 999),
    ]).toEqual([0, 1, 0]);
    expect(await redis.del(key("bits"), key("once"), key("nothing"))).toBe(2);
  });

  test("a script is one command: keys, arguments, and lists with numbers and nothing in them", async ({ expect }) => {
    expect(await redis.eval(SCRIPT, [key("script")], ["stored", "60"])).toEqual(["stored", 7, null]);
    const sha = await redis.scriptLoad(SCRIPT);
    expect(sha).toMatch(/^[0-9a-f]{40}$/);
    expect(await redis.evalsha(sha, [key("script")], ["again", "60"])).toEqual(["again", 7, null]);
    await expect(redis.evalsha("0".repeat(40), [], [])).rejects.toThrow("NOSCRIPT");
  });

  test("in a pipeline each command has its own answer; a transaction answers all", async ({ expect }) => {
    const answer = await send("/pipeline", [["SET", key("p"), "1", "EX", "60"], ["NOSUCHCOMMAND"], ["GET", key("p")]]);
    expect(await answer.json()).toEqual([
      { result: "OK" },
      { error: expect.stringMatching(/unknown command/i) },
      { result: "1" },
    ]);
    expect(await redis.multi().set(key("m"), "2", { ex: 60 }).get(key("m")).exec()).toEqual(["OK", "2"]);
  });

  test("texts travel in base64 when asked for, numbers, nothing and OK as they are", async ({ expect }) => {
    expect(await ask(["SET", key("b"), "ü", "EX", "60"])).toEqual({ result: "OK" });
    expect(await ask(["GET", key("b")])).toEqual({ result: Buffer.from("ü").toString("base64") });
    expect(await ask(["GET", key("nothing")])).toEqual({ result: null });
    expect(await ask(["MGET", key("b"), key("nothing")])).toEqual({
      result: [Buffer.from("ü").toString("base64"), null],
    });
    expect(await ask(["TTL", key("b")])).toEqual({ result: expect.any(Number) });
  });

  test("a wrong token is 401, a failed command 400 with Redis' words, and nonsense 400", async ({ expect }) => {
    expect((await send("/", ["PING"], { Authorization: "Bearer wrong" })).status).toBe(401);
    const failed = await send("/", ["NOSUCHCOMMAND"]);
    expect(failed.status).toBe(400);
    expect(await failed.json()).toEqual({ error: expect.stringMatching(/unknown command/i) });
    for (const body of [null, {}, "GET", [[]]]) expect((await send("/pipeline", body)).status).toBe(400);
    expect((await send("/elsewhere", [["PING"]])).status).toBe(404);
  });
});
