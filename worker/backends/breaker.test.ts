/**
 * A backend that keeps failing is left alone, tried again after a pause, and taken back at once when it answers.
 *
 * @module
 */
import { test } from "vitest";
import { createBreaker } from "./breaker.ts";

const LIMITS = { failures: 3, firstPauseMs: 1000, longestPauseMs: 4000 };
const fail = () => Promise.reject(new Error("gone"));
const succeed = () => Promise.resolve("answer");

function setUp() {
  const breaker = createBreaker("redis", LIMITS);
  let calls = 0;
  const ask = async (now: number, call: () => Promise<string>): Promise<string> => {
    try {
      return await breaker(now, () => {
        calls += 1;
        return call();
      });
    } catch (error) {
      return error instanceof Error ? error.name : "";
    }
  };
  return { ask, calls: () => calls };
}

test("failures that are not in a row never open it", async ({ expect }) => {
  const { ask, calls } = setUp();
  for (let round = 0; round < 10; round += 1) {
    await ask(round, fail);
    await ask(round, fail);
    expect(await ask(round, succeed)).toBe("answer");
  }
  expect(calls()).toBe(30);
});

test("after three failures nothing is asked until the pause is over; then one call tries again", async ({ expect }) => {
  const { ask, calls } = setUp();
  for (let round = 0; round < 3; round += 1) await ask(0, fail);
  expect(await ask(999, succeed)).toBe("BackendDown");
  expect(calls()).toBe(3);
  expect(await ask(1000, succeed)).toBe("answer");
  expect(await ask(1001, succeed)).toBe("answer");
  expect(calls()).toBe(5);
});

test("each try that fails doubles the pause, up to its longest", async ({ expect }) => {
  const { ask, calls } = setUp();
  for (let round = 0; round < 3; round += 1) await ask(0, fail);
  let now = 1000;
  for (const pause of [2000, 4000, 4000]) {
    await ask(now, fail);
    const asked = calls();
    await ask(now + pause - 1, succeed);
    expect(calls()).toBe(asked);
    now += pause;
  }
  expect(await ask(now, succeed)).toBe("answer");
});

test("while one call tries again, the others are turned away", async ({ expect }) => {
  const { ask, calls } = setUp();
  for (let round = 0; round < 3; round += 1) await ask(0, fail);
  const answers = await Promise.all([ask(1000, succeed), ask(1000, succeed), ask(1000, succeed)]);
  expect(answers).toEqual(["answer", "BackendDown", "BackendDown"]);
  expect(calls()).toBe(4);
});

test("calls that were under way when it opened do not lengthen the pause", async ({ expect }) => {
  const { ask } = setUp();
  await Promise.all(Array.from({ length: 50 }, () => ask(0, fail)));
  expect(await ask(1000, succeed)).toBe("answer");
});
