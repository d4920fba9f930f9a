/**
 * How many ids a second does the state machine give on one core? One at a time and a hundred at a time, beside a bare
 * counter of bigints in the same run. Goal: at least 5 million a second.
 *
 * Run: `node bench/sequence.ts`
 *
 * @module
 */
import { createSequence } from "../shared/sequence.ts";
import { LAYOUT_NAMES, LAYOUTS } from "../shared/snowflake.ts";
import { nanosecondsEach, print } from "./measure.ts";

const IDS = 1_000_000;
const GOAL_PER_SECOND = 5_000_000;
const NOW_MS = 1_800_000_000_000;

/** What is measured ends here, so that no engine leaves it out. */
let sink = 0n;

const baseline = nanosecondsEach(IDS, () => {
  let id = BigInt(NOW_MS);
  for (let given = 0; given < IDS; given++) sink = ++id;
});
print(`baseline: a bare counter, ${(1000 / baseline).toFixed(1)} million ids/s`);

for (const name of LAYOUT_NAMES) {
  const layout = LAYOUTS[name];
  const { start, next } = createSequence(layout, 1);
  for (const count of [1, 100]) {
    let writes = 0;
    const each = nanosecondsEach(IDS, () => {
      let state = start(undefined);
      writes = 0;
      for (let given = 0; given < IDS; given += count) {
        // The clock runs at the pace of a full machine, so that ids are never too far ahead of it.
        const nowMs = NOW_MS + Math.floor(given / layout.idsPerTick) * layout.tickMs;
        const step = next(state, nowMs, count);
        if (step.kind === "refused") throw new Error(`refused: ${step.reason}`);
        state = step.state;
        if (step.mark !== undefined) writes++;
        // Each id is made, as its receiver would.
        for (const run of step.runs) for (let at = 0; at < run.count; at++) sink = run.first + BigInt(at);
      }
    });
    const perSecond = 1e9 / each;
    const verdict = perSecond >= GOAL_PER_SECOND ? "met" : "MISSED";
    print(
      `${name}, next(${count})`.padEnd(20) +
        ` ${(perSecond / 1e6).toFixed(1).padStart(5)} million ids/s  ×${(baseline / each).toFixed(2)} of the counter` +
        `  ${writes} writes a million  goal 5 million: ${verdict}`,
    );
  }
}
if (sink === 0n) print("nothing was measured");
