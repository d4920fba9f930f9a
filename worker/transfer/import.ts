/**
 * An import: rows are read as they arrive, taken in some hundred at a time, and reported as soon as they are committed. It ends where the file
 * does, where its caller wants, or where a backend is away, and says on which line to go on.
 *
 * @module
 */
import { BackendDown } from "../../shared/backend-down.ts";
import type { ReportEnd, ReportRow } from "../../shared/schema/transfer.ts";
import { reportError } from "../telemetry/log.ts";
import type { Adopt } from "./adopt.ts";
import { FileRefused, type ImportedRow } from "./formats/format.ts";
import { type Judged, judgeRow, type RowContext } from "./judge.ts";
import { refusedRow, reportOf } from "./report.ts";

/** What an import is told. */
export interface ImportManners extends RowContext {
  /** Rows that begin on earlier lines are passed over. */
  readonly fromLine: number;
  /** So many rows at most. */
  readonly limit: number;
  readonly isDryRun: boolean;
  readonly requestId: string;
  /** Whether nobody reads the report any more. */
  readonly isOver: () => boolean;
}

/** Takes lines of the report. */
export type Tell = (lines: readonly (ReportRow | ReportEnd)[]) => void;

/** Rows that are taken in at once: each time costs about eight requests to the backends. */
export const CHUNK_ROWS = 500;
/** Characters of their settings: with all that is around them a statement stays below the 10 MiB that Neon takes. */
const CHUNK_CHARACTERS = 1_000_000;
/**
 * Requests to the backends that one call may cost, well below what a Worker on the paid plan has (10,000; Cloudflare, Workers limits): each limited
 * link that was visited costs one of its own.
 */
const MAX_REQUESTS = 5000;
const REQUESTS_OF_A_CHUNK = 12;

/** Seconds after which a backend that is away may be asked again. */
const RETRY_AFTER_SECONDS = 5;

type Counts = { rows: number; created: number; skipped: number; failed: number };
type Stop = Omit<ReportEnd, "summary">;

/** Runs an import to its end. Never rejects: what goes wrong is told in the last line. */
export async function runImport(
  adopt: Adopt,
  rows: AsyncIterable<ImportedRow>,
  manners: ImportManners,
  tell: Tell,
): Promise<Counts> {
  const counts: Counts = { rows: 0, created: 0, skipped: 0, failed: 0 };
  const flush = async (chunk: readonly Judged[]): Promise<Stop | undefined> => {
    const { lines, stop } = await takeIn(adopt, chunk, manners.requestId);
    for (const { status } of lines) {
      counts.rows += 1;
      counts[status] += 1;
    }
    tell(lines);
    return stop;
  };
  const stop = await readAll(rows, manners, flush);
  tell([{ summary: { ...counts, dryRun: manners.isDryRun }, ...stop }]);
  return counts;
}

/** Answers why it ended; the file is never read beyond that. */
async function readAll(
  rows: AsyncIterable<ImportedRow>,
  manners: ImportManners,
  flush: (chunk: readonly Judged[]) => Promise<Stop | undefined>,
): Promise<Stop> {
  let chunk: Judged[] = [];
  let characters = 0;
  let taken = 0;
  let requests = 0;
  const flushChunk = async (): Promise<Stop | undefined> => {
    const full = chunk;
    chunk = [];
    characters = 0;
    requests += REQUESTS_OF_A_CHUNK;
    return full.length === 0 ? undefined : flush(full);
  };
  try {
    for await (const row of rows) {
      if (row.line < manners.fromLine) continue;
      if (manners.isOver() || taken >= manners.limit || requests >= MAX_REQUESTS) {
        return (await flushChunk()) ?? { nextLine: row.line };
      }
      const judged = judgeRow(row, manners);
      chunk.push(judged);
      taken += 1;
      characters += judged.characters;
      requests += judged.requests;
      if (chunk.length < CHUNK_ROWS && characters < CHUNK_CHARACTERS) continue;
      const stop = await flushChunk();
      if (stop !== undefined) return stop;
    }
  } catch (error) {
    return (await flushChunk()) ?? unreadable(error);
  }
  return (await flushChunk()) ?? { nextLine: null };
}

/** Takes in a chunk, and tells what came of each row. */
async function takeIn(
  adopt: Adopt,
  chunk: readonly Judged[],
  requestId: string,
): Promise<{ readonly lines: readonly ReportRow[]; readonly stop: Stop | undefined }> {
  const firstLine = chunk[0]?.line ?? 1;
  try {
    const outcomes = (await adopt(chunk.flatMap(({ row }) => row ?? []))).values();
    const lines: ReportRow[] = [];
    let stop: Stop | undefined;
    for (const judged of chunk) {
      const line = judged.row === null ? refusedRow(judged) : reportOf(judged, outcomes.next().value ?? UNAVAILABLE);
      if (line !== null) lines.push(line);
      else stop ??= away(judged.line);
    }
    return { lines, stop };
  } catch (error) {
    if (error instanceof BackendDown) {
      reportError("backend_down", { requestId }, error);
      return { lines: [], stop: away(firstLine, error.retryAfterSeconds) };
    }
    reportError("unexpected", { requestId }, error);
    const detail = "Something went wrong here. The request id names it in the log.";
    return { lines: [], stop: { nextLine: firstLine, code: "internal", detail } };
  }
}

const UNAVAILABLE = { kind: "unavailable" } as const;

function away(nextLine: number, retryAfter = RETRY_AFTER_SECONDS): Stop {
  const detail =
    "A part of the service cannot be reached just now. Go on with nextLine; what was made already is skipped.";
  return { nextLine, code: "unavailable", detail, retryAfter };
}

/** The rest of a file that cannot be read: nobody can say what stands there. */
function unreadable(error: unknown): Stop {
  const detail = error instanceof FileRefused ? error.message : "The file broke off while it was sent.";
  return { nextLine: null, code: "invalid_request", detail };
}
