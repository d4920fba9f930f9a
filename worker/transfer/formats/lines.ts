/**
 * Lines of text out of bytes that arrive in pieces. Everything is cut at line ends first, since no byte of a UTF-8 character
 * looks like one: a piece may end anywhere, and text that is no UTF-8 spoils one line, not the file.
 *
 * @module
 */
import { FileRefused } from "./format.ts";

/** The most bytes a line, and a CSV row of several lines, may have. A link at each of its limits has about 100 KiB. */
export const ROW_MAX_BYTES = 512 * 1024;

/** How much of a larger piece is looked at in one go. */
const PIECE_BYTES = 64 * 1024;

const LF = 0x0a;
const CR = 0x0d;

/** One line, without what ends it. */
export interface Line {
  /** From 1. LF, CR and CRLF each end a line, also inside a quoted cell. */
  readonly number: number;
  readonly text: string;
  /** What ended it; empty for a last line that nothing ends. */
  readonly end: "" | "\n" | "\r" | "\r\n";
  /** `encoding`: it is not UTF-8, and `text` has replacement characters; `length`: it was too long, and `text` is empty. */
  readonly fault?: "encoding" | "length";
}

/**
 * The lines of a file, some at a time. At most `ROW_MAX_BYTES` and a piece are held.
 *
 * @throws FileRefused when the first bytes show that it is no UTF-8 text.
 */
export async function* linesOf(body: ReadableStream<Uint8Array>): AsyncGenerator<readonly Line[]> {
  const cutter = lineCutter();
  for await (const chunk of body) {
    for (let at = 0; at < chunk.length; at += PIECE_BYTES) yield cutter.push(chunk.subarray(at, at + PIECE_BYTES));
  }
  yield cutter.end();
}

function lineCutter() {
  let held = new Uint8Array(PIECE_BYTES);
  let length = 0;
  let number = 1;
  /** Inside a line that is too long, of which nothing is kept. */
  let skipping = false;
  const decode = lineDecoder();

  function append(piece: Uint8Array): void {
    if (length + piece.length > held.length) {
      const larger = new Uint8Array(2 * (length + piece.length));
      larger.set(held.subarray(0, length));
      held = larger;
    }
    held.set(piece, length);
    length += piece.length;
  }

  /** Takes what ends at `end`, a place behind a line end or the end of the file. */
  function take(end: number): Line[] {
    const lines = decode(held.subarray(0, end), number);
    if (skipping && lines[0] !== undefined) {
      lines[0] = { number, text: "", end: lines[0].end, fault: "length" };
      skipping = false;
    }
    held.copyWithin(0, end, length);
    length -= end;
    number += lines.length;
    return lines;
  }

  return {
    push(piece: Uint8Array): Line[] {
      const searched = Math.max(0, length - 1);
      append(piece);
      const end = lastLineEnd(held, searched, length);
      const lines = end > 0 ? take(end) : [];
      // A CR in the last place may be half of a line end: it stays.
      const open = held[length - 1] === CR ? length - 1 : length;
      if (skipping || open > ROW_MAX_BYTES) {
        // The first bytes still tell what kind of file it is.
        if (number === 1 && !skipping) refuseOtherKinds(held.subarray(0, length));
        skipping = true;
        held.copyWithin(0, open, length);
        length -= open;
      }
      return lines;
    },
    end(): Line[] {
      return length > 0 || skipping ? take(length) : [];
    },
  };
}

/** The place behind the last whole line end at or after `from`; 0 when there is none. */
function lastLineEnd(bytes: Uint8Array, from: number, length: number): number {
  for (let at = length - 1; at >= from; at -= 1) {
    if (bytes[at] === LF || (bytes[at] === CR && at < length - 1)) return at + 1;
  }
  return 0;
}

/** Cuts bytes that end at a line end, or at the end of the file. */
function lineDecoder(): (bytes: Uint8Array, number: number) => Line[] {
  const strict = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
  const lenient = new TextDecoder("utf-8", { fatal: false, ignoreBOM: true });

  return (bytes, firstNumber) => {
    let rest = bytes;
    if (firstNumber === 1) {
      refuseOtherKinds(bytes);
      if (bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf) rest = bytes.subarray(3);
    }
    if (rest.length === 0 && bytes.length > 0) return [{ number: firstNumber, text: "", end: "" }];
    if (rest.length <= ROW_MAX_BYTES) {
      const text = decoded(strict, rest);
      if (text !== undefined) return cutText(text, firstNumber);
    }
    return cutBytes(rest, firstNumber, (line) => {
      if (line.length > ROW_MAX_BYTES) return { text: "", fault: "length" };
      const text = decoded(strict, line);
      return text === undefined ? { text: lenient.decode(line), fault: "encoding" } : { text };
    });
  };
}

function decoded(strict: TextDecoder, bytes: Uint8Array): string | undefined {
  try {
    return strict.decode(bytes);
  } catch {
    return undefined;
  }
}

function cutText(text: string, firstNumber: number): Line[] {
  const lines: Line[] = [];
  let start = 0;
  for (const match of text.matchAll(/\r\n|\n|\r/g)) {
    const end = match[0] === "\n" ? "\n" : match[0] === "\r" ? "\r" : "\r\n";
    lines.push({ number: firstNumber + lines.length, text: text.slice(start, match.index), end });
    start = match.index + end.length;
  }
  if (start < text.length || text.length === 0) {
    lines.push({ number: firstNumber + lines.length, text: text.slice(start), end: "" });
  }
  return lines;
}

function cutBytes(
  bytes: Uint8Array,
  firstNumber: number,
  read: (line: Uint8Array) => Pick<Line, "text" | "fault">,
): Line[] {
  const lines: Line[] = [];
  for (let start = 0; start < bytes.length;) {
    let at = start;
    while (at < bytes.length && bytes[at] !== LF && bytes[at] !== CR) at += 1;
    const end = at === bytes.length ? "" : bytes[at] === LF ? "\n" : bytes[at + 1] === LF ? "\r\n" : "\r";
    lines.push({ number: firstNumber + lines.length, ...read(bytes.subarray(start, at)), end });
    start = at + end.length;
  }
  return lines;
}

/** The first bytes of files that people send by mistake. */
const OTHER_KINDS: readonly (readonly [readonly number[], string])[] = [
  [[0xff, 0xfe], "The file is in UTF-16. Save it as UTF-8, in Excel as “CSV UTF-8”."],
  [[0xfe, 0xff], "The file is in UTF-16. Save it as UTF-8, in Excel as “CSV UTF-8”."],
  [[0x50, 0x4b, 0x03, 0x04], "The file is an Excel workbook or a ZIP archive. Save it as “CSV UTF-8”, or unpack it."],
  [[0x1f, 0x8b], "The file is compressed. Unpack it first."],
];

function refuseOtherKinds(bytes: Uint8Array): void {
  for (const [start, message] of OTHER_KINDS) {
    if (start.every((byte, index) => bytes[index] === byte)) throw new FileRefused(message);
  }
}
