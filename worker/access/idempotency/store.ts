/**
 * What POSTs with an Idempotency-Key came to, in `idempotency_keys`. Each function is one statement.
 *
 * @module
 */
import { sql, type SQL } from "drizzle-orm";
import { askDatabase as ask, type Database } from "../../backends/postgres.ts";

/** A request that wants to be the only one with its caller and key. */
export interface Claim {
  /** The id of the API key that calls. */
  readonly caller: string;
  /** The Idempotency-Key. */
  readonly key: string;
  /** What is asked for, as hex. */
  readonly fingerprint: string;
  /** A UUID of this request. */
  readonly holder: string;
}

/** What stands there already. */
export interface Earlier {
  readonly fingerprint: string;
  /** As hex; null while the first still runs. */
  readonly answer: string | null;
}

/** The rows. Times are epoch milliseconds; every function rejects with `BackendDown` when the database cannot be asked. */
export interface IdempotencyStore {
  /**
   * Makes the claim, which holds until `leaseUntil`. Of all who claim at once one gets it. A claim whose lease is over falls to whoever
   * asks for the same, and one of 24 hours ago to anybody. "running": another one has just begun.
   */
  readonly claim: (claim: Claim, now: number, leaseUntil: number) => Promise<"claimed" | "running" | Earlier>;
  /** Keeps the answer (hex), unless the claim was lost meanwhile. */
  readonly keep: (claim: Claim, answer: string) => Promise<void>;
  /** Gives the claim up, so that the next one may run. */
  readonly release: (claim: Claim) => Promise<void>;
  /** Forgets up to `limit` rows from before a time; answers how many. */
  readonly forget: (before: number, limit: number) => Promise<number>;
}

/** For so long a first answer is kept. */
export const KEPT_MS = 24 * 60 * 60 * 1000;

/** Builds it. */
export function createIdempotencyStore(database: Database): IdempotencyStore {
  return {
    claim: (claim, now, leaseUntil) =>
      ask(async () => {
        const { rows } = await database.execute<{ claimed: boolean; fingerprint: string; answer: string | null }>(
          claimStatement(claim, now, leaseUntil),
        );
        const [row] = rows;
        // Neither made nor seen: it came to be between the start of this statement and its insertion.
        if (row === undefined) return "running";
        return row.claimed ? "claimed" : { fingerprint: row.fingerprint, answer: row.answer };
      }),
    keep: (claim, answer) =>
      ask(async () => {
        await database.execute(
          sql`UPDATE idempotency_keys SET answer = decode(${answer}, 'hex') WHERE ${isHeld(claim)}`,
        );
      }),
    release: (claim) =>
      ask(async () => {
        await database.execute(sql`DELETE FROM idempotency_keys WHERE ${isHeld(claim)}`);
      }),
    forget: (before, limit) =>
      ask(async () => {
        const { rows } = await database.execute<{ forgotten: number }>(sql`
          WITH forgotten AS (
            DELETE FROM idempotency_keys
            WHERE created_at <= ${instant(before)}
              AND ctid = ANY(ARRAY(SELECT ctid FROM idempotency_keys WHERE created_at <= ${instant(before)} ORDER BY created_at LIMIT ${limit}))
            RETURNING 1
          )
          SELECT count(*)::int AS forgotten FROM forgotten`);
        return rows[0]?.forgotten ?? 0;
      }),
  };
}

function claimStatement({ caller, key, fingerprint, holder }: Claim, now: number, leaseUntil: number): SQL {
  return sql`
    WITH claimed AS (
      INSERT INTO idempotency_keys AS row (caller, key, fingerprint, holder, lease_until, created_at)
      VALUES (${caller}, ${key}, decode(${fingerprint}, 'hex'), ${holder}::uuid, ${instant(leaseUntil)}, ${instant(now)})
      ON CONFLICT (caller, key) DO UPDATE SET
        fingerprint = excluded.fingerprint, holder = excluded.holder, lease_until = excluded.lease_until,
        answer = NULL, created_at = excluded.created_at
      WHERE row.created_at <= ${instant(now - KEPT_MS)}
        OR (row.answer IS NULL AND row.lease_until <= ${instant(now)} AND row.fingerprint = excluded.fingerprint)
      RETURNING true
    )
    SELECT true AS claimed, '' AS fingerprint, NULL AS answer FROM claimed
    UNION ALL
    SELECT false, encode(fingerprint, 'hex'), encode(answer, 'hex') FROM idempotency_keys
    WHERE caller = ${caller} AND key = ${key} AND NOT EXISTS (SELECT FROM claimed)`;
}

/** Whether the claim stands, and nothing was kept under it. */
function isHeld({ caller, key, holder }: Claim): SQL {
  return sql`caller = ${caller} AND key = ${key} AND holder = ${holder}::uuid AND answer IS NULL`;
}

function instant(epochMs: number): SQL {
  return sql`${new Date(epochMs).toISOString()}::timestamptz`;
}
