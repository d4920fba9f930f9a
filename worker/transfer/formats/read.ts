/**
 * Reads a file of links, whatever its format, as it arrives.
 *
 * @module
 */
import { parseJson } from "../../../shared/json.ts";
import { FileRefused, type FormatName, type ImportedRow } from "./format.ts";
import { type Line, linesOf, ROW_MAX_BYTES } from "./lines.ts";
import { objectReader } from "./objects.ts";
import { type LineReader, tableReader } from "./table.ts";

/** What is known of a file before it is read. */
export interface ReadOptions {
  /** Undefined: told by the file's header or first object. */
  readonly format?: FormatName | undefined;
  /** The `Content-Type` of the request. */
  readonly contentType?: string | undefined;
}

/** Excel's own line above a header. */
const SEPARATOR_LINE = /^\s*"?sep=(.)"?\s*$/i;
const NOT_JSON_LINES =
  "The file is JSON over several lines. JSON Lines has one whole object on each line: `jq -c '.[]' file.json` makes them of a list.";

/**
 * The rows of a file, as they arrive; only what one row needs is held.
 *
 * @throws FileRefused when the file as a whole cannot be read: UTF-16, no known header, binary, empty.
 */
export async function* readImport(
  body: ReadableStream<Uint8Array>,
  options: ReadOptions = {},
): AsyncGenerator<ImportedRow> {
  const isJson = /json|ndjson/i.test(options.contentType ?? "");
  let reader: LineReader | undefined;
  let delimiter: string | undefined;
  for await (const lines of linesOf(body)) {
    let start = 0;
    while (reader === undefined && start < lines.length) {
      const line = lines[start];
      if (line === undefined) break;
      const separator = isJson ? null : SEPARATOR_LINE.exec(line.text);
      if (line.text.trim() === "" && line.fault === undefined) start += 1;
      else if (separator !== null && delimiter === undefined) {
        delimiter = separator[1];
        start += 1;
      } else reader = readerFor(line, options, isJson, delimiter);
    }
    if (reader !== undefined) yield* reader.read(start === 0 ? lines : lines.slice(start));
  }
  // No links give no lines of JSON.
  if (reader === undefined && !isJson) throw new FileRefused("The file is empty.");
  if (reader !== undefined) yield* reader.end();
}

function readerFor(first: Line, { format }: ReadOptions, isJson: boolean, delimiter: string | undefined): LineReader {
  if (first.fault === "length") throw new FileRefused(`The first line is longer than ${ROW_MAX_BYTES} bytes.`);
  if (first.fault === "encoding" || first.text.includes("\0")) {
    throw new FileRefused("The file is not text in UTF-8. Save it as UTF-8, in Excel as “CSV UTF-8”.");
  }
  if (!isJson && !/^\s*[[{]/.test(first.text)) {
    return tableReader(first, format, delimiter === undefined ? undefined : [delimiter]);
  }
  const isPartOfMore = /[[{,]\s*$/.test(first.text) && parseJson(first.text) === undefined;
  if (isPartOfMore) throw new FileRefused(NOT_JSON_LINES);
  return objectReader(format);
}
