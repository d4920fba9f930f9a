/**
 * Times as services write them.
 *
 * @module
 */

const TIME_MAX = Date.UTC(9999, 11, 31, 23, 59, 59, 999);
/** Without a day that some months do not have. */
const PLAIN = /^\d{4}-\d\d-(?:[01]\d|2[0-8])T\d\d:\d\d:\d\d(?:\.\d{1,3})?Z$/;
const ISO =
  /^(\d{4})-(\d{2})-(\d{2})(?:[T ](\d{2}):(\d{2})(?::(\d{2})(?:[.,](\d{1,9}))?)?)? ?(Z|UTC|GMT|[+-]\d{2}:?(?:\d{2})?)?$/i;
/** `Jan 5, 2026`, `5 January 2026 10:00`, and what JavaScript and HTTP write: `Mon Jan 05 2026 10:00:00 GMT+0000 (…)`. */
const NAMED_MONTH =
  /^(?:[a-z]{3,9},? )?(?:(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]{0,6} \d{1,2}|\d{1,2} (?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]{0,6}),? \d{4}(?:,? \d{1,2}:\d{2}(?::\d{2})?(?: ?[ap]m)?)?(?: ?(?:GMT|UTC|Z)?(?:[+-]\d{4})?)?(?: \([^)]*\))?$/i;
/** Seconds until the year 2286, or milliseconds since 2001. */
const EPOCH = /^(\d{9,10}|\d{12,13})$/;

/**
 * Epoch milliseconds of a time as text or number: RFC 3339 and ISO 8601 with any offset, with a space in place of the T
 * and without seconds, a date alone, a date with the month's name, or a Unix time in seconds or milliseconds. Without an offset it is UTC. Undefined for
 * anything else: of `03/04/2025` nobody knows the month.
 */
export function timeOf(value: unknown): number | undefined {
  const text = typeof value === "number" ? String(value) : typeof value === "string" ? value.trim() : "";
  // What Hop and most others write.
  if (PLAIN.test(text)) return withinRange(Date.parse(text));
  if (EPOCH.test(text)) return Number(text) * (text.length > 10 ? 1 : 1000);
  const match = ISO.exec(text);
  if (match === null) return NAMED_MONTH.test(text) ? withinRange(Date.parse(withZone(text))) : undefined;
  const [, year = "", month = "", day = "", hour = "00", minute = "00", second = "00", fraction = "0"] = match;
  const date = `${year}-${month}-${day}`;
  const milliseconds = fraction.padEnd(3, "0").slice(0, 3);
  const at = Date.parse(`${date}T${hour}:${minute}:${second}.${milliseconds}${offsetOf(match[8])}`);
  // Date.parse lets the 31st of April be the 1st of May.
  const exists = day <= "28" || new Date(Date.parse(`${date}T00:00:00Z`) || 0).toISOString().startsWith(date);
  return exists ? withinRange(at) : undefined;
}

function withinRange(at: number): number | undefined {
  return at >= 0 && at <= TIME_MAX ? at : undefined;
}

function withZone(text: string): string {
  return /GMT|UTC|Z$|[+-]\d{4}/i.test(text) ? text : `${text} UTC`;
}

function offsetOf(written = "Z"): string {
  const match = /^([+-]\d{2}):?(\d{2})?$/.exec(written);
  return match === null ? "Z" : `${match[1]}:${match[2] ?? "00"}`;
}
