/**
 * The pauses are those that Standard Webhooks recommends, longer by chance, and end.
 *
 * @module
 */
import { test } from "vitest";
import { MAX_ATTEMPTS, nextAttemptAt } from "./schedule.ts";

const NOW = 1_796_000_000_000;
/** Seconds: 5 s, 5 min, 30 min, 2 h, 5 h, 10 h, 14 h, 20 h, 24 h. */
const PAUSES = [5, 300, 1800, 7200, 18_000, 36_000, 50_400, 72_000, 86_400];

test("nine pauses, each as recommended or up to a fifth longer", ({ expect }) => {
  for (const [index, seconds] of PAUSES.entries()) {
    expect(nextAttemptAt(index + 1, NOW, () => 0)).toBe(NOW + seconds * 1000);
    expect(nextAttemptAt(index + 1, NOW, () => 1)).toBe(NOW + seconds * 1200);
  }
  expect(MAX_ATTEMPTS).toBe(10);
  expect(nextAttemptAt(MAX_ATTEMPTS, NOW, () => 0)).toBeNull();
});

test("a receiver may ask for a longer pause, up to a day, and for no shorter one", ({ expect }) => {
  expect(nextAttemptAt(1, NOW, () => 0, 60_000)).toBe(NOW + 60_000);
  expect(nextAttemptAt(1, NOW, () => 0, 1000)).toBe(NOW + 5000);
  expect(nextAttemptAt(1, NOW, () => 0, 999_999_000)).toBe(NOW + 86_400_000);
});
