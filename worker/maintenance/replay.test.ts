/**
 * A dead letter that a person asked for is sent again and then forgotten; one that the queue does not take stays.
 *
 * @module
 */
import { test } from "vitest";
import { deadLetters } from "../backends/schema.ts";
import { openDatabase } from "../testing/stack.ts";
import { replayLetters } from "./replay.ts";
import { createMaintenanceStore } from "./store.ts";

const database = openDatabase();
const { letters } = createMaintenanceStore(database);

test("what was asked for is sent once, in the order in which it was buried; the rest stays", async ({ expect }) => {
  const run = crypto.randomUUID();
  const bury = (name: string, replayRequested: boolean, minute: number) =>
    database.insert(deadLetters).values({
      queue: run,
      messageId: name,
      body: `${run} ${name}`,
      reason: "test",
      attempts: 1,
      sentAt: new Date(0),
      buriedAt: new Date(Date.UTC(1999, 0, 1, 0, minute)),
      replayRequested,
    });
  await Promise.all([bury("b", true, 2), bury("a", true, 1), bury("huge", true, 0), bury("left", false, 0)]);
  const sent: string[] = [];
  const send = async (body: string): Promise<void> => {
    if (body.endsWith("huge")) throw new Error("too large");
    sent.push(body.slice(run.length + 1));
  };
  // Other tests mark letters of their own in this database.
  const readRequested = async (limit: number) =>
    (await letters.readRequested(limit)).filter(({ queue }) => queue === run);
  expect(await replayLetters({ ...letters, readRequested, send })).toBe(2);
  expect(await replayLetters({ ...letters, readRequested, send })).toBe(0);
  expect(sent).toEqual(["a", "b"]);
  const { rows } = await database.execute(`SELECT message_id FROM dead_letters WHERE queue = '${run}' ORDER BY 1`);
  expect(rows).toEqual([{ message_id: "huge" }, { message_id: "left" }]);
  await database.execute(`DELETE FROM dead_letters WHERE queue = '${run}'`);
});
