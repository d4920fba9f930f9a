/**
 * The two bit layouts of an id: `time | machine | sequence`, from the highest bit to the lowest. One implementation; a
 * layout is a row of numbers. Ids are bigints, since 63 bits do not fit a number, and never become one.
 *
 * @module
 */

/** The names of the layouts; the first is the default. */
export const LAYOUT_NAMES = ["classic", "compact"] as const;

/** The name of a layout. */
export type LayoutName = (typeof LAYOUT_NAMES)[number];

/** Tick 0 of both layouts in epoch milliseconds: 2023-11-14T22:13:20Z. */
export const EPOCH_AT = 1_700_000_000_000;

/** How an id is cut into fields, and what follows from it. */
export interface Layout {
  readonly name: LayoutName;
  readonly timeBits: number;
  readonly machineBits: number;
  readonly sequenceBits: number;
  /** All three together: every id is below 2^totalBits. */
  readonly totalBits: number;
  /** Length of one tick of the time field. */
  readonly tickMs: number;
  /** How many ticks there are: 2^timeBits. */
  readonly ticks: number;
  /** How many machine ids there are: 2^machineBits. */
  readonly machines: number;
  /** How many ids one machine has in a tick: 2^sequenceBits. */
  readonly idsPerTick: number;
}

/** The fields of an id. */
export interface IdParts {
  /** Ticks since {@link EPOCH_AT}. */
  readonly tick: number;
  readonly machine: number;
  readonly sequence: number;
}

/**
 * `classic`: milliseconds, 1,024 machines, 4,096 ids a millisecond, 63 bits (the layout of Twitter's Snowflake, 2010).
 * `compact`: seconds, 64 machines, 256 ids a second, 46 bits.
 */
export const LAYOUTS: Readonly<Record<LayoutName, Layout>> = {
  classic: defineLayout("classic", { timeBits: 41, machineBits: 10, sequenceBits: 12, tickMs: 1 }),
  compact: defineLayout("compact", { timeBits: 32, machineBits: 6, sequenceBits: 8, tickMs: 1000 }),
};

function defineLayout(
  name: LayoutName,
  bits: Pick<Layout, "timeBits" | "machineBits" | "sequenceBits" | "tickMs">,
): Layout {
  return {
    name,
    timeBits: bits.timeBits,
    machineBits: bits.machineBits,
    sequenceBits: bits.sequenceBits,
    totalBits: bits.timeBits + bits.machineBits + bits.sequenceBits,
    tickMs: bits.tickMs,
    ticks: 2 ** bits.timeBits,
    machines: 2 ** bits.machineBits,
    idsPerTick: 2 ** bits.sequenceBits,
  };
}

const WORD = 2 ** 32;
const WORDS_END = 2n ** 64n;
/** The bridge between a bigint and its two words; written and read within one call, so nothing is kept in it. */
const bridge = new DataView(new ArrayBuffer(8));

/** The id of the fields. Throws RangeError when a field does not fit: a bad id must never leave. */
export function compose(layout: Layout, parts: IdParts): bigint {
  const { tick, machine, sequence } = parts;
  if (!isBelow(tick, layout.ticks) || !isBelow(machine, layout.machines) || !isBelow(sequence, layout.idsPerTick)) {
    throw new RangeError(`No ${layout.name} id has tick ${tick}, machine ${machine} and sequence ${sequence}.`);
  }
  const lowEnd = layout.machines * layout.idsPerTick;
  const high = Math.floor(tick / (WORD / lowEnd));
  bridge.setUint32(0, high);
  bridge.setUint32(4, (tick - high * (WORD / lowEnd)) * lowEnd + machine * layout.idsPerTick + sequence);
  return bridge.getBigUint64(0);
}

/** The fields of an id; undefined when it is negative or has more bits than the layout. */
export function decompose(layout: Layout, id: bigint): IdParts | undefined {
  if (id < 0n || id >= WORDS_END) return undefined;
  bridge.setBigUint64(0, id);
  const bottom = bridge.getUint32(4);
  const lowEnd = layout.machines * layout.idsPerTick;
  const tick = bridge.getUint32(0) * (WORD / lowEnd) + Math.floor(bottom / lowEnd);
  if (tick >= layout.ticks) return undefined;
  const low = bottom % lowEnd;
  const sequence = low % layout.idsPerTick;
  return { tick, machine: (low - sequence) / layout.idsPerTick, sequence };
}

/** The tick that a clock reading (epoch milliseconds) lies in; negative before {@link EPOCH_AT}. */
export function tickAt(layout: Layout, atMs: number): number {
  return Math.floor((atMs - EPOCH_AT) / layout.tickMs);
}

/** When a tick begins, in epoch milliseconds. */
export function tickStartAt(layout: Layout, tick: number): number {
  return EPOCH_AT + tick * layout.tickMs;
}

/** When the layout runs out, in epoch milliseconds: the first moment that its time field cannot hold. */
export function exhaustsAt(layout: Layout): number {
  return tickStartAt(layout, layout.ticks);
}

/** Whether a machine id can be used with a layout. */
export function isMachine(layout: Layout, machine: number): boolean {
  return isBelow(machine, layout.machines);
}

/**
 * Why a number of shards (machine ids 0 to `shards - 1`) cannot be used with a layout, as a sentence; undefined when it
 * can. With more shards than machine ids two of them would give out the same ids.
 */
export function shardsProblem(layout: Layout, shards: number): string | undefined {
  if (Number.isInteger(shards) && shards >= 1 && shards <= layout.machines) return undefined;
  return (
    `${shards} shards cannot be used with the ${layout.name} layout: it has ${layout.machines} machine ids, ` +
    `and each shard needs one of its own.`
  );
}

function isBelow(value: number, limit: number): boolean {
  return Number.isInteger(value) && value >= 0 && value < limit;
}
