/**
 * Reads CSV as RFC 4180 has it and as spreadsheets write it: rows out of lines. What is written is in `shared/csv.ts`.
 *
 * Our own hundred lines rather than a package. csv-parse wants Node's Buffer, carried along as a polyfill in its build for browsers;
 * papaparse settles on one line end after its first look at the file, and takes no stream of the web's. Both hold a quote
 * that nothing closes until the file ends, where here it costs one row.
 *
 * @module
 */
import { type Line, ROW_MAX_BYTES } from "./lines.ts";

/** One row; `line` is where it begins. */
export type CsvRow =
  | { readonly kind: "cells"; readonly line: number; readonly cells: readonly string[] }
  | { readonly kind: "broken"; readonly line: number; readonly message: string };

/** Puts rows together. Rows of empty cells are left out. */
export interface CsvReader {
  readonly read: (lines: readonly Line[]) => readonly CsvRow[];
  /** What is left when the file has ended. */
  readonly end: () => readonly CsvRow[];
}

/** A row that is not whole yet. */
interface Open {
  /** Its cells so far; grows in place, since a row may have many cells and many lines. */
  readonly cells: string[];
  /** The cell whose quote is open. */
  readonly cell: string;
}

type Step =
  | { readonly kind: "row"; readonly cells: readonly string[] }
  | { readonly kind: "open"; readonly open: Open }
  | { readonly kind: "misquoted" };

const AGAIN_FREE_CHARACTERS = 8 * ROW_MAX_BYTES;
const MISQUOTED = "The row has text right behind a closing quote. A quote inside a quoted value is written twice.";
const UNCLOSED = "The row opens a quote that is not closed";

/**
 * A reader for one file. Where a row's quotes make no sense, or its quote is not closed before `ROW_MAX_BYTES` or the end of
 * the file, the row's first line is given up and reading goes on with the next: a stray quote costs one row, never the rest.
 */
export function csvReader(delimiter: string): CsvReader {
  let open: Open | undefined;
  /** The lines of the open row, and how long they are. */
  let held: Line[] = [];
  let heldCharacters = 0;
  // Reading again is paid out of what is read for the first time, so that no file costs much more than twice its length.
  let againLeft = AGAIN_FREE_CHARACTERS;

  function close(): Line[] {
    const lines = held;
    open = undefined;
    held = [];
    heldCharacters = 0;
    return lines;
  }

  /** Gives up the held row and returns the lines to read again. */
  function giveUp(rows: CsvRow[], message: string): readonly Line[] {
    const cost = heldCharacters;
    const [first, ...others] = close();
    if (first === undefined) return [];
    againLeft -= cost;
    const last = others.at(-1);
    if (againLeft >= 0 || last === undefined) {
      rows.push({ kind: "broken", line: first.number, message });
      return others;
    }
    rows.push({ kind: "broken", line: first.number, message: `${message} Lines up to ${last.number} were left out.` });
    return [];
  }

  /** Returns the lines to read again. */
  function readLine(line: Line, rows: CsvRow[]): readonly Line[] {
    held.push(line);
    heldCharacters += line.text.length + line.end.length;
    if (open === undefined && line.fault === "length") {
      return giveUp(rows, `The line is longer than ${ROW_MAX_BYTES} bytes.`);
    }
    if (heldCharacters > ROW_MAX_BYTES || line.fault === "length") {
      return giveUp(rows, `${UNCLOSED} within ${ROW_MAX_BYTES} bytes.`);
    }
    const step = stepOf(line, delimiter, open);
    switch (step.kind) {
      case "misquoted":
        return giveUp(rows, MISQUOTED);
      case "open":
        open = step.open;
        return [];
      case "row": {
        const lines = close();
        const isText = lines.every(({ fault }) => fault === undefined);
        const start = lines[0]?.number ?? line.number;
        if (!isText) rows.push({ kind: "broken", line: start, message: "The row is not UTF-8 text." });
        else if (step.cells.some((cell) => cell.trim() !== ""))
          rows.push({ kind: "cells", line: start, cells: step.cells });
        return [];
      }
    }
  }

  /** Reads lines; those to read again come before the ones behind them. */
  function readAll(lines: readonly Line[], rows: CsvRow[]): void {
    const stack = [lines.values()];
    for (let top = stack.at(-1); top !== undefined; top = stack.at(-1)) {
      const { value, done } = top.next();
      if (done === true) {
        stack.pop();
        continue;
      }
      const again = readLine(value, rows);
      if (again.length > 0) stack.push(again.values());
    }
  }

  return {
    read(lines) {
      const rows: CsvRow[] = [];
      const characters = lines.reduce((sum, { text, end }) => sum + text.length + end.length, 0);
      againLeft = Math.min(AGAIN_FREE_CHARACTERS, againLeft + characters);
      readAll(lines, rows);
      return rows;
    },
    end() {
      const rows: CsvRow[] = [];
      for (;;) {
        if (open === undefined) return rows;
        readAll(giveUp(rows, `${UNCLOSED} before the file ends.`), rows);
      }
    },
  };
}

/** The cells of one line on its own, or undefined when its quotes make no sense. */
export function cellsOf(line: Line, delimiter: string): readonly string[] | undefined {
  const step = stepOf(line, delimiter, undefined);
  return step.kind === "row" ? step.cells : undefined;
}

/** Reads one more line of a row. Spaces around a quoted cell are no part of it, as people write `a, "b, c"`; all others are. */
function stepOf({ text, end }: Line, delimiter: string, open: Open | undefined): Step {
  const cells = open?.cells ?? [];
  let at = 0;
  let cell = open?.cell;
  for (;;) {
    if (cell === undefined) {
      const start = behindSpaces(text, at);
      if (text[start] !== '"') {
        const until = text.indexOf(delimiter, at);
        cells.push(until < 0 ? text.slice(at) : text.slice(at, until));
        if (until < 0) return { kind: "row", cells };
        at = until + 1;
        continue;
      }
      at = start + 1;
      cell = "";
    }
    const quote = text.indexOf('"', at);
    if (quote < 0) return { kind: "open", open: { cells, cell: cell + text.slice(at) + end } };
    cell += text.slice(at, quote);
    at = quote + 1;
    if (text[at] === '"') {
      cell += '"';
      at += 1;
      continue;
    }
    cells.push(cell);
    cell = undefined;
    at = behindSpaces(text, at);
    if (at === text.length) return { kind: "row", cells };
    if (text[at] !== delimiter) return { kind: "misquoted" };
    at += 1;
  }
}

function behindSpaces(text: string, from: number): number {
  let at = from;
  while (text[at] === " ") at += 1;
  return at;
}
