/**
 * The filter of custom codes over a real Redis: what it says no to, and what makes it say nothing. That no order of things makes
 * it deny a living code is shown in `maintenance/filter-rebuild.test.ts`, where it is built.
 *
 * @module
 */
import { env } from "cloudflare:workers";
import { afterEach, describe, test } from "vitest";
import { geometryFor, placeOf, wordsOf } from "../../shared/bloom.ts";
import type { CodeKey } from "../../shared/entry.ts";
import { BREAKER_LIMITS, createBreaker } from "../backends/breaker.ts";
import { connectRedis, type RedisClient } from "../backends/redis.ts";
import { readConfig } from "../config.ts";
import { countRequests, liftFaults, setFault } from "../testing/stack.ts";
import { createFilter, type Filter, type FilterClaim, filterKeys, type FilterTruth } from "./filter.ts";
import { createFilterBuild } from "./filter-build.ts";
import { freshKey } from "./tier.contract.ts";

const { redisUrl, redisToken, redisPrefix } = readConfig(env);
const manners = { breaker: createBreaker("redis", { ...BREAKER_LIMITS, failures: Infinity }), clock: () => Date.now() };
const redis = connectRedis(redisUrl, redisToken, { ...manners, limitMs: 5000 });
const client = async (): Promise<RedisClient> => redis;
/** Believes whatever Redis says. */
const credulous: FilterTruth = {
  raiseFence: async (epoch) => epoch,
  settle: async ({ epoch }) => ({ sound: true, newest: epoch }),
};

afterEach(liftFaults);

let serial = 0;

interface Scene {
  readonly prefix: string;
  readonly filter: Filter;
  /** Another isolate. */
  readonly another: (truth?: FilterTruth) => Filter;
  /** Ends what was begun in the background. */
  readonly idle: () => Promise<void>;
  readonly ask: (key: CodeKey, filter?: Filter) => Promise<string>;
  /** The same, once more if it passed because this machine has paused. */
  readonly askTwice: (key: CodeKey) => Promise<string>;
}

/** A filter of its own; nothing serves yet. */
function createScene(): Scene {
  serial += 1;
  const prefix = `${redisPrefix}scene${serial}:`;
  const work: Promise<void>[] = [];
  const another = (truth = credulous): Filter =>
    createFilter({
      client,
      patientClient: client,
      prefix,
      truth: async () => truth,
      background: (more) => void work.push(more),
    });
  const filter = another();
  const ask = async (key: CodeKey, asked = filter): Promise<string> =>
    (await asked.lookup(`${prefix}entry:${key.domain}/${key.code}`, key)).kind;
  const idle = async (): Promise<void> => void (await Promise.all(work.splice(0)));
  return {
    prefix,
    filter,
    another,
    idle,
    ask,
    async askTwice(key) {
      const first = await ask(key);
      await idle();
      return first === "absent" ? first : ask(key);
    },
  };
}

/** Has a generation serve that holds some codes. */
async function serve({ prefix }: Scene, keys: readonly CodeKey[], capacity = 1000): Promise<string> {
  const build = createFilterBuild(client, prefix);
  serial += 1;
  const name = `g${serial}`;
  const plan = { name, geometry: geometryFor(capacity), capacity, wanted: capacity };
  await build.makeBlocks(plan);
  await build.begin(plan, "");
  await build.open(name);
  await build.load(name, "0", "1", keys, true);
  const { claim } = await build.claim(name);
  await build.serve(name, claim?.epoch ?? 0);
  return name;
}

const evaluate = (script: string, keys: readonly string[], args: readonly string[] = []) =>
  redis.evaluate(script, keys, args);
/** As if the last script had run so long ago. */
const pause = (prefix: string, ms: number) =>
  evaluate(
    "redis.call('HSET', KEYS[1], 'pulse', string.format('%.0f', redis.call('HGET', KEYS[1], 'pulse') - ARGV[1])) return 1",
    [filterKeys(prefix).meta],
    [String(ms)],
  );

