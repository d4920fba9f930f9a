/**
 * `npm run dlq -- list|replay`: the messages that nobody could handle, and a way to have them handled after all.
 *
 * @module
 */
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { neon, neonConfig } from "@neondatabase/serverless";
import { readSettings } from "./settings.ts";

const ROOT = fileURLToPath(new URL("..", import.meta.url));
const DEFAULT_LIMIT = 20;
const MAX_LIMIT = 1000;

const USAGE = `npm run dlq -- list [--limit N]
npm run dlq -- replay ID... | --all | --reason REASON

  list     shows dead letters, the newest first (${DEFAULT_LIMIT})
  replay   asks the Worker to send them again: its next run of cron does, within 5 minutes

  DATABASE_URL   the database, here or in .dev.vars`;

/** What was typed cannot be done; the message says what can. */
class UsageError extends Error {
  override readonly name = "UsageError";
}

type Query = (text: string, params: unknown[]) => Promise<Record<string, unknown>[]>;

function connect(): Query {
  const settings = readSettings(ROOT);
  const url = settings("DATABASE_URL");
  if (url === "") throw new UsageError("DATABASE_URL is not set.");
  const endpoint = settings("NEON_FETCH_ENDPOINT");
  if (endpoint !== "") neonConfig.fetchEndpoint = endpoint;
  const sql = neon(url);
  return (text, params) => sql.query(text, params);
}

async function list(limit: string | undefined): Promise<void> {
  const rows = limit === undefined ? DEFAULT_LIMIT : Number(limit);
  if (!Number.isInteger(rows) || rows < 1 || rows > MAX_LIMIT) {
    throw new UsageError(`--limit takes a whole number from 1 to ${MAX_LIMIT}.`);
  }
  const letters = await connect()(
    `SELECT queue, message_id, reason, attempts, buried_at, replay_requested, length(body) AS size
     FROM dead_letters ORDER BY buried_at DESC, message_id LIMIT $1`,
    [rows],
  );
  if (letters.length === 0) console.log("There are no dead letters.");
  for (const letter of letters) {
    const buriedAt =
      letter["buried_at"] instanceof Date ? letter["buried_at"].toISOString() : String(letter["buried_at"]);
    const waits = letter["replay_requested"] === true ? "  (to be sent again)" : "";
    console.log(
      `${buriedAt}  ${String(letter["message_id"])}  ${String(letter["queue"])}  ${String(letter["size"])} characters, ${String(letter["attempts"])} attempts: ${String(letter["reason"])}${waits}`,
    );
  }
}

async function replay(ids: readonly string[], all: boolean, reason: string | undefined): Promise<void> {
  if ([ids.length > 0, all, reason !== undefined].filter(Boolean).length !== 1) {
    throw new UsageError("Name the letters, or say --all, or --reason with one of the reasons that `list` shows.");
  }
  const rows = await connect()(
    `UPDATE dead_letters SET replay_requested = true
     WHERE $1::boolean OR reason = $2::text OR message_id = ANY($3::text[]) RETURNING message_id`,
    [all, reason ?? null, ids],
  );
  const known = new Set(rows.map((row) => row["message_id"]));
  for (const id of ids) if (!known.has(id)) console.error(`There is no dead letter ${id}.`);
  console.log(`${rows.length} to be sent again with the next run of cron, within 5 minutes.`);
  if (ids.some((id) => !known.has(id))) process.exitCode = 1;
}

async function main(): Promise<void> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { limit: { type: "string" }, all: { type: "boolean" }, reason: { type: "string" } },
  });
  const [command, ...ids] = positionals;
  if (command === "list" && ids.length === 0) await list(values.limit);
  else if (command === "replay") await replay(ids, values.all === true, values.reason);
  else throw new UsageError(USAGE);
}

await main().catch((error: unknown) => {
  console.error(error instanceof Error ? error.message : String(error));
  process.exitCode = 1;
});
