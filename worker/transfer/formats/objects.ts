/**
 * Objects of JSON Lines as links.
 *
 * @module
 */
import { formatOf } from "./detect.ts";
import { type Field, type Format, nameKey } from "./fields.ts";
import type { FormatName, ImportedRow } from "./format.ts";
import { type JsonRow, objectsOf } from "./jsonl.ts";
import { type LineReader, linkRow } from "./table.ts";

const SHOWN_NAMES = 20;

/** The names that an object has, and what follows from them. */
interface Shape {
  readonly names: readonly string[];
  readonly keys: readonly string[];
  readonly format: Format | undefined;
}

/** The reader of a file with an object a line. Objects of several services may stand in it. */
export function objectReader(given: FormatName | undefined): LineReader {
  // Nearly all objects of a file have the names of the one before.
  let last: Shape = { names: [], keys: [], format: undefined };

  function shapeOf(names: readonly string[]): Shape {
    const isSame = names.length === last.names.length && names.every((name, index) => name === last.names[index]);
    if (!isSame) last = { names, keys: names.map(nameKey), format: objectFormat(names, given) };
    return last;
  }

  function importedRow(row: JsonRow): ImportedRow {
    const { line } = row;
    if (row.kind === "broken") return { kind: "refused", line, message: row.message };
    const { names, keys, format } = shapeOf(Object.keys(row.object));
    if (format === undefined) {
      const found = names.slice(0, SHOWN_NAMES).join(", ");
      return { kind: "refused", line, message: `No field is a destination. The fields are: ${found}.` };
    }
    const fields = new Map<string, Field>();
    for (const [index, key] of keys.entries()) {
      const name = names[index] ?? "";
      if (!fields.has(key)) fields.set(key, { name, value: row.object[name] });
    }
    return linkRow(line, fields, format);
  }

  return { read: (lines) => lines.flatMap(objectsOf).map(importedRow), end: () => [] };
}

/** An object with just a `longUrl` and a few settings is one of ours. */
function objectFormat(names: readonly string[], given: FormatName | undefined): Format | undefined {
  const known = formatOf(names, given);
  return known?.name === "csv" && given === undefined ? (formatOf(names, "hop") ?? known) : known;
}
