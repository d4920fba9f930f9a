/**
 * Asks the backends: whether they can be reached, let us in, and are prepared.
 *
 * @module
 */
import { createHash, randomUUID } from "node:crypto";
import { readdir, readFile } from "node:fs/promises";
import { neon, NeonDbError, neonConfig } from "@neondatabase/serverless";
import { Redis } from "@upstash/redis";
import { isRecord } from "../../shared/json.ts";
import type { Settings } from "../settings.ts";
import { CHECK_LIMIT_MS, type Finding, ok, problem, skipped, warning } from "./finding.ts";

const MIGRATIONS = new URL("../../migrations/", import.meta.url);
const WRONG_PASSWORD = "28P01";
const NO_DATABASE = "3D000";
const NO_TABLE = "42P01";

/** The database: reachable, migrated, with partitions ahead and no letters waiting. */
export async function checkDatabase(settings: Settings): Promise<Finding[]> {
  const url = settings("DATABASE_URL");
  if (!URL.canParse(url)) return [skipped("database", "no DATABASE_URL to ask", "Set DATABASE_URL.")];
  const endpoint = settings("NEON_FETCH_ENDPOINT");
  if (endpoint !== "") neonConfig.fetchEndpoint = endpoint;
  const sql = neon(url, { fetchOptions: { signal: AbortSignal.timeout(CHECK_LIMIT_MS) } });
  const ask = async (query: string): Promise<Record<string, unknown>[]> => sql.query(query);
  try {
    const [row] = await ask("SELECT current_setting('server_version') AS version");
    const found = ok("database", `PostgreSQL ${String(row?.["version"])} answers`);
    return [found, ...(await checkMigrations(ask)), ...(await checkPartitions(ask)), ...(await checkLetters(ask))];
  } catch (error) {
    return [explainDatabase(error)];
  }
}

function explainDatabase(error: unknown): Finding {
  const code = error instanceof NeonDbError ? error.code : undefined;
  if (code === WRONG_PASSWORD)
    return problem("database", "refuses the user or the password", "Copy the connection string from Neon anew.");
  if (code === NO_DATABASE)
    return problem("database", "there is no database of that name", "Correct the end of DATABASE_URL.");
  return problem("database", "cannot be reached", "Is the host in DATABASE_URL right, and the project not suspended?");
}

type Ask = (query: string) => Promise<Record<string, unknown>[]>;

async function checkMigrations(ask: Ask): Promise<Finding[]> {
  const names = (await readdir(MIGRATIONS)).filter((name) => name.endsWith(".sql")).toSorted();
  const applied = new Map((await readApplied(ask)).map((row) => [String(row["name"]), String(row["sha256"])]));
  const missing = names.filter((name) => !applied.has(name));
  for (const name of names) {
    const sha256 = createHash("sha256")
      .update(await readFile(new URL(name, MIGRATIONS)))
      .digest("hex");
    if (applied.has(name) && applied.get(name) !== sha256) {
      return [
        problem(
          "migrations",
          `${name} was changed after it was applied`,
          "Restore the file and put the change into a new one.",
        ),
      ];
    }
  }
  if (missing.length === 0) return [ok("migrations", `all ${names.length} are applied`)];
  return [
    problem("migrations", `not applied: ${missing.join(", ")}`, "Run: npm run migrate (npm run deploy does it too)"),
  ];
}

async function readApplied(ask: Ask): Promise<Record<string, unknown>[]> {
  try {
    return await ask("SELECT name, sha256 FROM schema_migrations");
  } catch (error) {
    if (error instanceof NeonDbError && error.code === NO_TABLE) return [];
    throw error;
  }
}

async function checkPartitions(ask: Ask): Promise<Finding[]> {
  const [row] = await ask(`SELECT to_regclass('click_logs') IS NOT NULL AS is_migrated,
    to_regclass('click_logs_' || to_char(now() AT TIME ZONE 'UTC' + interval '1 month', 'YYYY_MM')) IS NOT NULL AS has_next`);
  if (row?.["is_migrated"] !== true) return [];
  if (row["has_next"] === true) return [ok("partitions", "the coming month has its own")];
  return [
    warning("partitions", "the coming month has none yet", "The cron trigger makes them: is it deployed and running?"),
  ];
}

