/**
 * The cursor of the list of links: where a page ended, and in which order; opaque to the caller.
 *
 * @module
 */
import type { LinksQuery } from "../../shared/schema/link-list.ts";

/** The order of a list. Links with the same value follow their ids. */
export type ListOrder = Pick<LinksQuery, "sort" | "order">;

/** Where a page ended: the next one begins behind it. */
export interface ListPosition {
  /** Of the column that is sorted by: epoch milliseconds, or clicks. */
  readonly value: number;
  /** The snowflake in decimal. */
  readonly id: string;
}

const CURSOR = /^(\w+)\.(\w+)\.(\d{1,16})\.(\d{1,19})$/;
/** The largest id that Postgres takes. */
const MAX_ID = 2n ** 63n - 1n;
/** The end of the year 9999. */
const MAX_AT = 253_402_300_799_999;

/** A position as a cursor. */
export function cursorOf({ sort, order }: ListOrder, { value, id }: ListPosition): string {
  return btoa(`${sort}.${order}.${value}.${id}`).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

/** The position in a cursor of a list in this very order, or null for what is none. */
export function positionIn(cursor: string, { sort, order }: ListOrder): ListPosition | null {
  if (!/^[\w-]+$/.test(cursor)) return null;
  const [, ofSort, ofOrder, digits = "", id = ""] = CURSOR.exec(decoded(cursor)) ?? [];
  if (ofSort !== sort || ofOrder !== order || BigInt(id) > MAX_ID) return null;
  const value = Number(digits);
  return value <= (sort === "createdAt" ? MAX_AT : Number.MAX_SAFE_INTEGER) ? { value, id } : null;
}

function decoded(cursor: string): string {
  try {
    return atob(cursor.replaceAll("-", "+").replaceAll("_", "/"));
  } catch {
    return "";
  }
}
