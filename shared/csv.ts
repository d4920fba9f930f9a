/**
 * Writes CSV (RFC 4180) that spreadsheets open, and in which no text can become a formula.
 *
 * @module
 */

/**
 * What a spreadsheet could take for a formula (OWASP, CSV Injection: `=`, `+`, `-`, `@`, tab, CR, LF, and the full-width forms),
 * also behind white space, and any such text that already has quotes before it.
 */
const FORMULA = /^'*\s*[=+\-@\t\r\n＝＋－＠]/u;

/**
 * The text with a `'` before it when a spreadsheet could take it for a formula. Text that looks as if it had one gets one as
 * well, so that `plainText` takes off just what was put on.
 */
export function harmlessText(text: string): string {
  return FORMULA.test(text) ? `'${text}` : text;
}

/** What `harmlessText` was given. */
export function plainText(text: string): string {
  return text.startsWith("'") && FORMULA.test(text) ? text.slice(1) : text;
}

/** One row of CSV with its line end, CRLF as RFC 4180 has it. No cell can become a formula. */
export function csvLine(cells: readonly string[]): string {
  return `${cells.map(cellText).join(",")}\r\n`;
}

function cellText(text: string): string {
  const harmless = harmlessText(text);
  // Spaces at an end are quoted as well, since many programs strip bare ones.
  return /[",;\r\n\t]|^\s|\s$/u.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless;
}
