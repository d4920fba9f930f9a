/**
 * Misses are forgotten after 90 days, and not before.
 *
 * @module
 */
import { test } from "vitest";
import { openDatabase } from "../testing/stack.ts";
import { forgetPastMisses } from "./misses.ts";
import { createMaintenanceStore } from "./store.ts";

test("misses of 90 days ago are kept, older ones forgotten, twice as well as once", async ({ expect }) => {
  const database = openDatabase();
  const { forgetMisses } = createMaintenanceStore(database);
  const days = ["2023-01-01", "2023-01-02"];
  for (const day of days) {
    await database.execute(`INSERT INTO code_misses VALUES ('${day}', 'kept.example.test', 'a', 1, '${day}')`);
  }
  const now = Date.parse("2023-04-02T12:00:00Z");
  for (const _ of ["once", "twice"]) {
    await forgetPastMisses(forgetMisses, now);
    const { rows } = await database.execute(
      "SELECT day::text AS day FROM code_misses WHERE domain = 'kept.example.test'",
    );
    expect(rows).toEqual([{ day: "2023-01-02" }]);
  }
});
