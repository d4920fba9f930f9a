/**
 * How long deliveries are kept.
 *
 * @module
 */
import type { Outbox } from "./store.ts";

const DAY_MS = 24 * 60 * 60 * 1000;
const DELIVERED_KEPT_MS = 7 * DAY_MS;
const OTHER_KEPT_MS = 30 * DAY_MS;

/** Forgets what was delivered a week ago, what was last tried 30 days ago, and what is left of deleted webhooks. Idempotent. */
export function forgetPastDeliveries(forget: Outbox["forget"], now: number): Promise<number> {
  return forget({ deliveredBefore: now - DELIVERED_KEPT_MS, otherBefore: now - OTHER_KEPT_MS });
}
