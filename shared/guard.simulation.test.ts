/**
 * The guard by numbers: made-up codes hardly ever pass, real ones always do, and codes tell nothing of their neighbours.
 *
 * @module
 */
import { describe, test } from "vitest";
import { SAFE_ALPHABET } from "./alphabet.ts";
import { type CodeFormat, CODE_WIDTHS, createCodeBook, RESERVED_WORDS } from "./code.ts";
import { parseKey } from "./permutation.ts";
import { createSequence, idsOf } from "./sequence.ts";
import { compose, EPOCH_AT, LAYOUTS, tickAt } from "./snowflake.ts";
import { createDice } from "./testing/dice.ts";

const DAY_MS = 86_400_000;
const NOW_MS = 1_800_000_000_000;
const SHARDS = 4;
const SEED = 7;
const RANDOM_CODES = 10_000_000;
const REAL_CODES = 1_000_000;
const rules = { launchedAtMs: NOW_MS - 30 * DAY_MS, shards: SHARDS, reserved: RESERVED_WORDS };
const key = parseKey("00112233445566778899aabbccddeeff");
const keyed: CodeFormat = { layout: LAYOUTS.classic, alphabet: "safe", key };

/** A text of random symbols of the safe alphabet. */
function randomCode(dice: ReturnType<typeof createDice>, width: number): string {
  let code = "";
  for (let at = 0; at < width; at++) code += SAFE_ALPHABET.charAt(dice.below(SAFE_ALPHABET.length));
  return code;
}

describe("made-up codes", () => {
  test(
    "of 10 million with 11 characters at most 100 pass, a month after launch with 4 shards",
    { timeout: 60_000 },
    ({ expect }) => {
      const { prove } = createCodeBook([keyed], rules);
      const dice = createDice(SEED);
      let passed = 0;
      for (let turn = 0; turn < RANDOM_CODES; turn++) if (prove(randomCode(dice, 11), NOW_MS) !== undefined) passed++;
      // 30 days × 4 shards × 4,096 ids a millisecond of 55^11 codes: 30 are expected.
      expect(passed, `seed ${SEED}`).toBeLessThanOrEqual(100);
      expect(passed, `seed ${SEED}`).toBeGreaterThan(5);
    },
  );
});

describe("real codes", () => {
  test(
    "of 1 million, of any time since launch and any machine in use, none is refused",
    { timeout: 60_000 },
    ({ expect }) => {
      const { encode, prove } = createCodeBook([keyed], rules);
      const dice = createDice(SEED);
      const { classic } = LAYOUTS;
      const ageTicks = tickAt(classic, NOW_MS) - tickAt(classic, rules.launchedAtMs);
      let passed = 0;
      for (let turn = 0; turn < REAL_CODES; turn++) {
        const tick = tickAt(classic, NOW_MS) - dice.below(ageTicks + 1);
        const id = compose(classic, { tick, machine: dice.below(SHARDS), sequence: dice.below(4096) });
        if (prove(encode(id), NOW_MS) === id) passed++;
      }
      expect(passed, `seed ${SEED}`).toBe(REAL_CODES);
    },
  );

  test.for([LAYOUTS.classic, LAYOUTS.compact])(
    "$name: none that a sequence gives while its clock stands still",
    (layout, { expect }) => {
      const { encode, prove } = createCodeBook([{ layout, alphabet: "safe", key }], rules);
      const sequence = createSequence(layout, SHARDS - 1);
      let state = sequence.start(undefined);
      const codes = new Set<string>();
      for (;;) {
        const step = sequence.next(state, NOW_MS, 1024);
        if (step.kind === "refused" || codes.size >= 200_000) break;
        state = step.state;
        for (const id of idsOf(step.runs)) {
          const code = encode(id);
          codes.add(code);
          if (prove(code, NOW_MS) !== id) expect.fail(`id ${id} is refused`);
        }
      }
      expect(codes.size).toBe(200_704);
    },
  );
});

describe("neighbours", () => {
  test.for([LAYOUTS.classic, LAYOUTS.compact])(
    "$name codes of consecutive ids agree in each position as often as chance",
    (layout, { expect }) => {
      const { encode } = createCodeBook([{ layout, alphabet: "safe", key }], rules);
      const width = CODE_WIDTHS[layout.name];
      const pairs = 200_000;
      const agree = new Float64Array(width);
      const first = compose(layout, { tick: tickAt(layout, EPOCH_AT + 2 * 365 * DAY_MS), machine: 0, sequence: 0 });
      let before = encode(first);
      for (let pair = 1; pair <= pairs; pair++) {
        const code = encode(first + BigInt(pair));
        for (let at = 0; at < width; at++) if (code[at] === before[at]) agree[at] = (agree[at] ?? 0) + 1;
        before = code;
      }
      // The first digit of compact codes is not even (2^46 of 55^8 codes are used), so its chance is a little higher.
      const chance = 1 / SAFE_ALPHABET.length;
      const spread = 5 * Math.sqrt((chance * (1 - chance)) / pairs);
      agree.forEach((count, at) => {
        const expected = at === 0 ? chanceOfFirst(layout.totalBits, width) : chance;
        expect(Math.abs(count / pairs - expected), `position ${at}: ${count} of ${pairs}`).toBeLessThan(spread);
      });
    },
  );
});

/** How often the first digits of two random codes agree, where codes are the numbers below 2^46 or all of 55^11. */
function chanceOfFirst(bits: number, width: number): number {
  const base = SAFE_ALPHABET.length;
  const share = bits === 46 ? base ** (width - 1) / 2 ** 46 : 1 / base;
  const full = Math.floor(1 / share);
  return full * share ** 2 + (1 - full * share) ** 2;
}
