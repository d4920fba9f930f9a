/**
 * Those that ask for one key at once cost one look-up, and none of them waits for one that will never end.
 *
 * @module
 */
import { test } from "vitest";
import { createJoin } from "./flight.ts";

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

test("500 that ask for one key at once share one look-up; another key has its own", async ({ expect }) => {
  const join = createJoin<string>(pause);
  let lookups = 0;
  const work = async (): Promise<string> => {
    lookups += 1;
    await pause(20);
    return "found";
  };
  const answers = await Promise.all(Array.from({ length: 500 }, () => join("a", 0, work)));
  expect(new Set(answers)).toEqual(new Set(["found"]));
  expect(lookups).toBe(1);
  await Promise.all([join("a", 1, work), join("b", 1, work)]);
  expect(lookups).toBe(3);
});

test("when the one that looks up fails, those that wait look up themselves", async ({ expect }) => {
  const join = createJoin<string>(() => Promise.resolve());
  const leader = join("a", 0, () => Promise.reject(new Error("gone")));
  const follower = join("a", 0, () => Promise.resolve("found"));
  await expect(leader).rejects.toThrow("gone");
  expect(await follower).toBe("found");
});

test("one whose request was cancelled is not waited for, and not for ever stood behind", async ({ expect }) => {
  const join = createJoin<string>(() => Promise.resolve());
  const never = new Promise<string>(() => {});
  void join("a", 0, () => never);
  expect(await join("a", 10, () => Promise.resolve("after a while"))).toBe("after a while");
  expect(await join("a", 3000, () => Promise.resolve("at once"))).toBe("at once");
});
