/**
 * The report of an import: what came of each row, as one line of JSON.
 *
 * @module
 */
import type { FieldError, ProblemCode } from "../../shared/problem.ts";
import type { ReportEnd, ReportRow } from "../../shared/schema/transfer.ts";
import type { Adopted, Holder } from "./adopt.ts";
import type { BadRow, GoodRow } from "./judge.ts";

/** What is told of any row. */
type Told = Pick<ReportRow, "line"> & {
  readonly domain?: string | undefined;
  readonly shortCode?: string | undefined;
  readonly notes?: readonly string[];
};

/** The most characters of a text that a row is told with: a report is held in memory until it is read. */
const MAX_TEXT = 300;

/** A line of the report as it is sent. */
export function reportText(line: ReportRow | ReportEnd): string {
  return `${JSON.stringify(line)}\n`;
}

/** A row that could not even be asked for. */
export function refusedRow({ line, refusal: { code, message, errors }, link }: BadRow): ReportRow {
  return failedRow({ line, ...link }, code, message, errors);
}

function failedRow(
  { line, domain, shortCode, notes }: Told,
  code: ProblemCode,
  detail: string,
  errors: readonly FieldError[] = [],
): ReportRow {
  return {
    line,
    status: "failed",
    ...(domain === undefined ? {} : { domain: cut(domain) }),
    ...(shortCode === undefined ? {} : { shortCode: cut(shortCode) }),
    code,
    detail: cut(detail),
    ...(errors.length === 0 ? {} : { errors: errors.map(({ path, message }) => ({ path, message: cut(message) })) }),
    ...noted(notes ?? []),
  };
}

/** What came of a row, or null where it is to be sent again. */
export function reportOf(judged: GoodRow, adopted: Adopted): ReportRow | null {
  const { line, notes, row } = judged;
  const { domain } = row.context;
  const told = { line, domain, shortCode: row.shortCode ?? undefined, notes };
  switch (adopted.kind) {
    case "created": {
      const { id, shortCode } = adopted;
      return {
        line,
        status: "created",
        domain,
        ...(shortCode === null ? {} : { shortCode }),
        ...(id === null ? {} : { id }),
        ...noted(notes),
      };
    }
    case "exists":
      return skippedRow(told, adopted.by, adopted.holder);
    case "external_id_taken": {
      const message = "is taken by another link of this domain";
      return failedRow(told, "external_id_taken", `The externalId ${message}.`, [{ path: "externalId", message }]);
    }
    case "refused": {
      const { code, path, message } = adopted;
      return failedRow(told, code, message, [{ path: path === "customCode" ? "shortCode" : path, message }]);
    }
    case "unavailable":
      return null;
  }
}

function skippedRow(
  { line, domain, notes }: Told,
  by: "code" | "settings",
  { id, shortCode, longUrl }: Holder,
): ReportRow {
  const what = by === "code" ? "A link with this code" : "The automatic link with the same settings";
  return {
    line,
    status: "skipped",
    ...(domain === undefined ? {} : { domain }),
    ...(shortCode === "" ? {} : { shortCode }),
    ...(id === null ? {} : { id, longUrl: cut(longUrl) }),
    ...(by === "code" ? { code: "code_taken" as const } : {}),
    detail:
      id === null
        ? `${what} would have been made of an earlier line.`
        : `${what} stands already; it was left as it is.`,
    ...noted(notes ?? []),
  };
}

function noted(notes: readonly string[]): { notes?: string[] } {
  return notes.length === 0 ? {} : { notes: notes.map(cut) };
}

function cut(text: string): string {
  return text.length <= MAX_TEXT ? text : `${text.slice(0, MAX_TEXT - 1)}…`.toWellFormed();
}
