/**
 * Postgres as the filter of custom codes sees it, as a few maps; the statements themselves are in `migrations/0004_filter.sql`. Each
 * function is one transaction. For tests.
 *
 * @module
 */
import type { CodeKey } from "../../../shared/entry.ts";
import type { FilterClaim, FilterStamp, StampRefusal } from "../../entries/filter.ts";

/** A custom link. */
export interface ModelRow {
  readonly id: number;
  readonly key: CodeKey;
  readonly stamp: FilterStamp;
}

/** The custom links, and the fence. */
export interface ModelTruth {
  has(code: string): boolean;
  living(): readonly CodeKey[];
  insert(key: CodeKey, stamp: FilterStamp): "created" | "taken" | StampRefusal;
  remove(code: string): void;
  raise(epoch: number): number;
  settle(claim: FilterClaim): { readonly sound: boolean; readonly newest: number };
  page(after: string, limit: number): readonly ModelRow[];
}

/** Builds an empty one. */
export function createModelTruth(): ModelTruth {
  const rows = new Map<string, ModelRow>();
  let [fence, since, nextId] = [0, 0, 1];
  const raise = (epoch: number): number => {
    fence = Math.max(fence, epoch);
    return fence;
  };
  return {
    has: (code) => rows.has(code),
    living: () => [...rows.values()].map(({ key }) => key),
    insert(key, stamp) {
      if (stamp.epoch < fence) return "outdated";
      if (rows.has(key.code)) return "taken";
      const isGivenTwice = (row: ModelRow): boolean => row.stamp.epoch === stamp.epoch && row.stamp.adds === stamp.adds;
      if ([...rows.values()].some(isGivenTwice)) return "duplicate";
      rows.set(key.code, { id: nextId, key, stamp });
      nextId += 1;
      return "created";
    },
    remove: (code) => void rows.delete(code),
    raise,
    settle(claim) {
      const all = [...rows.values()];
      const newest = Math.max(raise(claim.epoch), ...all.map(({ stamp }) => stamp.epoch));
      if (newest > claim.epoch) return { sound: false, newest };
      const isSound = !all.some((row) => isLost(row, claim));
      if (!isSound) since = Math.max(since, claim.epoch + 1);
      return { sound: isSound && claim.begun >= since, newest };
    },
    page: (after, limit) =>
      [...rows.values()]
        .filter(({ id }) => id > Number(after))
        .toSorted((one, other) => one.id - other.id)
        .slice(0, limit),
  };
}

function isLost({ stamp }: ModelRow, { epoch, trail }: FilterClaim): boolean {
  const first = trail[0]?.epoch ?? Infinity;
  const isKnown = trail.some((given) => given.epoch === stamp.epoch && stamp.adds <= given.adds);
  return stamp.epoch >= first && stamp.epoch < epoch && !isKnown;
}
