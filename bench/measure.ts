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
  return median(times);
}

/** The middle one of some figures. */
export function median(values: readonly number[]): number {
  return quantile(values, 1 / 2);
}

/** What a call costs in the quarter of rounds that the rest of the machine disturbed least: other work only ever adds. */
export function calm(costs: readonly number[]): number {
  return quantile(costs, 1 / 4);
}

function quantile(values: readonly number[], share: number): number {
  return values.toSorted((one, other) => one - other)[Math.floor(values.length * share)] ?? Number.NaN;
}

/** Prints one line of a report. */
export function print(line: string): void {
  process.stdout.write(`${line}\n`);
}
