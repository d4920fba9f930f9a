/**
 * The cursor of the raw log: where a page ended, opaque to the caller.
 *
 * @module
 */
import type { ClickPosition } from "./queries.ts";

const CURSOR = /^(\d{1,15})\.([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/;

/** The end of the year 9999. */
const MAX_AT = 253_402_300_799_999;

/** A position as a cursor. */
export function cursorOf({ at, id }: ClickPosition): string {
  return btoa(`${at}.${id}`).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

/** The position in a cursor, or null for what is none. */
export function positionIn(cursor: string): ClickPosition | null {
  if (!/^[\w-]+$/.test(cursor)) return null;
  try {
    const [, at, id] = CURSOR.exec(atob(cursor.replaceAll("-", "+").replaceAll("_", "/"))) ?? [];
    return at === undefined || id === undefined || Number(at) > MAX_AT ? null : { at: Number(at), id };
  } catch {
    return null;
  }
}
