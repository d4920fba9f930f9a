/**
 * The past of a Redis: what the filter has there can be kept and brought back, as from a snapshot. For tests.
 *
 * @module
 */
import type { RedisClient } from "../../backends/redis.ts";
import { filterKeys } from "../../entries/filter.ts";

/** Runs Lua, as a Redis does. */
export type Evaluate = RedisClient["evaluate"];

const FIELDS =
  "format epoch adds trail trusted pulse checked asked serving servingItems servingAt building buildingItems phase cursor old".split(
    " ",
  );
const READ_META = `return redis.call('HMGET', KEYS[1], '${FIELDS.join("','")}')`;
const READ_BITS = `local bits = '' for i = 0, ARGV[1] * 1.0 do
  bits = bits .. (redis.call('GETBIT', KEYS[1], string.format('%.0f', i)) == 1 and '1' or '0') end return bits`;
const WRITE_META = "for i = 1, #ARGV, 2 do redis.call('HSET', KEYS[1], ARGV[i], ARGV[i + 1]) end return 'written'";
const WRITE_BITS = "for i = 1, #ARGV do redis.call('SETBIT', KEYS[1], ARGV[i], 1) end return 'written'";
const DELETE = "for i = 1, #KEYS do redis.call('DEL', KEYS[i]) end return 'deleted'";

const COUNT = "local n = 0 for i = 1, #KEYS do n = n + redis.call('EXISTS', KEYS[i]) end return n";

/** What stood in Redis at one moment. */
export interface Snapshot {
  readonly isServing: boolean;
  readonly fields: readonly string[];
  readonly blocks: readonly { readonly key: string; readonly ones: readonly string[] }[];
}

/** Builds the access to a filter's keys, whose generations are named `g1`, `g2`, … and have one block each. */
export function createPast(evaluate: Evaluate, prefix: string, generations: () => number) {
  const { meta, blocks } = filterKeys(prefix);
  const blockOf = (name: string): string => `${blocks}${name}:0`;
  const readMeta = async (): Promise<readonly unknown[]> => {
    const reply = await evaluate(READ_META, [meta], []);
    return Array.isArray(reply) ? reply : [];
  };
  const named = async (): Promise<{ readonly name: string; readonly bits: number }[]> => {
    const values = await readMeta();
    return ["serving", "building"].flatMap((role) => {
      const value = values[FIELDS.indexOf(role)];
      const [name, , bits] = typeof value === "string" ? value.split(" ") : [];
      return name === undefined || bits === undefined ? [] : [{ name, bits: Number(bits) }];
    });
  };
  const everyBlock = (): string[] => Array.from({ length: generations() }, (_, index) => blockOf(`g${index + 1}`));
  const flush = async (): Promise<void> => {
    await evaluate(DELETE, [meta, ...everyBlock()], []);
  };
  return {
    flush,
    /** How many blocks there are. */
    blocks: async (): Promise<number> => Number(await evaluate(COUNT, everyBlock(), [])),
    /** Loses one block, or the meta. */
    async lose(what: "meta" | "block"): Promise<void> {
      const [first] = what === "meta" ? [] : await named();
      if (what === "meta") await evaluate(DELETE, [meta], []);
      else if (first !== undefined) await evaluate(DELETE, [blockOf(first.name)], []);
    },
    async keep(): Promise<Snapshot> {
      const values = await readMeta();
      const fields = FIELDS.flatMap((field, index) => {
        const value = values[index];
        return typeof value === "string" ? [field, value] : [];
      });
      const kept: { key: string; ones: string[] }[] = [];
      for (const { name, bits } of await named()) {
        const text = String(await evaluate(READ_BITS, [blockOf(name)], [String(bits)]));
        const ones = text.split("").flatMap((bit, index) => (bit === "1" ? [String(index)] : []));
        kept.push({ key: blockOf(name), ones });
      }
      const serving = values[FIELDS.indexOf("serving")];
      return { isServing: typeof serving === "string" && serving !== "", fields, blocks: kept };
    },
    async restore(snapshot: Snapshot): Promise<void> {
      await flush();
      if (snapshot.fields.length > 0) await evaluate(WRITE_META, [meta], snapshot.fields);
      for (const { key, ones } of snapshot.blocks) if (ones.length > 0) await evaluate(WRITE_BITS, [key], ones);
    },
  };
}
