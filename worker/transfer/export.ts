/**
 * An export as a stream: a page is read when the reader has room for it, so memory holds one page, however many links there are.
 *
 * @module
 */
import { BackendDown } from "../../shared/backend-down.ts";
import { log } from "../telemetry/log.ts";
import type { ExportedLink } from "./formats/format.ts";
import type { ExportPosition, ExportQuestion, ReadPage } from "./queries.ts";

/** What an export needs, handed in. */
export interface ExportParts {
  readonly readPage: ReadPage;
  readonly wait: (ms: number) => Promise<unknown>;
}

/** What is asked for, and how it is written. */
export interface ExportManners extends Pick<ExportQuestion, "domain" | "tag" | "after"> {
  /** So many links at most. */
  readonly limit: number;
  readonly header: string;
  readonly write: (link: ExportedLink) => string;
}

/** Links of a page: a million are a thousand statements. */
const PAGE_LINKS = 1000;
/** Pauses before a page is asked for once more, while its reader waits. */
const PAUSES_MS = [500, 2000];

/**
 * Opens an export. Rejects with `BackendDown` when its first page cannot be read; a later one that cannot breaks the stream off, so that its reader
 * knows that it is not whole.
 */
export async function openExport(parts: ExportParts, manners: ExportManners): Promise<ReadableStream<Uint8Array>> {
  const encoder = new TextEncoder();
  const pages = readPages(parts, manners);
  let next: IteratorResult<readonly ExportedLink[]> | undefined = await pages.next();
  let header = manners.header;
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const { done, value } = next ?? (await pages.next());
        next = undefined;
        const text = header + (done === true ? "" : value.map(manners.write).join(""));
        header = "";
        if (text !== "") controller.enqueue(encoder.encode(text));
        if (done === true) controller.close();
      },
      async cancel() {
        await pages.return(undefined);
      },
    },
    // Nothing is read before somebody wants it.
    { highWaterMark: 0 },
  );
}

async function* readPages(
  parts: ExportParts,
  { domain, tag, after: first, limit }: ExportManners,
): AsyncGenerator<readonly ExportedLink[], undefined> {
  let after: ExportPosition | undefined = first;
  let left = limit;
  let isFirst = true;
  while (left > 0) {
    const asked = { domain, tag, after, limit: Math.min(left, PAGE_LINKS) };
    const page = await (isFirst ? parts.readPage(asked) : readPatiently(parts, asked));
    isFirst = false;
    const last = page.at(-1);
    if (last === undefined) return undefined;
    after = last;
    left -= page.length;
    yield page;
  }
  return undefined;
}

async function readPatiently({ readPage, wait }: ExportParts, asked: ExportQuestion): Promise<readonly ExportedLink[]> {
  for (const pause of PAUSES_MS) {
    try {
      return await readPage(asked);
    } catch (error) {
      if (!(error instanceof BackendDown)) throw error;
      log("warn", "export_waits", { pauseMs: pause }, error);
      await wait(pause);
    }
  }
  return readPage(asked);
}