describe("a filter that serves", () => {
  test("says no to a code that was never added, and lets those pass that were, before and after", async ({
    expect,
  }) => {
    const scene = createScene();
    const [early, late, never] = [freshKey("early"), freshKey("late"), freshKey("never")];
    await serve(scene, [early]);
    await scene.filter.add(late);
    expect([await scene.ask(early), await scene.ask(late), await scene.askTwice(never)]).toEqual([
      "pass",
      "pass",
      "absent",
    ]);
  });

  test("answers an entry that is there with one command, and a code that is not with one command", async ({
    expect,
  }) => {
    const scene = createScene();
    await serve(scene, []);
    const key = freshKey("made-up");
    const entryKey = `${scene.prefix}entry:${key.domain}/${key.code}`;
    expect(await scene.filter.lookup(entryKey, key)).toEqual({ kind: "absent" });
    expect(await countRequests("redis", key.domain)).toBe(1);
    await evaluate("redis.call('SET', KEYS[1], 'text') return 1", [entryKey]);
    expect(await scene.filter.lookup(entryKey, key)).toEqual({ kind: "entry", text: "text" });
    expect(await countRequests("redis", key.domain)).toBe(3);
  });

  test("B181: keeps codes apart that hold line breaks, spaces, zeros and 2,000 bytes", async ({ expect }) => {
    const scene = createScene();
    const codes = ["a\nb", "a\r\nb", "a b", "a\0b", "é".repeat(1000), "$3", "*1\r\n"];
    const keys = codes.map((code) => freshKey(code));
    await serve(scene, []);
    for (const key of keys) expect(await scene.askTwice(key), JSON.stringify(key.code)).toBe("absent");
    await scene.filter.addAll(keys);
    for (const key of keys) expect(await scene.ask(key), JSON.stringify(key.code)).toBe("pass");
  });

  test("has its bits where shared/bloom.ts says, in every block", async ({ expect }) => {
    const scene = createScene();
    const capacity = 150_000;
    const keys = Array.from({ length: 12 }, (_, index) => freshKey(`placed-${index}`));
    const name = await serve(scene, keys, capacity);
    const used = new Set<number>();
    for (const { domain, code } of keys) {
      const { block, positions } = placeOf(wordsOf(`${domain}/${code}`), geometryFor(capacity));
      used.add(block);
      const script = "local n = 0 for i = 1, #ARGV do n = n + redis.call('GETBIT', KEYS[1], ARGV[i]) end return n";
      const set = await evaluate(script, [`${filterKeys(scene.prefix).blocks}${name}:${block}`], positions.map(String));
      expect(set).toBe(positions.length);
    }
    expect(used.size).toBeGreaterThan(1);
  });
});

describe("it lets everything pass", () => {
  const unknown = freshKey("unknown");

  test("when there is none, and when one is being built", async ({ expect }) => {
    const scene = createScene();
    expect(await scene.ask(unknown)).toBe("pass");
    await scene.filter.add(freshKey());
    expect(await scene.ask(unknown)).toBe("pass");
    const build = createFilterBuild(client, scene.prefix);
    const plan = { name: "half", geometry: geometryFor(1000), capacity: 1000, wanted: 1000 };
    await build.makeBlocks(plan);
    await build.begin(plan, "");
    expect(await scene.ask(unknown)).toBe("pass");
    await build.open("half");
    expect(await scene.ask(unknown)).toBe("pass");
    await build.load("half", "0", "1", [], true);
    expect(await scene.ask(unknown)).toBe("pass");
  });

  test("when its block or its meta is lost, or it is of a format that is not known", async ({ expect }) => {
    for (const harm of ["block", "meta", "format"] as const) {
      const scene = createScene();
      const name = await serve(scene, []);
      const { meta, blocks } = filterKeys(scene.prefix);
      expect(await scene.askTwice(unknown)).toBe("absent");
      if (harm === "block") await evaluate("redis.call('DEL', KEYS[1]) return 1", [`${blocks}${name}:0`]);
      if (harm === "meta") await evaluate("redis.call('DEL', KEYS[1]) return 1", [meta]);
      if (harm === "format") await evaluate("redis.call('HSET', KEYS[1], 'format', '0') return 1", [meta]);
      expect(await scene.ask(unknown), harm).toBe("pass");
      await scene.filter.add(freshKey("after"));
      expect(await scene.ask(unknown), harm).toBe("pass");
    }
  });

  test("after a pause, until Postgres was compared", async ({ expect }) => {
    const scene = createScene();
    await serve(scene, []);
    await pause(scene.prefix, 2000);
    expect(await scene.ask(unknown)).toBe("pass");
    await scene.idle();
    expect(await scene.ask(unknown)).toBe("absent");
  });

  test("after a pause, when Postgres knows more or cannot be asked", async ({ expect }) => {
    const wrong: FilterTruth = { ...credulous, settle: async ({ epoch }) => ({ sound: false, newest: epoch + 5 }) };
    const down: FilterTruth = { ...credulous, settle: () => Promise.reject(new Error("down")) };
    for (const truth of [wrong, down]) {
      const scene = createScene();
      await serve(scene, []);
      const filter = scene.another(truth);
      await pause(scene.prefix, 2000);
      expect(await scene.ask(unknown, filter)).toBe("pass");
      await scene.idle();
      expect(await scene.ask(unknown, filter)).toBe("pass");
    }
  });

  test("when somebody has seen a stamp that it does not know of", async ({ expect }) => {
    const scene = createScene();
    await serve(scene, []);
    const { meta } = filterKeys(scene.prefix);
    await scene.filter.add(freshKey("seen"));
    // Redis forgets the addition, at once and without a pause.
    await evaluate("redis.call('HINCRBY', KEYS[1], 'adds', '-1') return 1", [meta]);
    expect(await scene.ask(unknown)).toBe("pass");
  });
});

