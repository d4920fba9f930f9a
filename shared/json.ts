/**
 * Reading JSON that somebody else wrote.
 *
 * @module
 */

/** An object whose fields are still unknown. */
export type JsonRecord = Readonly<Record<string, unknown>>;

/** The value of a JSON text, or undefined when it is none. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Whether a value is an object with named fields: not null, not a list. */
export function isRecord(value: unknown): value is JsonRecord {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
