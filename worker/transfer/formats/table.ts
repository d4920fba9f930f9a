/**
 * Rows of a CSV as links: which delimiter it has, what its columns are called, and whether it has a header at all.
 *
 * @module
 */
import { plainText } from "../../../shared/csv.ts";
import { cellsOf, csvReader, type CsvRow } from "./csv.ts";
import { formatOf } from "./detect.ts";
import { type Field, fieldsOf, type Format, nameKey } from "./fields.ts";
import { FileRefused, type FormatName, type ImportedRow } from "./format.ts";
import type { Line } from "./lines.ts";

/** Reads the lines of a file in turn. */
export interface LineReader {
  readonly read: (lines: readonly Line[]) => readonly ImportedRow[];
  /** What is left when the file has ended. */
  readonly end: () => readonly ImportedRow[];
}

/** A comma as in RFC 4180; a semicolon where Excel's language has a decimal comma; a tab. */
export const DELIMITERS: readonly string[] = [",", ";", "\t"];

/** For a table of one column, whose URLs may have commas. */
const NO_DELIMITER = "\0";

const URL_START = /^\s*https?:\/\//i;
const SHOWN_NAMES = 20;
/** More are no table of links, and each row costs a look at every column. */
const MAX_COLUMNS = 1000;

/** What the first line tells of a table. */
interface Layout {
  readonly format: Format;
  readonly delimiter: string;
  readonly columns: readonly Column[];
  readonly hasHeader: boolean;
}

interface Column {
  readonly key: string;
  readonly name: string;
}

/**
 * The reader of a table. `first` is its first line that is not empty; the reader wants it and those behind it.
 *
 * @throws FileRefused when no column is known.
 */
export function tableReader(
  first: Line,
  given: FormatName | undefined,
  delimiters: readonly string[] = DELIMITERS,
): LineReader {
  const layout = layoutOf(first, given, delimiters);
  const csv = csvReader(layout.delimiter);
  let headerLeft = layout.hasHeader;
  let untold = !layout.hasHeader;

  function links(rows: readonly CsvRow[]): readonly ImportedRow[] {
    return rows.map((row) => {
      const imported = importedRow(row, layout);
      if (!untold || imported.kind === "refused") return imported;
      untold = false;
      const names = layout.columns.map(({ name }) => name).join(", ");
      const notes = [...imported.link.notes, `The file has no header line; its columns were taken for: ${names}.`];
      return { ...imported, link: { ...imported.link, notes } };
    });
  }

  return {
    read(lines) {
      const rows = csv.read(headerLeft ? lines.slice(1) : lines);
      if (lines.length > 0) headerLeft = false;
      return links(rows);
    },
    end: () => links(csv.end()),
  };
}

function layoutOf(first: Line, given: FormatName | undefined, delimiters: readonly string[]): Layout {
  const headers = delimiters
    .map((delimiter) => ({ delimiter, cells: cellsOf(first, delimiter) ?? [first.text] }))
    .toSorted((a, b) => b.cells.length - a.cells.length);
  if (headers.some(({ cells }) => cells.length > MAX_COLUMNS)) {
    throw new FileRefused(`The first line has more than ${MAX_COLUMNS} columns.`);
  }
  for (const { delimiter, cells } of headers) {
    const names = cells.map((cell) => cell.trim());
    const format = formatOf(names, given);
    if (format === undefined) continue;
    const columns = names.map((name) => ({ key: nameKey(name), name }));
    return { format, delimiter: columns.length === 1 ? NO_DELIMITER : delimiter, columns, hasHeader: true };
  }
  return headless(given, headers);
}

/** Lines of `url` or of `code,url`; whatever else has no header could be anything. */
function headless(
  given: FormatName | undefined,
  headers: readonly { readonly delimiter: string; readonly cells: readonly string[] }[],
): Layout {
  for (const { delimiter, cells } of headers) {
    const names = URL_START.test(cells[0] ?? "") ? ["url"] : ["code", "url"];
    const format = formatOf(names, given);
    if (format === undefined || !URL_START.test(cells[names.length - 1] ?? "") || cells.length > 2) continue;
    return { format, delimiter, columns: names.map((name) => ({ key: name, name })), hasHeader: false };
  }
  const found = headers[0]?.cells.slice(0, SHOWN_NAMES).map((cell) => cell.trim().slice(0, 50)) ?? [];
  const whose =
    given === undefined || given === "csv" ? "a destination, such as “url”" : `the destination as ${given} names it`;
  throw new FileRefused(`The first line names no column for ${whose}. Its columns are: ${found.join(", ")}.`);
}

function importedRow(row: CsvRow, { columns, format, hasHeader }: Layout): ImportedRow {
  const { line } = row;
  if (row.kind === "broken") return { kind: "refused", line, message: row.message };
  const { cells } = row;
  if (cells.slice(columns.length).some((cell) => cell.trim() !== "")) {
    const wanted = hasHeader ? `the header has ${columns.length}` : `the first row has ${columns.length}`;
    const message = `The row has ${cells.length} columns, ${wanted}. A value with the delimiter in it has to be in quotes.`;
    return { kind: "refused", line, message };
  }
  const fields = new Map<string, Field>();
  for (const [index, { key, name }] of columns.entries()) {
    const cell = cells[index] ?? "";
    if (cell === "" || key === "" || fields.has(key) || format.nothing?.includes(cell) === true) continue;
    fields.set(key, { name, value: format.harmless === true ? plainText(cell) : cell });
  }
  return linkRow(line, fields, format);
}

/** What a format makes of a row. */
export function linkRow(line: number, fields: ReadonlyMap<string, Field>, format: Format): ImportedRow {
  const link = format.link(fieldsOf(fields));
  return "refused" in link ? { kind: "refused", line, message: link.refused } : { kind: "link", line, link };
}
