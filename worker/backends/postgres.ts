/**
 * Postgres over Neon's HTTP protocol: one request a statement, no connection to keep. Loaded only when it is asked,
 * since the driver and the SQL builder cost a cold start about 50 ms.
 *
 * @module
 */
import { neon, NeonDbError, neonConfig } from "@neondatabase/serverless";
import { DrizzleQueryError, sql } from "drizzle-orm";
import type { BatchItem } from "drizzle-orm/batch";
import { drizzle, type NeonHttpDatabase } from "drizzle-orm/neon-http";
import { BackendDown } from "../../shared/backend-down.ts";
import * as schema from "./schema.ts";

/** The SQL builder over a connection whose every statement has a time limit. */
export type Database = NeonHttpDatabase<typeof schema>;

/** Where the database is: `endpoint` only when it is not Neon's own. */
export interface DatabaseAddress {
  readonly url: string;
  readonly endpoint: string | null;
}

/** Postgres' classes of errors that say "not now" rather than "not like this" (appendix A of its manual). */
const PASSING_CLASSES = new Set(["08", "40", "53", "55", "57", "58", "XX"]);

/** Told what became of each statement that was sent: one that the database refused was answered. */
export type Tally = (outcome: "ok" | "failed") => void;

/** Builds the client. Holds no connection and nothing of a request, so one may serve many requests. */
export function connect(address: DatabaseAddress, limitMs: number, tally?: Tally): Database {
  if (address.endpoint !== null) neonConfig.fetchEndpoint = address.endpoint;
  // One for all clients of the isolate: the driver has no other place for it.
  if (tally !== undefined) neonConfig.fetchFunction = tallying(tally);
  // The driver spreads these options into each `fetch`, so the getter starts a new clock for each statement.
  const fetchOptions = {
    get signal(): AbortSignal {
      return AbortSignal.timeout(limitMs);
    },
  };
  return drizzle(neon(address.url, { fetchOptions, disableWarningInBrowsers: true }), { schema });
}

function tallying(tally: Tally): typeof fetch {
  return async (input, init) => {
    try {
      const response = await fetch(input, init);
      tally(response.status < 500 && response.status !== 429 ? "ok" : "failed");
      return response;
    } catch (error) {
      tally("failed");
      throw error;
    }
  };
}

/**
 * Runs an insertion while holding a lock that all who name it take in turn: both are one request, and one transaction. `isImport`: webhooks are
 * told of none of the rows (`migrations/0020_transfer.sql`).
 */
export async function insertUnderLock<T extends BatchItem<"pg">>(
  database: Database,
  lock: string,
  insertion: T,
  isImport = false,
): Promise<T["_"]["result"]> {
  try {
    const take = database.execute(
      sql`SELECT pg_advisory_xact_lock(hashtext(${lock})), set_config('hop.importing', ${isImport ? "on" : "off"}, true)`,
    );
    const [, inserted] = await database.batch([take, insertion]);
    return inserted;
  } catch (error) {
    // Of a transaction drizzle wraps nothing: what is no error of the database is something between us and it.
    throw error instanceof NeonDbError || !(error instanceof Error) ? error : new DrizzleQueryError(lock, [], error);
  }
}

/** Runs a statement. Rejects with `BackendDown` when the database cannot be asked, and else as the statement does. */
export async function askDatabase<T>(statement: () => Promise<T>): Promise<T> {
  try {
    return await statement();
  } catch (error) {
    const failure = diagnose(error);
    throw failure.kind === "down" ? failure.error : error;
  }
}

/** What a failed statement says of itself. */
export type DatabaseFailure =
  | { readonly kind: "down"; readonly error: BackendDown }
  | { readonly kind: "refused"; readonly sqlState: string; readonly constraint: string | undefined };

/**
 * Tells a database that could not be asked (or may say yes later) from one that refused the statement.
 * Anything that is not an error of the database is thrown on.
 */
export function diagnose(error: unknown): DatabaseFailure {
  const cause = error instanceof Error && !(error instanceof NeonDbError) ? error.cause : error;
  if (cause instanceof NeonDbError) {
    const sqlState = cause.code;
    if (sqlState !== undefined && !PASSING_CLASSES.has(sqlState.slice(0, 2))) {
      return { kind: "refused", sqlState, constraint: cause.constraint };
    }
    return { kind: "down", error: new BackendDown("postgres", cause) };
  }
  // Its answer was not JSON, or ended early: something between us and the database spoke.
  if (error instanceof DrizzleQueryError) {
    return { kind: "down", error: new BackendDown("postgres", cause) };
  }
  throw error;
}
