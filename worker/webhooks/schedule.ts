/**
 * When a delivery that failed is tried again, and when a webhook is given up. The pauses are those that Standard Webhooks recommends
 * (spec, "Deliverability and reliability"): three days in all.
 *
 * @module
 */

const SECOND_MS = 1000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;
const PAUSES_MS = [
  5 * SECOND_MS,
  5 * MINUTE_MS,
  30 * MINUTE_MS,
  2 * HOUR_MS,
  5 * HOUR_MS,
  10 * HOUR_MS,
  14 * HOUR_MS,
  20 * HOUR_MS,
  24 * HOUR_MS,
];

/** How many attempts a delivery has. */
export const MAX_ATTEMPTS = PAUSES_MS.length + 1;

/** Each pause is made up to this much longer by chance, so that what failed together does not come back together. */
const JITTER = 0.2;

/**
 * A webhook of which nothing but failures came for so long is switched off. Longer than one delivery is tried, so that one which is refused
 * for good is not enough; less than that and the day in which clicks are kept of a webhook that fails, so that it is reached.
 */
export const LASTING_FAILURE_MS = 4 * 24 * HOUR_MS;

/**
 * When the attempt after `attempts` failed ones is due (epoch milliseconds), or null when there is none. `dice` gives numbers from 0 to 1;
 * `askedMs` is the pause that the receiver asked for (`Retry-After`), which makes ours longer and never shorter.
 */
export function nextAttemptAt(attempts: number, now: number, dice: () => number, askedMs = 0): number | null {
  const pauseMs = PAUSES_MS[attempts - 1];
  if (pauseMs === undefined) return null;
  return Math.round(now + Math.max(pauseMs * (1 + JITTER * dice()), Math.min(askedMs, 24 * HOUR_MS)));
}
