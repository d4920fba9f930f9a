/**
 * Visitors are forgotten after a week, and not before.
 *
 * @module
 */
import { test } from "vitest";
import { openDatabase } from "../testing/stack.ts";
import { createMaintenanceStore } from "./store.ts";
import { forgetPastVisitors } from "./visitors.ts";

test("the visitors of days a week past are forgotten, and those of later days are not", async ({ expect }) => {
  const database = openDatabase();
  const { forgetVisitors } = createMaintenanceStore(database);
  // A day of the past that no other test writes to.
  await database.execute(
    "INSERT INTO click_visitors VALUES ('1999-02-28', 1, 1), ('1999-02-28', 1, 2), ('1999-03-01', 1, 1), ('1999-03-08', 1, 1)",
  );
  const now = Date.UTC(1999, 2, 8, 0, 30);
  expect(await forgetPastVisitors(forgetVisitors, now)).toBe(2);
  expect(await forgetPastVisitors(forgetVisitors, now)).toBe(0);
  const { rows } = await database.execute("SELECT day::text FROM click_visitors WHERE day < '2000-01-01' ORDER BY day");
  expect(rows).toEqual([{ day: "1999-03-01" }, { day: "1999-03-08" }]);
});
