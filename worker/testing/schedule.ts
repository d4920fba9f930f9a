/**
 * Runs a concurrent piece of work under every order in which its steps can happen. A step waits for its turn; which of the
 * waiting ones goes next is decided by the schedule, and schedules are gone through one by one (stateless depth-first search).
 *
 * @module
 */

/** Waits for the turn of one step. `name` tells it in the schedule that is printed. */
export type Turn = (name: string) => Promise<void>;

/** One run: what it did, and in which order. */
export interface Run<T> {
  readonly result: T;
  readonly order: readonly string[];
}

/** So many microtasks may pass between two steps. */
const SETTLE_ROUNDS = 60;

/**
 * Runs `work` under every schedule and gives each run to `judge`. Answers how many there were. `work` must do the same steps when its
 * steps happen in the same order.
 */
export async function explore<T>(
  work: (turn: Turn) => Promise<T>,
  judge: (run: Run<T>) => void | Promise<void>,
  maxRuns: number,
): Promise<number> {
  let choices: number[] = [];
  for (let runs = 1; ; runs += 1) {
    if (runs > maxRuns) throw new Error(`There are more than ${maxRuns} schedules.`);
    const { run, widths } = await runOnce(work, choices);
    await judge(run);
    const next = nextChoices(choices, widths);
    if (next === undefined) return runs;
    choices = next;
  }
}

async function runOnce<T>(
  work: (turn: Turn) => Promise<T>,
  choices: readonly number[],
): Promise<{ readonly run: Run<T>; readonly widths: readonly number[] }> {
  const waiting: { readonly name: string; readonly go: () => void }[] = [];
  const order: string[] = [];
  const widths: number[] = [];
  const outcome: { done: boolean } = { done: false };
  const running = work((name) => new Promise((go) => waiting.push({ name, go }))).finally(() => {
    outcome.done = true;
  });
  for (;;) {
    for (let round = 0; round < SETTLE_ROUNDS; round += 1) await Promise.resolve();
    const choice = choices[widths.length] ?? 0;
    const [step] = waiting.splice(choice, 1);
    if (step === undefined) break;
    widths.push(waiting.length + 1);
    order.push(step.name);
    step.go();
  }
  if (!outcome.done) throw new Error(`Nothing waits for a turn, and yet the work is not done: ${order.join(" ")}`);
  return { run: { result: await running, order }, widths };
}

/** The next path through the tree of choices, or undefined when all were gone. */
function nextChoices(choices: readonly number[], widths: readonly number[]): number[] | undefined {
  for (let depth = widths.length - 1; depth >= 0; depth -= 1) {
    const choice = choices[depth] ?? 0;
    if (choice + 1 < (widths[depth] ?? 0)) {
      const path = Array.from({ length: depth }, (_, at) => choices[at] ?? 0);
      return [...path, choice + 1];
    }
  }
  return undefined;
}
