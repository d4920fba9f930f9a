/**
 * The counts of this isolate: plain numbers, which its requests share, until a message takes them along. Whoever counts on the way of
 * every visitor keeps the counter itself, which costs an addition; others name it.
 *
 * @module
 */
import {
  bucketOf,
  type CounterName,
  type Counts,
  HISTOGRAM_BUCKETS,
  HISTOGRAM_REST,
  type HistogramFamily,
} from "../../shared/counters.ts";

/** One counter of this isolate. */
export interface Counter {
  /** Since the counts were last taken. */
  value: number;
}

const counters = new Map<CounterName, Counter>();
let takenAt = 0;

/** The counter of a name. */
export function counterOf(name: CounterName): Counter {
  const known = counters.get(name);
  if (known !== undefined) return known;
  const made: Counter = { value: 0 };
  counters.set(name, made);
  return made;
}

/** Counts something that happened, once or `times` (a whole number). */
export function count(name: CounterName, times = 1): void {
  counterOf(name).value += times;
}

/** Counts a duration, in milliseconds. */
export type CountDuration = (ms: number) => void;

/** What counts the durations of a family. */
export function durationsOf(family: HistogramFamily): CountDuration {
  const ends = [...HISTOGRAM_BUCKETS[family].map(String), HISTOGRAM_REST.bucket];
  const buckets = new Map(ends.map((end) => [end, counterOf(`${family}:${end}`)]));
  const sum = counterOf(`${family}:${HISTOGRAM_REST.sum}`);
  const shortest = counterOf(`${family}:${ends[0] ?? HISTOGRAM_REST.bucket}`);
  return (ms) => {
    // No time at all is what most redirects take.
    const bucket = ms === 0 ? shortest : (buckets.get(bucketOf(family, ms)) ?? shortest);
    bucket.value += 1;
    sum.value += Math.round(ms);
  };
}

/** What was counted since it was last asked for, which begins anew; undefined when that is nothing. `now` is epoch milliseconds. */
export function takeCounts(now: number): Counts | undefined {
  takenAt = now;
  const taken = new Map<string, number>();
  for (const [name, counter] of counters) {
    if (counter.value > 0) taken.set(name, counter.value);
    counter.value = 0;
  }
  return taken.size === 0 ? undefined : taken;
}

/** When the counts were last taken, in epoch milliseconds; 0: never. */
export function countsTakenAt(): number {
  return takenAt;
}
