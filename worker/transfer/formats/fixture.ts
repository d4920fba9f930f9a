/**
 * Files for the tests of this folder: a text or bytes as a stream, cut wherever a test wants, and what is read from it.
 *
 * @module
 */
import type { ImportedLink, ImportedRow } from "./format.ts";
import { readImport, type ReadOptions } from "./read.ts";

/** The bytes as a stream of chunks of these sizes, the last of which is used again until the bytes end. */
export function streamOf(
  content: string | Uint8Array,
  sizes: readonly number[] = [1 << 20],
): ReadableStream<Uint8Array> {
  const bytes = typeof content === "string" ? new TextEncoder().encode(content) : content;
  let at = 0;
  let turn = 0;
  return new ReadableStream({
    pull(controller) {
      const size = sizes[Math.min(turn, sizes.length - 1)] ?? bytes.length;
      turn += 1;
      if (at < bytes.length) controller.enqueue(bytes.slice(at, at + size));
      at += size;
      if (at >= bytes.length) controller.close();
    },
  });
}

/** All rows of a file. */
export async function rowsIn(
  content: string | Uint8Array,
  options?: ReadOptions,
  sizes?: readonly number[],
): Promise<readonly ImportedRow[]> {
  const rows: ImportedRow[] = [];
  for await (const row of readImport(streamOf(content, sizes), options)) rows.push(row);
  return rows;
}

/** The links of a file of which no row may be refused. */
export async function linksIn(content: string | Uint8Array, options?: ReadOptions): Promise<readonly ImportedLink[]> {
  return (await rowsIn(content, options)).map((row) => {
    if (row.kind === "refused") throw new Error(`line ${row.line}: ${row.message}`);
    return row.link;
  });
}