describe("additions", () => {
  test("get stamps that rise and are never given twice, also after a loss of everything", async ({ expect }) => {
    const scene = createScene();
    const stamps: { readonly epoch: number; readonly adds: number }[] = [];
    for (const harm of ["none", "pause", "flush", "none"] as const) {
      if (harm === "pause") await pause(scene.prefix, 2000);
      if (harm === "flush") await evaluate("redis.call('DEL', KEYS[1]) return 1", [filterKeys(scene.prefix).meta]);
      stamps.push(await scene.filter.add(freshKey()), ...(await scene.filter.addAll([freshKey(), freshKey()])));
    }
    const order = stamps.map(({ epoch, adds }) => epoch * 100 + adds);
    expect(order).toEqual(order.toSorted((one, other) => one - other));
    expect(new Set(order).size).toBe(stamps.length);
  });

  test("are refused when Redis cannot be asked or talks nonsense", async ({ expect }) => {
    const scene = createScene();
    for (const kind of ["refuse", "cut", "html", "garbage"] as const) {
      await setFault("redis", { kind, matching: scene.prefix });
      await expect(scene.filter.add(freshKey()), kind).rejects.toThrow();
      await liftFaults();
    }
  });

  test("go beyond the fence when Postgres found their stamp outdated, and give the filter up when it was given out twice", async ({
    expect,
  }) => {
    const scene = createScene();
    await serve(scene, []);
    const fence = (await scene.filter.add(freshKey())).epoch + 1_000_000;
    const filter = scene.another({ ...credulous, raiseFence: async () => fence });
    expect((await filter.add(freshKey(), "outdated")).epoch).toBeGreaterThan(fence);
    const before = await filter.add(freshKey());
    expect((await filter.add(freshKey(), "duplicate")).epoch).toBeGreaterThan(before.epoch);
    expect(await scene.ask(freshKey("unknown"))).toBe("pass");
  });
});

test("Postgres is compared every few seconds with no pause, by one of many, and the others go on", async ({
  expect,
}) => {
  const scene = createScene();
  const claims: FilterClaim[] = [];
  const truth: FilterTruth = {
    ...credulous,
    settle: async (claim) => {
      claims.push(claim);
      return { sound: true, newest: claim.epoch };
    },
  };
  await serve(scene, []);
  const { meta } = filterKeys(scene.prefix);
  await evaluate("redis.call('HSET', KEYS[1], 'checked', '0') return 1", [meta]);
  const isolates = [scene.another(truth), scene.another(truth), scene.another(truth)];
  const answers = await Promise.all(isolates.map((filter) => scene.ask(freshKey("unknown"), filter)));
  await scene.idle();
  expect(answers).toEqual(["absent", "absent", "absent"]);
  expect(claims).toHaveLength(1);
  expect(claims[0]?.trail).toHaveLength(1);
});
