/**
 * Time of a piece of work, beside a baseline of the same run: a ratio survives a slow or busy machine, a figure does not.
 *
 * @module
 */

/** Rounds of which the median counts; one before them warms up. */
const ROUNDS = 5;

/** Nanoseconds for one of `count` items that `run` works through: the median of five rounds. */
export function nanosecondsEach(count: number, run: () => void): number {
  run();
  const times = Array.from({ length: ROUNDS }, () => {
    const start = performance.now();
    run();
    return ((performance.now() - start) * 1e6) / count;
  });
  return times.toSorted((one, other) => one - other)[Math.floor(ROUNDS / 2)] ?? 0;
}

/** Prints one line of a report. */
export function print(line: string): void {
  process.stdout.write(`${line}\n`);
}
