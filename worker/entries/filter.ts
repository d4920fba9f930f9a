/**
 * The Bloom filter of custom codes, which tells most made-up ones from real ones in the very command that looks for the
 * entry. It never calls a code absent whose row stands in Postgres, whatever becomes of Redis: where that could be in doubt,
 * it lets everything through and has Postgres compared with what Redis remembers.
 *
 * It rests on this. A code is added before its row is inserted, and the row keeps the stamp of the addition, which no other
 * has. Redis that was put back to an earlier state, or was away, shows by a pause, or by a stamp that somebody has seen: then
 * a new epoch begins, stamps of earlier ones are refused by Postgres from then on, and if a row has a stamp that Redis knows
 * nothing of, the filter is given up until it is built anew.
 *
 * What is left: a Redis that loses additions it had confirmed and answers again less than a second after the last script
 * ran there (a fail-over to a replica that lags, with no pause) is found out by the next caller who has seen a later stamp,
 * by the next creation, whose stamp is then one that a row has, or within seconds by the next comparison, if one of these
 * comes before the lost numbers were all given out again to codes that were not inserted. Blocks that are put back to an earlier
 * state without the meta beside them cannot be told. Codes that are written past the service, by SQL, are seen when Postgres is
 * compared with next: within seconds.
 *
 * @module
 */
import { wordsOf } from "../../shared/bloom.ts";
import type { CodeKey } from "../../shared/entry.ts";
import type { RedisClient } from "../backends/redis.ts";
import { log } from "../telemetry/log.ts";
import { ADD, DROP, LOOK_UP, TRUST } from "./filter-scripts.ts";

/** What an addition got, for the row to keep: the epoch, and the number of the addition in it. */
export interface FilterStamp {
  readonly epoch: number;
  readonly adds: number;
}

/** Why Postgres did not take a stamp: its epoch is over, or another row has it, which proves that Redis has forgotten. */
export type StampRefusal = "outdated" | "duplicate";

/** What Redis says that it knows: in `epoch`, and in those of the trail up to so many additions. */
export interface FilterClaim {
  readonly epoch: number;
  /** The epoch in which the generation in question was begun. */
  readonly begun: number;
  /** Oldest first. */
  readonly trail: readonly FilterStamp[];
}

/** What the filter asks of Postgres. Each rejects with `BackendDown` when it cannot be asked. */
export interface FilterTruth {
  /** Takes stamps of epochs before `epoch` no more, once it has answered: the fence, which may stand further on already. */
  raiseFence(epoch: number): Promise<number>;
  /** The same, and whether every row's stamp is covered by the claim. `newest` is the newest epoch known there. */
  settle(claim: FilterClaim): Promise<{ readonly sound: boolean; readonly newest: number }>;
}

/** What came of a look-up: the entry's text, a code that surely does not exist, or nothing that helps. */
export type FilterAnswer =
  | { readonly kind: "entry"; readonly text: string }
  | { readonly kind: "absent" }
  | { readonly kind: "pass" };

/** What the filter is built from. */
export interface FilterParts {
  /** Asks for a visitor, who has somewhere else to go when Redis is slow. */
  readonly client: () => Promise<RedisClient>;
  /** Asks for a creation, which can wait longer and cannot do without. */
  readonly patientClient: () => Promise<RedisClient>;
  /** What every key of the filter begins with. */
  readonly prefix: string;
  readonly truth: () => Promise<FilterTruth>;
  /** Takes work that the caller does not wait for. */
  readonly background: (work: Promise<void>) => void;
}

/** The filter as look-ups and creations use it. Each function is one Redis command, and rejects with `BackendDown` like it. */
export interface Filter {
  /** Looks for the entry under `entryKey`, and asks the filter if there is none. */
  lookup(entryKey: string, key: CodeKey): Promise<FilterAnswer>;
  /**
   * Adds a code; to be done before its row is inserted with the stamp. When Postgres refused an earlier stamp of the
   * creation, `refused` says why. Should it reject, the row must not be inserted.
   */
  add(key: CodeKey, refused?: StampRefusal): Promise<FilterStamp>;
  /** Adds several codes with one command; one stamp each, in their order. `refused` as for {@link Filter.add}. */
  addAll(keys: readonly CodeKey[], refused?: StampRefusal): Promise<readonly FilterStamp[]>;
}

/** How often a comparison that was overtaken by a pause is repeated. */
const MAX_COMPARISONS = 3;

/** The keys in Redis: the meta, and what the names of blocks begin with. */
export function filterKeys(prefix: string): { readonly meta: string; readonly blocks: string } {
  return { meta: `${prefix}filter`, blocks: `${prefix}filter:` };
}

/** The words of a code as scripts take them. */
export function wordArguments({ domain, code }: CodeKey): string[] {
  const { block, first, step } = wordsOf(`${domain}/${code}`);
  return [String(block), String(first), String(step)];
}

