/**
 * The embedded Redis tells the time as a server does, asked directly and from a script.
 *
 * @module
 */
import { afterAll, test } from "vitest";
import { openEmbeddedRedis } from "./engine.ts";

const redis = openEmbeddedRedis();
afterAll(() => redis.stop());

const SCRIPT = "local time = redis.call('TIME') return { time[1], time[2] }";

test("its time goes on without a jump, over the ends of seconds and of half ones", async ({ expect }) => {
  const end = Date.now() + 1100;
  while (Date.now() < end) {
    for (const command of [["TIME"], ["EVAL", SCRIPT, "0"]] as const) {
      const before = Date.now();
      const reply = await redis.run(command);
      const [seconds, microseconds] = Array.isArray(reply) ? reply.map(Number) : [];
      const told = (seconds ?? Number.NaN) * 1000 + Math.floor((microseconds ?? Number.NaN) / 1000);
      expect([told >= before, told <= Date.now()]).toEqual([true, true]);
    }
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
});
