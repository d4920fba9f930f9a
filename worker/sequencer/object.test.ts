/**
 * The object gives no id twice: not when it is evicted, aborted or asked by many at once.
 *
 * @module
 */
import { abortAllDurableObjects, evictDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { test } from "vitest";
import { idsOf } from "../../shared/sequence.ts";
import { decompose, LAYOUTS } from "../../shared/snowflake.ts";
import type { Sequencer, SequencerAnswer } from "./object.ts";

const open = (name: string): DurableObjectStub<Sequencer> => env.SEQUENCER.get(env.SEQUENCER.idFromName(name));

const take = async (object: DurableObjectStub<Sequencer>, machine: number, count: number): Promise<bigint[]> => {
  const answer: SequencerAnswer = await object.next({ layout: "classic", machine }, count, false);
  if (answer.kind === "refused") throw new Error(`refused: ${answer.reason}`);
  return idsOf(answer.runs);
};

test("ids rise and tell their machine", async ({ expect }) => {
  const object = open("rising");
  const ids = [...(await take(object, 7, 3)), ...(await take(object, 7, 1)), ...(await take(object, 7, 4096))];
  expect(new Set(ids).size).toBe(4100);
  expect(ids).toEqual([...ids].toSorted((a, b) => (a < b ? -1 : 1)));
  for (const id of ids) expect(decompose(LAYOUTS.classic, id)?.machine).toBe(7);
});

test("B219: nothing is given twice by an object that was evicted and lost its memory", async ({ expect }) => {
  const object = open("evicted");
  const seen: bigint[] = [];
  for (let round = 0; round < 10; round += 1) {
    seen.push(...(await take(object, 1, 100)));
    await evictDurableObject(object);
  }
  expect(new Set(seen).size).toBe(seen.length);
});

test("nothing is given twice by objects that are aborted while many ask", async ({ expect }) => {
  const seen: bigint[] = [];
  const failures: unknown[] = [];
  for (let round = 0; round < 8; round += 1) {
    const calls = Array.from({ length: 25 }, async () => {
      try {
        seen.push(...(await take(open("aborted"), 2, 10)));
      } catch (error) {
        failures.push(error);
      }
    });
    if (round % 2 === 1) await abortAllDurableObjects();
    await Promise.all(calls);
  }
  expect(seen.length).toBeGreaterThan(900);
  expect(new Set(seen).size).toBe(seen.length);
});

test("an object never serves a second machine id", async ({ expect }) => {
  const object = open("one machine");
  await take(object, 3, 1);
  await evictDurableObject(object);
  await expect(take(object, 4, 1)).rejects.toThrow("serves classic machine 3");
  expect(await take(object, 3, 1)).toHaveLength(1);
});

test.for([0, -1, 1.5, 4097, Number.NaN])("a count of %d is refused", async (count, { expect }) => {
  await expect(take(open("counts"), 5, count)).rejects.toThrow("1 to 4096");
});
