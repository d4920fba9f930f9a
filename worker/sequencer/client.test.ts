/**
 * The client finds ids where there are any, and says so when there are none.
 *
 * @module
 */
import { reset } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { beforeEach, test } from "vitest";
import { idsOf } from "../../shared/sequence.ts";
import { decompose, LAYOUTS } from "../../shared/snowflake.ts";
import { BackendDown } from "../../shared/backend-down.ts";
import { createNextIds } from "./client.ts";

beforeEach(reset);

const machineOf = (id: bigint | undefined): number | undefined =>
  id === undefined ? undefined : decompose(LAYOUTS.classic, id)?.machine;

test("the chosen machine gives the ids", async ({ expect }) => {
  for (const [choice, machine] of [
    [0, 0],
    [0.3, 1],
    [0.999, 3],
  ] as const) {
    const ids = idsOf(await createNextIds(env.SEQUENCER, 4, () => choice)(5));
    expect(ids).toHaveLength(5);
    expect(machineOf(ids[0])).toBe(machine);
  }
});

test("where one machine fails, the next one is asked", async ({ expect }) => {
  // Its object has served another machine id and refuses this one.
  await env.SEQUENCER.get(env.SEQUENCER.idFromName("machine-10")).next(11, 1);
  const ids = idsOf(await createNextIds(env.SEQUENCER, 20, () => 10 / 20)(1));
  expect(machineOf(ids[0])).toBe(11);
});

test("when no machine gives ids, the caller is told that a backend is down", async ({ expect }) => {
  await env.SEQUENCER.get(env.SEQUENCER.idFromName("machine-0")).next(900, 1);
  await expect(createNextIds(env.SEQUENCER, 1, () => 0)(1)).rejects.toBeInstanceOf(BackendDown);
});
