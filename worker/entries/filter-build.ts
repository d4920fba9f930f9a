/**
 * The building of a new generation of the filter, one Redis command a step. Each step names the generation it is about and is refused
 * when that is not the one being built, so two builders at once, and one that wakes up late, can only help one another.
 *
 * @module
 */
import type { FilterGeometry } from "../../shared/bloom.ts";
import type { CodeKey } from "../../shared/entry.ts";
import type { RedisClient } from "../backends/redis.ts";
import { filterKeys, type Told, readTold, wordArguments } from "./filter.ts";
import { BEGIN, CLAIM, DROP, FORGET, LOAD, MAKE_BLOCKS, OPEN, STATE, TRUST } from "./filter-scripts.ts";

/** One generation as the meta names it. */
export interface Generation {
  readonly name: string;
  readonly geometry: FilterGeometry;
  /** Rows with stamps of this epoch or later were added to it; all others it takes from Postgres. */
  readonly epoch: number;
  /** What it was sized for, and what was configured then; it is sized for more once there are more codes. */
  readonly capacity: number;
  readonly wanted: number;
  /** Codes that were put in, some of them twice. */
  readonly items: number;
}

/** Where a building generation stands: announced, then read from Postgres, then whole. */
export type Phase = "announced" | "loading" | "loaded";

/** What a builder finds. */
export interface BuildState {
  /** By Redis' clock, in epoch milliseconds. */
  readonly now: number;
  readonly serving: (Generation & { readonly servingAt: number }) | undefined;
  readonly building: (Generation & { readonly phase: Phase; readonly cursor: string }) | undefined;
  /** Generations whose blocks can go. */
  readonly old: readonly OldGeneration[];
}

/** A generation that nobody reads any more. */
export interface OldGeneration {
  readonly name: string;
  readonly blocks: number;
}

/** A generation to be begun. */
export type Plan = Pick<Generation, "name" | "geometry" | "capacity" | "wanted">;

/** The steps; each rejects with `BackendDown` when Redis cannot be asked. Those that answer a boolean tell whether it was done. */
export interface FilterBuild {
  /** Undefined: there is no filter at all. */
  state(): Promise<BuildState | undefined>;
  /** Makes the blocks of a generation that nobody knows of yet. */
  makeBlocks(plan: Plan): Promise<void>;
  /** Announces it, in place of the one named `instead` or of none. Answers the epoch that it begins with, or undefined. */
  begin(plan: Plan, instead: string): Promise<number | undefined>;
  /** Postgres refuses stamps of earlier epochs by now. */
  open(name: string): Promise<boolean>;
  /** Adds what stands between two places of the cursor. */
  load(name: string, from: string, to: string, keys: readonly CodeKey[], isLast: boolean): Promise<boolean>;
  /** Begins an epoch to be settled with Postgres before the generation serves. */
  claim(name: string): Promise<Told>;
  /** Has it serve, as `Told` of a comparison that found it sound. */
  serve(name: string, epoch: number): Promise<Told>;
  /** Gives the filter of this epoch up. */
  drop(epoch: number, atLeast: number): Promise<void>;
  /** Deletes the blocks of an old generation. */
  remove(old: OldGeneration): Promise<void>;
}

/** Blocks that one command makes or deletes: 8 MiB to be cleared. */
const BLOCKS_A_COMMAND = 64;
const DELETE_BLOCKS = "for i = 1, #KEYS do redis.call('UNLINK', KEYS[i]) end return 'gone'";

/** Builds the steps over a client. */
export function createFilterBuild(client: () => Promise<RedisClient>, prefix: string): FilterBuild {
  const { meta, blocks } = filterKeys(prefix);
  const run = async (script: string, args: readonly string[]): Promise<unknown> =>
    (await client()).evaluate(script, [meta], [blocks, "0", "0", ...args]);
  return {
    state: async () => readState(await run(STATE, [])),
    async makeBlocks({ name, geometry }) {
      for (const [first, last] of runs(geometry.blocks)) {
        await run(MAKE_BLOCKS, [name, String(first), String(last), String(geometry.bitsPerBlock)]);
      }
    },
    async begin({ name, geometry, capacity, wanted }, instead) {
      const shape = `${geometry.blocks} ${geometry.bitsPerBlock} ${capacity} ${wanted}`;
      const told = readTold(await run(BEGIN, [name, shape, instead]));
      return told.verdict === "begun" ? told.stamp.epoch : undefined;
    },
    open: async (name) => (await run(OPEN, [name])) === "open",
    load: async (name, from, to, keys, isLast) =>
      (await run(LOAD, [name, from, to, isLast ? "last" : "more", ...keys.flatMap(wordArguments)])) === "loaded",
    claim: async (name) => readTold(await run(CLAIM, [name])),
    serve: async (name, epoch) => readTold(await run(TRUST, [String(epoch), name])),
    async drop(epoch, atLeast) {
      await run(DROP, [String(epoch), String(atLeast)]);
    },
    async remove({ name, blocks: count }) {
      for (const [first, last] of runs(count)) {
        const keys = Array.from({ length: last - first + 1 }, (_, index) => `${blocks}${name}:${first + index}`);
        await (await client()).evaluate(DELETE_BLOCKS, keys, []);
      }
      await run(FORGET, [`${name} ${count};`]);
    },
  };
}

/** The blocks from 0 on, in runs of a command: first and last of each. */
function runs(blocks: number): (readonly [first: number, last: number])[] {
  return Array.from({ length: Math.ceil(blocks / BLOCKS_A_COMMAND) }, (_, index) => {
    const first = index * BLOCKS_A_COMMAND;
    return [first, Math.min(blocks, first + BLOCKS_A_COMMAND) - 1] as const;
  });
}

function readState(reply: unknown): BuildState | undefined {
  const parts: readonly unknown[] = Array.isArray(reply) ? reply : [];
  const [now, serving, servingItems, servingAt, building, buildingItems, phase, cursor = "", old = ""] = parts.map(
    (part) => (typeof part === "string" ? part : ""),
  );
  if (now === undefined || now === "") return undefined;
  const served = readGeneration(serving, servingItems);
  const built = readGeneration(building, buildingItems);
  return {
    now: Number(now),
    serving: served && { ...served, servingAt: Number(servingAt) },
    building: built && isPhase(phase) ? { ...built, phase, cursor } : undefined,
    old: [...old.matchAll(/(\S+) (\d+);/g)].map(([, name = "", blocks]) => ({ name, blocks: Number(blocks) })),
  };
}

/** Reads `name blocks bitsPerBlock epoch capacity wanted`. */
function readGeneration(text = "", items = "0"): Generation | undefined {
  const [name = "", ...rest] = text.split(" ");
  const [blocks, bitsPerBlock, epoch, capacity, wanted] = rest.map(Number);
  if (blocks === undefined || bitsPerBlock === undefined || epoch === undefined) return undefined;
  if (capacity === undefined || wanted === undefined) return undefined;
  return { name, geometry: { blocks, bitsPerBlock }, epoch, capacity, wanted, items: Number(items) };
}

function isPhase(text: string | undefined): text is Phase {
  return text === "announced" || text === "loading" || text === "loaded";
}
