/**
 * Applies the numbered SQL files of this folder to a database over Neon's HTTP protocol, the one that
 * production uses: in order, each once, each whole or not at all. Locally and in production alike.
 *
 * @module
 */
import { createHash } from "node:crypto";
import { readdir, readFile } from "node:fs/promises";
import { neon, NeonDbError, neonConfig } from "@neondatabase/serverless";

/** Where to apply: a Postgres connection string, and the SQL-over-HTTP endpoint when it is not Neon's own. */
export interface MigrationTarget {
  readonly connectionString: string;
  readonly fetchEndpoint?: string | undefined;
}

/** One file: its name, the SHA-256 of its bytes in hex, and its statements in order. */
interface Migration {
  readonly name: string;
  readonly sha256: string;
  readonly statements: readonly string[];
}

/** A file that was changed after it was applied, or one that is gone. Nothing was applied by the run that throws it. */
export class MigrationDrift extends Error {
  override readonly name = "MigrationDrift";
}

const FOLDER = new URL("./", import.meta.url);
const FILE_NAME = /^\d{4}_[a-z0-9_]+\.sql$/;
/** Neon takes one statement a query, so files are divided where drizzle-kit divides its own. */
const STATEMENT_BREAK = "--> statement-breakpoint";
/** Any number will do, as long as every runner uses it. */
const LOCK = "SELECT pg_advisory_xact_lock(7019238004)";
const UNIQUE_VIOLATION = "23505";

async function readMigrations(folder: URL): Promise<Migration[]> {
  const names = (await readdir(folder)).filter((name) => FILE_NAME.test(name)).toSorted();
  return Promise.all(
    names.map(async (name) => {
      const text = await readFile(new URL(name, folder), "utf8");
      const statements = text.split(STATEMENT_BREAK).map((statement) => statement.trim());
      return { name, sha256: createHash("sha256").update(text).digest("hex"), statements };
    }),
  );
}

function refuseDrift(files: readonly Migration[], applied: ReadonlyMap<string, string>): void {
  for (const [name, sha256] of applied) {
    const file = files.find((candidate) => candidate.name === name);
    if (file === undefined) {
      throw new MigrationDrift(`${name} was applied to this database but is not in migrations/. Bring the file back.`);
    }
    if (file.sha256 !== sha256) {
      throw new MigrationDrift(
        `${name} was changed after it was applied (${sha256.slice(0, 12)}… then, ${file.sha256.slice(0, 12)}… now). ` +
          "Restore it and put the change into a new file.",
      );
    }
  }
}

/**
 * Applies what is missing and answers the names of the files this run applied.
 *
 * Two runs at once are safe: each file is one transaction under an advisory lock, and the one that comes second
 * finds the name taken and goes on. Throws {@link MigrationDrift} before anything is applied when a known file has changed,
 * and whatever Postgres says when a statement fails; that file is then rolled back and those before it stand.
 */
export async function applyMigrations(
  target: MigrationTarget,
  folder: URL = FOLDER,
): Promise<{ readonly applied: readonly string[] }> {
  if (target.fetchEndpoint !== undefined) neonConfig.fetchEndpoint = target.fetchEndpoint;
  const sql = neon(target.connectionString);
  const files = await readMigrations(folder);

  await sql.transaction([
    sql.query(LOCK),
    sql`CREATE TABLE IF NOT EXISTS schema_migrations (
      name text PRIMARY KEY, sha256 text NOT NULL, applied_at timestamptz NOT NULL DEFAULT now())`,
  ]);

  const readApplied = async (): Promise<Map<string, string>> => {
    const rows = await sql`SELECT name, sha256 FROM schema_migrations`;
    return new Map(rows.map((row) => [String(row["name"]), String(row["sha256"])]));
  };

  let done = await readApplied();
  refuseDrift(files, done);
  const applied: string[] = [];
  for (const file of files) {
    if (done.has(file.name)) continue;
    try {
      await sql.transaction([
        sql.query(LOCK),
        sql`INSERT INTO schema_migrations (name, sha256) VALUES (${file.name}, ${file.sha256})`,
        ...file.statements.map((statement) => sql.query(statement)),
      ]);
      applied.push(file.name);
    } catch (error) {
      if (!isTakenName(error)) throw new Error(`${file.name} failed and was rolled back.`, { cause: error });
      done = await readApplied();
      refuseDrift(files, done);
    }
  }
  return { applied };
}

/** Another runner recorded this very name first. */
function isTakenName(error: unknown): boolean {
  return (
    error instanceof NeonDbError && error.code === UNIQUE_VIOLATION && error.constraint === "schema_migrations_pkey"
  );
}

async function main(): Promise<void> {
  const connectionString = process.env["DATABASE_URL"];
  if (connectionString === undefined || connectionString === "") {
    throw new Error(
      "DATABASE_URL is not set. Set it to the connection string that Neon shows (postgres://user:password@host/database).",
    );
  }
  const { applied } = await applyMigrations({ connectionString, fetchEndpoint: process.env["NEON_FETCH_ENDPOINT"] });
  console.log(applied.length === 0 ? "The database is up to date." : `Applied ${applied.join(", ")}.`);
}

/** What went wrong, and what the database said of it, without the connection string. */
function explain(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.cause instanceof Error ? `${error.message} ${error.cause.message}` : error.message;
}

if (import.meta.main) {
  try {
    await main();
  } catch (error) {
    console.error(`Migration failed: ${explain(error)}`);
    process.exitCode = 1;
  }
}
