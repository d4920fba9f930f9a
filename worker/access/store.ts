/**
 * The statements by which a caller's key is checked.
 *
 * @module
 */
import { sql } from "drizzle-orm";
import { isScope } from "../../shared/api-key.ts";
import { askDatabase as ask, type Database } from "../backends/postgres.ts";
import type { KnownKeysParts } from "./known-keys.ts";

/** A use that comes to be written after a later one, or within a minute of it, changes nothing. */
const USE_INTERVAL = sql`interval '1 minute'`;

/** Builds them; each rejects with `BackendDown` when the database cannot be asked. */
export function createKeyStore(database: Database): KnownKeysParts {
  return {
    readKey: (hash) =>
      ask(async () => {
        const { rows } = await database.execute<{
          id: string;
          scopes: string[];
          expires: string | null;
          used: string | null;
        }>(sql`
          SELECT id, to_jsonb(scopes) AS scopes, (extract(epoch FROM expires_at) * 1000)::bigint::text AS expires,
            (extract(epoch FROM last_used_at) * 1000)::bigint::text AS used
          FROM api_keys WHERE hash = decode(${hash}, 'hex')`);
        const [row] = rows;
        if (row === undefined) return null;
        return {
          id: row.id,
          scopes: row.scopes.filter((scope) => isScope(scope)),
          expiresAt: row.expires === null ? null : Number(row.expires),
          lastUsedAt: row.used === null ? null : Number(row.used),
        };
      }),
    noteUse: (id, now) =>
      ask(async () => {
        const at = sql`${new Date(now).toISOString()}::timestamptz`;
        await database.execute(sql`
          UPDATE api_keys SET last_used_at = ${at}
          WHERE id = ${id}::uuid AND (last_used_at IS NULL OR last_used_at <= ${at} - ${USE_INTERVAL})`);
      }),
  };
}
