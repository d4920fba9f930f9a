/**
 * Any rules of a seed, for property tests.
 *
 * @module
 */
import { createDice, type Dice } from "./dice.ts";

/** A list that is not empty. */
type Some<Value> = readonly [Value, ...Value[]];

/** One to five rules with destinations out of some: of every kind, with conditions of every kind. */
export function rulesOfSeed(seed: number, urls: Some<string>) {
  const dice = createDice(seed);
  return some(dice, 5, () => (dice.below(3) === 0 ? splitOf(dice, urls) : ruleOf(dice, urls)));
}

function ruleOf(dice: Dice, urls: Some<string>) {
  return { if: conditionsOf(dice), then: dice.below(2) === 0 ? splitOf(dice, urls) : { longUrl: dice.pick(urls) } };
}

function splitOf(dice: Dice, urls: Some<string>) {
  return { split: some(dice, 5, () => ({ longUrl: dice.pick(urls), weight: 1 + dice.below(10_000) })) };
}

function conditionsOf(dice: Dice) {
  const devices = ["ios", "android", "mobile", "tablet", "desktop"] as const;
  const isNamed = () => dice.below(3) === 0;
  return {
    ...(isNamed() && { country: some(dice, 3, () => dice.pick(["CA", "DE", "US", "XK"])) }),
    ...(isNamed() && { device: some(dice, 3, () => dice.pick(devices)) }),
    ...(isNamed() && { language: some(dice, 3, () => dice.pick(["fr", "pt-BR", "zh-Hant", "de"])) }),
    ...(isNamed() && { after: dice.below(2 ** 32) * 1000 }),
    ...(isNamed() && { before: dice.below(2 ** 32) * 1000 }),
  };
}

function some<Value>(dice: Dice, most: number, make: () => Value): [Value, ...Value[]] {
  return [make(), ...Array.from({ length: dice.below(most) }, make)];
}