/** Builds the filter of an isolate, which remembers the newest stamp that it has seen. */
export function createFilter({ client, patientClient, prefix, truth, background }: FilterParts): Filter {
  const { meta, blocks } = filterKeys(prefix);
  let seen: FilterStamp = { epoch: 0, adds: 0 };
  const observe = (stamp: FilterStamp): void => {
    if (stamp.epoch > seen.epoch || (stamp.epoch === seen.epoch && stamp.adds > seen.adds)) seen = stamp;
  };
  const run = async (
    script: string,
    keys: readonly string[],
    args: readonly string[],
    from: FilterParts["client"] = client,
  ): Promise<unknown> => {
    const redis = await from();
    return redis.evaluate(script, keys, [blocks, String(seen.epoch), String(seen.adds), ...args]);
  };
  const tell = async (script: string, args: readonly string[], from?: FilterParts["client"]): Promise<Told> => {
    const told = readTold(await run(script, [meta], args, from));
    observe(told.stamp);
    return told;
  };

  /** Has Postgres say whether Redis still knows every code. What cannot be found out now is asked for again. */
  const compare = async (first: FilterClaim): Promise<void> => {
    try {
      let claim: FilterClaim | undefined = first;
      for (let round = 0; claim !== undefined && round < MAX_COMPARISONS; round += 1) {
        const { sound, newest } = await (await truth()).settle(claim);
        const epoch = String(claim.epoch);
        const told: Told = await tell(...(sound ? trust(epoch) : drop(epoch, newest + 1)));
        if (!sound) log("warn", "filter_dropped", { epoch: claim.epoch, newest, verdict: told.verdict });
        claim = told.claim;
      }
    } catch (error) {
      log("warn", "filter_not_compared", {}, error);
    }
  };
  const compareIfAsked = ({ claim }: Told): void => {
    if (claim !== undefined) background(compare(claim));
  };

  const addAll = async (keys: readonly CodeKey[], refused?: StampRefusal): Promise<FilterStamp[]> => {
    if (refused === "outdated") observe({ epoch: await (await truth()).raiseFence(0), adds: 0 });
    if (refused === "duplicate") await tell(...drop("", 0), patientClient);
    const told = await tell(ADD, keys.flatMap(wordArguments), patientClient);
    compareIfAsked(told);
    const { epoch, adds } = told.stamp;
    return keys.map((_, index) => ({ epoch, adds: adds - keys.length + 1 + index }));
  };

  return {
    async lookup(entryKey, key) {
      const reply = await run(LOOK_UP, [meta, entryKey], wordArguments(key));
      if (typeof reply === "string") return { kind: "entry", text: reply };
      const told = readTold(reply);
      observe(told.stamp);
      compareIfAsked(told);
      return { kind: told.verdict === "absent" ? "absent" : "pass" };
    },
    async add(key, refused) {
      const [stamp] = await addAll([key], refused);
      if (stamp === undefined) throw new Error("an addition got no stamp");
      return stamp;
    },
    addAll,
  };
}

/** What a script answers: a verdict, where Redis stands, and perhaps a claim to be compared with Postgres. */
export interface Told {
  readonly verdict: string;
  readonly stamp: FilterStamp;
  readonly claim: FilterClaim | undefined;
}

/** Reads `[verdict, epoch, adds, trail, begun]`. Throws TypeError when it is anything else: Redis talks nonsense. */
export function readTold(reply: unknown): Told {
  if (!Array.isArray(reply)) throw new TypeError(`the filter answered ${typeof reply}`);
  const parts: readonly unknown[] = reply;
  const [verdict, epoch, adds, trail, begun] = parts;
  if (typeof verdict !== "string" || typeof trail !== "string") throw new TypeError("the filter answered nonsense");
  const stamp = { epoch: whole(epoch), adds: whole(adds) };
  const given = trail.split(" ").filter((part) => part !== "");
  if (given.length === 0) return { verdict, stamp, claim: undefined };
  const claim = { epoch: stamp.epoch, begun: whole(begun), trail: given.map(readStamp) };
  return { verdict, stamp, claim };
}

function readStamp(text: string): FilterStamp {
  const [epoch, adds] = text.split(":");
  return { epoch: whole(epoch), adds: whole(adds) };
}

function whole(value: unknown): number {
  if (typeof value === "string" && /^\d{1,16}$/.test(value)) return Number(value);
  throw new TypeError(`the filter answered ${JSON.stringify(value)} where a number belongs`);
}

function trust(epoch: string): readonly [script: string, args: readonly string[]] {
  return [TRUST, [epoch, ""]];
}

function drop(epoch: string, atLeast: number): readonly [script: string, args: readonly string[]] {
  return [DROP, [epoch, String(atLeast)]];
}

/** 48 bits: no two generations of the filter have one name. */
const NAME_DIGITS = 12;

/** A name for a new generation of the filter. */
export function newGenerationName(): string {
  return crypto.randomUUID().replaceAll("-", "").slice(0, NAME_DIGITS);
}
