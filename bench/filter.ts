/**
 * Is the filter of custom codes as good as promised at its capacity, and what does it cost? A million codes are added and asked for one by
 * one; then a million that nobody made. Goals: none of the first is missing, at most 1 in 1,000 of the second passes. Beside it,
 * what a place costs in nanoseconds against the engine's own look-up of the same key in a Set.
 *
 * With `TEST_REDIS_URL` the bits are in that Redis, set and read as a server does it, else in this process.
 *
 * Run: `node bench/filter.ts`
 *
 * @module
 */
import { randomUUID } from "node:crypto";
import { Redis } from "ioredis";
import { BITS_OF_A_KEY, FALSE_POSITIVE_RATE, geometryFor, placeOf, wordsOf } from "../shared/bloom.ts";
import { createDice } from "../shared/testing/dice.ts";
import { nanosecondsEach, print } from "./measure.ts";

const CAPACITY = 1_000_000;
const PROBES = 1_000_000;
const KEYS_A_COMMAND = 5000;
const TIMED = 200_000;
const LARGE = 100_000_000;
const MEBIBYTE = 2 ** 20;

/** Where the bits are. Both take many keys at once. */
interface Bits {
  readonly name: string;
  add(keys: readonly string[]): Promise<void>;
  /** How many of the keys pass. */
  count(keys: readonly string[]): Promise<number>;
  bytes(): Promise<number>;
  end(): Promise<void>;
}

const geometry = geometryFor(CAPACITY);

function createLocalBits(): Bits {
  const blocks = Array.from({ length: geometry.blocks }, () => new Uint8Array(Math.ceil(geometry.bitsPerBlock / 8)));
  const blockOf = (block: number): Uint8Array => blocks[block] ?? new Uint8Array();
  return {
    name: "this process",
    async add(keys) {
      for (const { block, positions } of keys.map((key) => placeOf(wordsOf(key), geometry))) {
        const bytes = blockOf(block);
        for (const at of positions) bytes[at >> 3] = (bytes[at >> 3] ?? 0) | (1 << (at & 7));
      }
    },
    async count(keys) {
      const places = keys.map((key) => placeOf(wordsOf(key), geometry));
      return places.filter(({ block, positions }) => positions.every((at) => isSet(blockOf(block), at))).length;
    },
    bytes: async () => blocks.reduce((sum, block) => sum + block.length, 0),
    end: async () => {},
  };
}

function isSet(bytes: Uint8Array, at: number): boolean {
  return ((bytes[at >> 3] ?? 0) & (1 << (at & 7))) !== 0;
}

function wordsOfAll(keys: readonly string[]): number[] {
  return keys.flatMap((key) => {
    const { block, first, step } = wordsOf(key);
    return [block, first, step];
  });
}

/** As the service's own scripts work, in their plainest form. */
const VISIT = `
local passed = 0
for first = 1, #ARGV, 3 do
  local key, all = KEYS[1] .. string.format('%.0f', ARGV[first] % ${geometry.blocks}), true
  for i = 0, ${BITS_OF_A_KEY - 1} do
    local at = string.format('%.0f', (ARGV[first + 1] + i * ARGV[first + 2]) % ${geometry.bitsPerBlock})
    COMMAND
  end
  if all then passed = passed + 1 end
end
return passed`;
const ADD = VISIT.replace("COMMAND", "redis.call('SETBIT', key, at, 1)");
const COUNT = VISIT.replace("COMMAND", "if redis.call('GETBIT', key, at) == 0 then all = false break end");

function createRedisBits(url: string): Bits {
  const redis = new Redis(url);
  const prefix = `hop-bench-${randomUUID()}:`;
  const names = Array.from({ length: geometry.blocks }, (_, block) => `${prefix}${block}`);
  return {
    name: "Redis",
    async add(keys) {
      await redis.eval(ADD, 1, prefix, ...wordsOfAll(keys));
    },
    count: async (keys) => Number(await redis.eval(COUNT, 1, prefix, ...wordsOfAll(keys))),
    async bytes() {
      const sizes = await Promise.all(names.map((name) => redis.strlen(name)));
      return sizes.reduce((sum, size) => sum + size, 0);
    },
    async end() {
      await redis.del(...names);
      redis.disconnect();
    },
  };
}

async function inRuns(count: number, keyOf: (index: number) => string, visit: Bits["count"]): Promise<number> {
  let sum = 0;
  for (let start = 0; start < count; start += KEYS_A_COMMAND) {
    const length = Math.min(KEYS_A_COMMAND, count - start);
    sum += await visit(Array.from({ length }, (_, index) => keyOf(start + index)));
  }
  return sum;
}

const dice = createDice(1);
const made = (index: number): string => `go.example.com/spring-sale-${index.toString(36)}`;
const madeUp = (index: number): string => `go.example.com/${dice.below(2 ** 32).toString(36)}-${index.toString(36)}`;

const redisUrl = process.env["TEST_REDIS_URL"];
const bits = redisUrl === undefined || redisUrl === "" ? createLocalBits() : createRedisBits(redisUrl);
try {
  await inRuns(CAPACITY, made, async (keys) => {
    await bits.add(keys);
    return keys.length;
  });
  const found = await inRuns(CAPACITY, made, (keys) => bits.count(keys));
  const passed = await inRuns(PROBES, madeUp, (keys) => bits.count(keys));
  const rate = passed / PROBES;
  print(
    `bits in ${bits.name}: ${CAPACITY} codes in ${geometry.blocks} blocks, ${(await bits.bytes()) / CAPACITY} bytes a code`,
  );
  print(`found ${found} of ${CAPACITY}  goal all: ${found === CAPACITY ? "met" : "MISSED"}`);
  print(
    `made-up codes that pass: ${(100 * rate).toFixed(4)} %  goal ≤ ${100 * FALSE_POSITIVE_RATE} %: ${rate <= FALSE_POSITIVE_RATE ? "met" : "MISSED"}`,
  );
  if (found !== CAPACITY || rate > FALSE_POSITIVE_RATE) process.exitCode = 1;
} finally {
  await bits.end();
}

const large = geometryFor(LARGE);
print(
  `for ${LARGE} codes: ${large.blocks} blocks, ${((large.blocks * large.bitsPerBlock) / 8 / MEBIBYTE).toFixed(0)} MiB in all`,
);
const keys = Array.from({ length: TIMED }, (_, index) => made(index));
const set = new Set(keys);
let sink = 0;
const bare = nanosecondsEach(TIMED, () => {
  for (const key of keys) sink += set.has(key) ? 1 : 0;
});
const placed = nanosecondsEach(TIMED, () => {
  for (const key of keys) sink += wordsOf(key).block;
});
print(
  `the words of a key: ${placed.toFixed(0)} ns, ×${(placed / bare).toFixed(1)} of a look-up in a Set (${bare.toFixed(0)} ns)`,
);
if (sink === 0) print("nothing was measured");
