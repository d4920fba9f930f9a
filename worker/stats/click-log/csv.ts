/**
 * Clicks as CSV (RFC 4180), which spreadsheets open.
 *
 * @module
 */
import { type ClickShown, clickShown } from "../../../shared/schema/stats.ts";

/** In the order in which the contract names them. */
const COLUMNS = clickShown.keyof().options;

/** A header line and a line for each click; what is not known is empty. */
export function clicksAsCsv(clicks: readonly ClickShown[]): string {
  const lines = clicks.map((click) => COLUMNS.map((column) => field(click[column])).join(","));
  return [COLUMNS.join(","), ...lines, ""].join("\r\n");
}

/** A visitor wrote some of this: a spreadsheet must not take it for a formula (OWASP, "CSV Injection"), so such text begins with a quote. */
function field(value: string | null): string {
  if (value === null) return "";
  const inert = /^[=+\-@\t\r]/.test(value) ? `'${value}` : value;
  return /[",\r\n]/.test(inert) ? `"${inert.replaceAll('"', '""')}"` : inert;
}
