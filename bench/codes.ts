/**
 * What does a code cost? Encode and permute, decode and prove, in nanoseconds, beside a bare hexadecimal text of
 * the same id and back, by the engine itself, in the same run. Goal: less than 1,000 ns each. Then all that a random code meets on a redirect: to be told apart.
 *
 * Run: `node bench/codes.ts`
 *
 * @module
 */
import { SAFE_ALPHABET } from "../shared/alphabet.ts";
import { ALPHABET_NAMES, CODE_WIDTHS, createCodeBook, RESERVED_WORDS } from "../shared/code.ts";
import { parseKey } from "../shared/permutation.ts";
import { compose, LAYOUT_NAMES, LAYOUTS, tickAt } from "../shared/snowflake.ts";
import { createDice } from "../shared/testing/dice.ts";
import { nanosecondsEach, print } from "./measure.ts";

const COUNT = 500_000;
const GOAL_NS = 1000;
const DAY_MS = 86_400_000;
const NOW_MS = 1_800_000_000_000;
const LAUNCHED_AT_MS = NOW_MS - 30 * DAY_MS;
const SHARDS = 4;
const key = parseKey("00112233445566778899aabbccddeeff");
const dice = createDice(1);

/** Random ids of the last thirty days. */
function someIds(layout: (typeof LAYOUTS)["classic"]): bigint[] {
  const ageTicks = tickAt(layout, NOW_MS) - tickAt(layout, LAUNCHED_AT_MS);
  return Array.from({ length: COUNT }, () =>
    compose(layout, {
      tick: tickAt(layout, NOW_MS) - dice.below(ageTicks),
      machine: dice.below(SHARDS),
      sequence: dice.below(layout.idsPerTick),
    }),
  );
}

function report(name: string, nanoseconds: number, baseline: number, goalNs?: number): void {
  const verdict =
    goalNs === undefined ? "" : nanoseconds < goalNs ? `  goal < ${goalNs} ns: met` : `  goal < ${goalNs} ns: MISSED`;
  print(
    `${name.padEnd(44)} ${nanoseconds.toFixed(0).padStart(5)} ns  ×${(nanoseconds / baseline).toFixed(2)}${verdict}`,
  );
}

/** What is measured ends here, so that no engine leaves it out. */
let sink = 0;

const numbers = someIds(LAYOUTS.classic);
const texts = numbers.map((id) => `0x${id.toString(16)}`);
const write = nanosecondsEach(COUNT, () => {
  for (const id of numbers) sink += id.toString(16).length;
});
const read = nanosecondsEach(COUNT, () => {
  for (const text of texts) sink += BigInt(text) > 0n ? 1 : 0;
});
print(`baseline: id.toString(16) ${write.toFixed(0)} ns, BigInt("0x…") ${read.toFixed(0)} ns`);

for (const name of LAYOUT_NAMES) {
  const layout = LAYOUTS[name];
  const ids = someIds(layout);
  for (const alphabet of ALPHABET_NAMES) {
    const rules = { launchedAtMs: LAUNCHED_AT_MS, shards: SHARDS, reserved: RESERVED_WORDS };
    const book = createCodeBook([{ layout, alphabet, key }], rules);
    const codes = ids.map((id) => book.encode(id));
    const encode = nanosecondsEach(COUNT, () => {
      for (const id of ids) sink += book.encode(id).length;
    });
    const prove = nanosecondsEach(COUNT, () => {
      for (const code of codes) sink += book.prove(code, NOW_MS) === undefined ? 0 : 1;
    });
    report(`${name}, ${alphabet}: encode + permute`, encode, write, GOAL_NS);
    report(`${name}, ${alphabet}: decode + check`, prove, read, GOAL_NS);
  }
}

const rules = { launchedAtMs: LAUNCHED_AT_MS, shards: SHARDS, reserved: RESERVED_WORDS };
const book = createCodeBook([{ layout: LAYOUTS.classic, alphabet: "safe", key }], rules);
const madeUp = Array.from({ length: COUNT }, () =>
  Array.from({ length: CODE_WIDTHS.classic }, () => SAFE_ALPHABET.charAt(dice.below(SAFE_ALPHABET.length))).join(""),
);
const chosen = madeUp.map((code) => `${code.slice(0, 5)}-${code.slice(5)}`);
const classifyMadeUp = nanosecondsEach(COUNT, () => {
  for (const code of madeUp) sink += book.classify(code).kind.length;
});
const classifyChosen = nanosecondsEach(COUNT, () => {
  for (const code of chosen) sink += book.classify(code).kind.length;
});
const refuse = nanosecondsEach(COUNT, () => {
  for (const code of madeUp) sink += book.prove(code, NOW_MS) === undefined ? 1 : 0;
});
report("classify a generated-looking segment", classifyMadeUp, read);
report("classify a custom one", classifyChosen, read);
report("refuse a made-up code", refuse, read, GOAL_NS);
if (sink === 0) print("nothing was measured");
