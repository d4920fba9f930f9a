/**
 * What the isolates have counted, as it stands added up.
 *
 * @module
 */
import { sql } from "drizzle-orm";
import { askDatabase, type Database } from "../../backends/postgres.ts";

/** Counters by name. */
export interface StoredCounts {
  readonly values: ReadonlyMap<string, number>;
  /** When clicks were last written, in epoch milliseconds; null: never. */
  readonly lastWrittenAt: number | null;
}

/** Reads all of them. Rejects with `BackendDown` when the database cannot be asked. */
export type ReadCounts = () => Promise<StoredCounts>;

/** Builds it. */
export function createReadCounts(database: Database): ReadCounts {
  return async () => {
    const { rows } = await askDatabase(() =>
      database.execute<{ name: string; value: string; at: string }>(
        sql`SELECT name, value::text AS value, (extract(epoch FROM updated_at) * 1000)::bigint::text AS at FROM metrics`,
      ),
    );
    const written = rows.find(({ name }) => name === "clicks:written");
    return {
      values: new Map(rows.map(({ name, value }) => [name, Number(value)])),
      lastWrittenAt: written === undefined ? null : Number(written.at),
    };
  };
}
