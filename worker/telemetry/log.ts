/**
 * The one place that writes to the log: a JSON object a line, which Workers Logs indexes field by field.
 *
 * @module
 */

/** How much a line matters. */
export type Level = "info" | "warn" | "error";

/** What a line may carry besides its words: never a key, a password, a full address or a visitor's URL. */
export type LogFields = Readonly<Record<string, string | number | boolean | null>>;

/** Causes are followed this deep. */
const MAX_CAUSES = 3;
/** A database error can quote a whole statement. */
const MAX_CAUSE_CHARACTERS = 300;

/** Writes one line. `event` is a stable word to search for; `cause` is an error whose message and causes go along. */
export function log(level: Level, event: string, fields: LogFields = {}, cause?: unknown): void {
  const line = { level, event, ...fields, ...(cause === undefined ? {} : { cause: describe(cause) }) };
  console[level](JSON.stringify(line));
}

/** Writes a failure that a request met, whatever it was answered. */
export function reportError(event: string, fields: LogFields, cause: unknown): void {
  log("error", event, fields, cause);
}

/** The messages of an error and its causes, cut to size. A database error's parameters are not among them. */
function describe(cause: unknown): string {
  const parts: string[] = [];
  let current = cause;
  for (let depth = 0; depth < MAX_CAUSES && current !== undefined; depth += 1) {
    if (!(current instanceof Error)) {
      parts.push(typeof current === "string" ? current : typeof current);
      break;
    }
    parts.push(`${current.name}: ${withoutParameters(current.message)}`.slice(0, MAX_CAUSE_CHARACTERS));
    current = current.cause;
  }
  return parts.join(" < ");
}

/** drizzle puts a failed query and its parameters into the message; parameters may hold what a visitor sent. */
function withoutParameters(message: string): string {
  const end = message.indexOf("\nparams:");
  return end === -1 ? message : message.slice(0, end);
}
