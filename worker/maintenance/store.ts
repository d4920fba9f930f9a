/**
 * The statements of maintenance.
 *
 * @module
 */
import { sql } from "drizzle-orm";
import { type Database, diagnose } from "../backends/postgres.ts";
import type { MakePartitions } from "./partitions.ts";

/** What maintenance asks of the database; each rejects with `BackendDown` when it cannot be asked. */
export interface MaintenanceStore {
  readonly makePartitions: MakePartitions;
}

/** Builds the store. */
export function createMaintenanceStore(database: Database): MaintenanceStore {
  return {
    async makePartitions(from, months) {
      const start = new Date(from).toISOString();
      try {
        const { rows } = await database.execute<{ made: string }>(sql`
          SELECT count(*) FILTER (WHERE make_click_partition(${start}::timestamptz + month * interval '1 month')) AS made
          FROM generate_series(0, ${months - 1}::int) AS month`);
        return Number(rows[0]?.made ?? 0);
      } catch (error) {
        const failure = diagnose(error);
        throw failure.kind === "down" ? failure.error : error;
      }
    },
  };
}
