/**
 * Clicks as CSV, which spreadsheets open. A visitor wrote some of it.
 *
 * @module
 */
import { csvLine } from "../../../shared/csv.ts";
import { type ClickShown, clickShown } from "../../../shared/schema/stats.ts";

/** In the order in which the contract names them. */
const COLUMNS = clickShown.keyof().options;

/** A header line and a line for each click; what is not known is empty. */
export function clicksAsCsv(clicks: readonly ClickShown[]): string {
  return [csvLine(COLUMNS), ...clicks.map((click) => csvLine(COLUMNS.map((column) => click[column] ?? "")))].join("");
}
