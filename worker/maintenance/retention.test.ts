/**
 * Months of clicks are dropped when their time is over, and not a day before; the default partition is no hiding place.
 *
 * @module
 */
import { test } from "vitest";
import { openDatabase } from "../testing/stack.ts";
import { dropPastMonths } from "./partitions.ts";
import { createMaintenanceStore } from "./store.ts";

const database = openDatabase();
const { dropPartitions, makePartitions } = createMaintenanceStore(database);
/** Months of the past that no other test writes to. */
const APRIL = Date.UTC(2001, 3, 15);

async function clicksOf(link: number): Promise<unknown[]> {
  const { rows } = await database.execute<{ day: string }>(
    `SELECT (clicked_at AT TIME ZONE 'UTC')::date::text AS day FROM click_logs WHERE link_id = ${link} ORDER BY clicked_at`,
  );
  return rows.map(({ day }) => day);
}

test("what is older than the months that are kept is gone, and the rest stands", async ({ expect }) => {
  await makePartitions(Date.UTC(2001, 0, 1), 3);
  for (const day of ["2000-12-31", "2001-01-31", "2001-02-01", "2001-03-31"]) {
    await database.execute(
      `INSERT INTO click_logs (id, link_id, clicked_at) VALUES (gen_random_uuid(), 2001, '${day}T23:59:59Z')`,
    );
  }
  expect(await dropPastMonths(dropPartitions, null, APRIL)).toBe(0);
  expect(await dropPastMonths(dropPartitions, 3, APRIL)).toBe(0);
  expect(await clicksOf(2001)).toEqual(["2001-01-31", "2001-02-01", "2001-03-31"]);
  expect(await dropPastMonths(dropPartitions, 2, APRIL)).toBe(1);
  expect(await dropPastMonths(dropPartitions, 2, APRIL)).toBe(0);
  expect(await clicksOf(2001)).toEqual(["2001-02-01", "2001-03-31"]);
  expect(await dropPastMonths(dropPartitions, 1, Date.UTC(2001, 4, 1))).toBe(2);
});
