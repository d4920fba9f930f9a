/**
 * A life in the world of the filter: one seed decides who does what when, and what goes wrong. For tests.
 *
 * @module
 */
import type { CodeKey } from "../../../shared/entry.ts";
import { createDice, type Dice } from "../../../shared/testing/dice.ts";
import { PULSE_MS } from "../../entries/filter-scripts.ts";
import type { Evaluate, Snapshot } from "./past.ts";
import { createWorld, type Tally, type World } from "./world.ts";

const START_AT = 1_800_000_000_000;
const ISOLATES = 3;
/** Room for more codes than live at once, and for those that are long gone. */
const CAPACITIES = [200, 250] as const;
const MAX_LIVING = 12;
/** More would only queue. */
const MAX_WAITING = 8;
const MAX_BUILDERS = 2;
const ROUNDS_OF_QUIET = 12;

/** What came of a life. */
export interface Lived {
  readonly falseNegatives: readonly string[];
  readonly tally: Tally;
  /** Whether a made-up code is turned away once everything is quiet again. */
  readonly guardsAgain: boolean;
}

function keyOf(number: number): CodeKey {
  return { domain: "go.example.com", code: `code-${number}` };
}

/** Lives `events` events long. The same seed lives the same life. */
export async function live(evaluate: Evaluate, prefix: string, seed: number, events: number): Promise<Lived> {
  const dice = createDice(seed);
  const world = createWorld(evaluate, prefix, dice, START_AT);
  const isolates = Array.from({ length: ISOLATES }, () => world.isolate());
  const anyone = () => isolates[dice.below(ISOLATES)] ?? world.isolate();
  let capacity: number = CAPACITIES[0];
  let [codes, builders] = [0, 0];

  const quiet = async (): Promise<void> => {
    while (world.waiting() > 0) await world.step();
  };
  const rebuild = async (): Promise<void> => {
    builders += 1;
    try {
      await world.rebuild(capacity);
    } finally {
      builders = Math.max(0, builders - 1);
    }
  };
  /** Mostly a code that is not in the filter yet: the bits of one that was deleted are still there. */
  const someCode = (newOnesIn10: number): CodeKey => {
    if (dice.below(10) < newOnesIn10) return keyOf((codes += 1));
    return world.truth.living()[dice.below(Math.max(1, world.truth.living().length))] ?? keyOf(codes);
  };
  const unlucky = createMisfortune(world, dice, () => {
    isolates[dice.below(ISOLATES)] = world.isolate();
  });
  const event = async (): Promise<void> => {
    const kind = dice.below(100);
    const isFree = world.waiting() < MAX_WAITING;
    if (kind < 7 && isFree) want(world.create(anyone(), someCode(8)));
    else if (kind < 27 && isFree) want(world.lookup(anyone(), someCode(7)));
    else if (kind < 31 && builders < MAX_BUILDERS) want(rebuild());
    else if (kind < 35 && world.truth.living().length > MAX_LIVING) world.truth.remove(someCode(0).code);
    else if (kind < 36) await unlucky();
    else if (kind < 37) await world.audit();
    else if (kind < 38) capacity = dice.pick(CAPACITIES);
    else if (kind === 38 && world.waiting() > 0 && dice.below(4) === 0) {
      // Perhaps it was a builder's, who then never ends.
      world.forsake();
      builders = 0;
    } else if (kind < 43) world.advance(dice.below(dice.below(50) === 0 ? 4000 : 250));
    else if (world.waiting() > 0) await world.step();
  };
  /** Whether a made-up code is turned away, after what a quiet minute mends. */
  const mend = async (): Promise<boolean> => {
    for (let round = 0; round < ROUNDS_OF_QUIET; round += 1) {
      want(world.rebuild(capacity));
      await quiet();
      const { absent } = world.tally;
      for (const key of [keyOf((codes += 1)), keyOf((codes += 1))]) {
        want(world.lookup(anyone(), key));
        await quiet();
        world.advance(100);
      }
      await world.audit();
      if (world.tally.absent > absent) return true;
      world.advance(2000);
    }
    return false;
  };

  await mend();
  for (let count = 0; count < events; count += 1) await event();
  await quiet();
  const guardsAgain = await mend();
  await world.past.flush();
  return { falseNegatives: world.falseNegatives, tally: world.tally, guardsAgain };
}

/** A backend that is down is nothing that the others should hear of. */
function want(work: Promise<unknown>): void {
  work.catch(() => {});
}

/** Something that befalls Redis, or an isolate. */
function createMisfortune(world: World, dice: Dice, replaceIsolate: () => void): () => Promise<void> {
  let snapshot: { readonly taken: Snapshot; readonly at: number } | undefined;
  const keep = async (): Promise<void> => {
    const taken = await world.past.keep();
    // Most of those worth bringing back are of a filter that serves.
    if (taken.isServing || dice.below(6) === 0) snapshot = { taken, at: world.now() };
  };
  /** To bring Redis back to an earlier state takes a while. */
  const bringBack = async ({ taken, at }: NonNullable<typeof snapshot>): Promise<void> => {
    world.advance(Math.max(0, at + PULSE_MS + 1 - world.now()));
    await world.past.restore(taken);
    if (dice.below(4) === 0) await world.audit();
  };
  return async () => {
    const fate = dice.below(40);
    if (fate === 0) await world.past.flush();
    else if (fate === 1) await world.past.lose("meta");
    else if (fate === 2) await world.past.lose("block");
    else if (fate < 5) replaceIsolate();
    else if (fate < 20 || snapshot === undefined) await keep();
    else await bringBack(snapshot);
  };
}
