/**
 * Neon's SQL over HTTP: `POST /sql` with one query, or with several as one transaction. Speaks the protocol and leaves the
 * work to an engine. What it answers was taken from Neon's own client, which reads it.
 *
 * @module
 */
import type { IncomingHttpHeaders } from "node:http";
import pg from "pg";
import { isRecord, parseJson } from "../../shared/json.ts";
import { type Handler, json, MAX_BYTES } from "../listener.ts";
import type { BatchOptions, Engine, Query, Result } from "./engine.ts";

/** Who may ask. */
export interface Credentials {
  readonly user: string;
  readonly password: string;
}

const ISOLATION: ReadonlyMap<string, string> = new Map([
  ["ReadUncommitted", "READ UNCOMMITTED"],
  ["ReadCommitted", "READ COMMITTED"],
  ["RepeatableRead", "REPEATABLE READ"],
  ["Serializable", "SERIALIZABLE"],
]);
/** The fields of Postgres' ErrorResponse that Neon passes on. */
const ERROR_FIELDS = [
  "severity",
  "code",
  "detail",
  "hint",
  "position",
  "internalPosition",
  "internalQuery",
  "where",
  "schema",
  "table",
  "column",
  "dataType",
  "constraint",
  "file",
  "line",
  "routine",
] as const;

/** Builds the handler over an engine. */
export function neonHandler(engine: Engine, credentials: Credentials): Handler {
  return async ({ method, path, headers, body }) => {
    if (method !== "POST" || path !== "/sql") return json(404, { message: "Not found" });
    if (!mayConnect(headers, credentials)) {
      const message = `password authentication failed for user '${credentials.user}'`;
      return json(400, { message, code: "28P01", severity: "FATAL" });
    }
    const asked = readRequest(body);
    if (asked === undefined) return json(400, { message: "invalid request body" });
    try {
      const answer = json(200, await answerOf(engine, asked, headers));
      if (Buffer.byteLength(answer.body) <= MAX_BYTES) return answer;
      return json(507, { message: `response is too large (max is ${MAX_BYTES} bytes)` });
    } catch (error) {
      if (error instanceof pg.DatabaseError) return json(400, failure(error));
      return json(500, { message: error instanceof Error ? error.message : String(error) });
    }
  };
}

async function answerOf(engine: Engine, asked: Query | Query[], headers: IncomingHttpHeaders): Promise<unknown> {
  const arrays = headers["neon-array-mode"] === "true";
  if (!Array.isArray(asked)) return shown(await engine.run(asked), arrays);
  const results = await engine.runBatch(asked, batchOptions(headers));
  return { results: results.map((result) => shown(result, arrays)) };
}

function mayConnect(headers: IncomingHttpHeaders, { user, password }: Credentials): boolean {
  const header = headers["neon-connection-string"];
  if (typeof header !== "string" || !URL.canParse(header)) return false;
  const url = new URL(header);
  return decodeURIComponent(url.username) === user && decodeURIComponent(url.password) === password;
}

function readRequest(body: string): Query | Query[] | undefined {
  const value = parseJson(body);
  if (!isRecord(value)) return undefined;
  const { queries } = value;
  if (!Array.isArray(queries)) return readQuery(value);
  const list: readonly unknown[] = queries;
  const read = list.map((item) => (isRecord(item) ? readQuery(item) : undefined));
  return read.every((query) => query !== undefined) ? read : undefined;
}

function readQuery(value: Readonly<Record<string, unknown>>): Query | undefined {
  const { query, params = [] } = value;
  if (typeof query !== "string" || !Array.isArray(params)) return undefined;
  const list: readonly unknown[] = params;
  return { text: query, params: list.map((param) => asText(param)) };
}

/** Neon hands a parameter on as text: JSON where it is neither text nor a number nor a truth. */
function asText(param: unknown): string | null {
  if (param === null || param === undefined) return null;
  if (typeof param === "string") return param;
  if (typeof param === "number" || typeof param === "boolean") return String(param);
  return JSON.stringify(param);
}

function batchOptions(headers: IncomingHttpHeaders): BatchOptions {
  return {
    isolation: ISOLATION.get(String(headers["neon-batch-isolation-level"])),
    readOnly: headers["neon-batch-read-only"] === "true",
    deferrable: headers["neon-batch-deferrable"] === "true",
  };
}

function shown(result: Result, arrays: boolean): unknown {
  const names = result.fields.map((field) => field.name);
  return {
    command: result.command,
    rowCount: result.rowCount,
    rows: arrays ? result.rows : result.rows.map((row) => Object.fromEntries(names.map((name, at) => [name, row[at]]))),
    fields: result.fields,
    rowAsArray: arrays,
  };
}

function failure(error: pg.DatabaseError): Record<string, unknown> {
  return { message: error.message, ...Object.fromEntries(ERROR_FIELDS.map((name) => [name, error[name]])) };
}
