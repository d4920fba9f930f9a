/**
 * The cursor of the deliveries: where a page ended, opaque to the caller.
 *
 * @module
 */
import type { DeliveryShown } from "../../shared/schema/webhook.ts";
import type { DeliveryPosition } from "./queries.ts";

const CURSOR = /^(\d{1,15})\.(\w[\w-]{0,99})$/;
/** The end of the year 9999. */
const MAX_AT = 253_402_300_799_999;

/** The cursor behind a delivery. */
export function cursorAfter({ occurredAt, id }: Pick<DeliveryShown, "occurredAt" | "id">): string {
  return btoa(`${Date.parse(occurredAt)}.${id}`)
    .replaceAll("+", "-")
    .replaceAll("/", "_")
    .replaceAll("=", "");
}

/** The position in a cursor, or null for what is none. */
export function positionIn(cursor: string): DeliveryPosition | null {
  if (!/^[\w-]+$/.test(cursor)) return null;
  try {
    const [, at, id] = CURSOR.exec(atob(cursor.replaceAll("-", "+").replaceAll("_", "/"))) ?? [];
    return at === undefined || id === undefined || Number(at) > MAX_AT ? null : { at: Number(at), id };
  } catch {
    return null;
  }
}
