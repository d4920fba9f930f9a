/**
 * The API keys as whoever gives them out sees them. Each function is one statement.
 *
 * @module
 */
import { sql, type SQL } from "drizzle-orm";
import type { Scope } from "../../shared/api-key.ts";
import type { KeyShown } from "../../shared/schema/api-key.ts";
import { askDatabase as ask, type Database } from "../backends/postgres.ts";

/** A key that is to be. The key itself is not in it. */
export interface NewKey {
  readonly id: string;
  /** SHA-256 of the key, as hex. */
  readonly hash: string;
  readonly hint: string;
  readonly name: string;
  readonly scopes: readonly Scope[];
  /** Epoch milliseconds, or null. */
  readonly expiresAt: number | null;
}

/** The keys. Ids are UUIDs; every function rejects with `BackendDown` when the database cannot be asked. */
export interface KeyRegistry {
  /** Undefined when there are {@link MAX_KEYS} already. */
  create(key: NewKey, now: number): Promise<KeyShown | undefined>;
  /** The oldest first. */
  list(): Promise<readonly KeyShown[]>;
  /** Answers the SHA-256 (hex) of the key that is no more, or undefined when there was none. */
  revoke(id: string): Promise<string | undefined>;
}

/** So many keys there may be, so that a list of them has an end. */
export const MAX_KEYS = 1000;

/** Builds it. */
export function createKeyRegistry(database: Database): KeyRegistry {
  const all = <Shown>(statement: SQL): Promise<readonly Shown[]> =>
    ask(async () => {
      const { rows } = await database.execute<{ shown: Shown }>(statement);
      return rows.map(({ shown }) => shown);
    });
  return {
    async create({ id, hash, hint, name, scopes, expiresAt }, now) {
      const made = await all<KeyShown>(sql`
        INSERT INTO api_keys AS key (id, hash, hint, name, scopes, expires_at, created_at)
        SELECT ${id}::uuid, decode(${hash}, 'hex'), ${hint}, ${name},
          ARRAY(SELECT jsonb_array_elements_text(${JSON.stringify(scopes)}::jsonb)), ${instant(expiresAt)}, ${instant(now)}
        WHERE (SELECT count(*) FROM api_keys) < ${MAX_KEYS}
        RETURNING ${KEY} AS shown`);
      return made[0];
    },
    list: () => all<KeyShown>(sql`SELECT ${KEY} AS shown FROM api_keys AS key ORDER BY created_at, id`),
    async revoke(id) {
      const revoked = await all<string>(sql`
        DELETE FROM api_keys WHERE id = ${id}::uuid RETURNING encode(hash, 'hex') AS shown`);
      return revoked[0];
    },
  };
}

const timeOf = (column: string): SQL =>
  sql`to_char(${sql.raw(column)} AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;

/** In the form of `keyShown`, from `api_keys AS key`. */
const KEY = sql`jsonb_build_object('id', key.id, 'name', key.name, 'scopes', key.scopes, 'hint', key.hint,
  'expiresAt', ${timeOf("key.expires_at")}, 'lastUsedAt', ${timeOf("key.last_used_at")}, 'createdAt', ${timeOf("key.created_at")})`;

function instant(epochMs: number | null): SQL {
  return sql`${epochMs === null ? null : new Date(epochMs).toISOString()}::timestamptz`;
}
