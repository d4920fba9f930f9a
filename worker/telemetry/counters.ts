/**
 * The counts of this isolate: plain numbers, which its requests share, until a message takes them along.
 *
 * @module
 */
import {
  bucketOf,
  type CounterName,
  type Counts,
  HISTOGRAM_REST,
  type HistogramFamily,
} from "../../shared/counters.ts";

let counts = new Map<string, number>();
let takenAt = 0;

/** Counts something that happened, once or `times` (a whole number; none is nothing). */
export function count(name: CounterName, times = 1): void {
  if (times > 0) counts.set(name, (counts.get(name) ?? 0) + times);
}

/** Counts a duration in milliseconds; a clock that went back makes it none. */
export function countDuration(family: HistogramFamily, ms: number): void {
  count(`${family}:${bucketOf(family, ms)}`);
  count(`${family}:${HISTOGRAM_REST.sum}`, Math.round(ms));
}

/** What was counted since it was last asked for, which begins anew; undefined when that is nothing. `now` is epoch milliseconds. */
export function takeCounts(now: number): Counts | undefined {
  takenAt = now;
  if (counts.size === 0) return undefined;
  const taken = counts;
  counts = new Map();
  return taken;
}

/** When the counts were last taken, in epoch milliseconds; 0: never. */
export function countsTakenAt(): number {
  return takenAt;
}