async function checkLetters(ask: Ask): Promise<Finding[]> {
  const [row] = await ask("SELECT to_regclass('dead_letters') IS NOT NULL AS is_migrated");
  if (row?.["is_migrated"] !== true) return [];
  const [count] = await ask("SELECT count(*) AS letters FROM dead_letters");
  const letters = Number(count?.["letters"]);
  if (letters === 0) return [ok("dead letters", "none")];
  return [
    warning("dead letters", `${letters} messages could not be handled`, "Look at the table dead_letters: it says why."),
  ];
}

/** Redis: reachable, and takes writes and scripts. */
export async function checkRedis(settings: Settings): Promise<Finding[]> {
  const [url, token] = [settings("UPSTASH_REDIS_REST_URL"), settings("UPSTASH_REDIS_REST_TOKEN")];
  if (!/^https?:/.test(url) || token === "")
    return [skipped("redis", "nothing to ask", "Set the two UPSTASH variables.")];
  const redis = new Redis({
    url,
    token,
    retry: false,
    enableTelemetry: false,
    signal: () => AbortSignal.timeout(CHECK_LIMIT_MS),
  });
  const key = `hop-doctor:${randomUUID()}`;
  try {
    const start = performance.now();
    await redis.ping();
    const tookMs = Math.round(performance.now() - start);
    await redis.eval("redis.call('SET', KEYS[1], 'x', 'EX', 10) return redis.call('DEL', KEYS[1])", [key], []);
    return [ok("redis", `answers in ${tookMs} ms and takes scripts`)];
  } catch (error) {
    return [explainRedis(error)];
  }
}

function explainRedis(error: unknown): Finding {
  const message = error instanceof Error ? error.message : "";
  if (/WRONGPASS|401|unauthorized/i.test(message))
    return problem("redis", "refuses the token", "Copy the REST token from Upstash anew.");
  if (/NOPERM|readonly|read-only/i.test(message))
    return problem("redis", "the token may only read", "Take the standard token, not the read-only one.");
  return problem("redis", "cannot be reached", "Is UPSTASH_REDIS_REST_URL right?");
}

/** A deployed service: it answers, and its ids and clocks are well. */
export async function checkService(address: string | undefined, settings: Settings): Promise<Finding[]> {
  if (address === undefined)
    return [skipped("service", "no address to ask", "Name it: npm run doctor -- --url https://go.example.com")];
  const ask = (path: string): Promise<Response> =>
    fetch(new URL(path, address), {
      headers: { Authorization: `Bearer ${settings("ADMIN_KEY")}` },
      signal: AbortSignal.timeout(CHECK_LIMIT_MS),
    });
  try {
    const answer = await ask("/healthz");
    const body: unknown = await answer.json();
    if (!answer.ok || !isRecord(body) || body["status"] !== "ok") throw new Error(`answered ${answer.status}`);
    const metrics = await ask("/metrics");
    if (metrics.status === 401)
      return [problem("service", "answers, but ADMIN_KEY is not its key", "Run: npx wrangler secret put ADMIN_KEY")];
    if (!metrics.ok)
      return [
        problem(
          "service",
          `runs, but answers ${metrics.status} where it needs its configuration`,
          "Look at its log: npx wrangler tail",
        ),
      ];
    return [ok("service", "answers"), ...sequencers(await metrics.text())];
  } catch {
    return [
      problem(
        "service",
        "does not answer",
        "Is it deployed, and does the domain lead to it? npx wrangler tail shows its log.",
      ),
    ];
  }
}

/** What the sequencers have counted, summed up from `/metrics`. */
function sequencers(metrics: string): Finding[] {
  const sum = (name: string): number => valuesOf(metrics, name).reduce((total, value) => total + value, 0);
  const [issued, rollbacks] = [sum("hop_ids_issued_total"), sum("hop_clock_rollbacks_total")];
  const [reserve, refusals, failovers] = [
    sum("hop_ids_from_reserve_total"),
    sum("hop_sequencer_refusals_total"),
    sum("hop_sequencer_failovers_total"),
  ];
  const drift = Math.max(0, ...valuesOf(metrics, "hop_clock_rollback_max_seconds"));
  const told = `${issued} issued; ${rollbacks} clock rollbacks of ${drift} s at most, ${reserve} from the reserve, ${refusals} refusals, ${failovers} failovers`;
  return [
    refusals === 0
      ? ok("ids", told)
      : warning("ids", told, "A clock went back farther than the reserve is wide; other sequencers took over."),
  ];
}

/** The samples of a metric. */
function valuesOf(metrics: string, name: string): number[] {
  return [...metrics.matchAll(new RegExp(`^${name}\\{[^}]*\\} (\\S+)$`, "gm"))].map((match) => Number(match[1]));
}
