/**
 * What an export and an import are asked for, and what an import reports.
 *
 * @module
 */
import { z } from "@hono/zod-openapi";
import type { ProblemCode } from "../problem.ts";
import { createLinkBody } from "./link.ts";
import { tagFilter } from "./link-list.ts";
import { text } from "./text.ts";

/** The longest domain, a slash and the longest code. */
const MAX_AFTER_CHARACTERS = 253 + 1 + 256;

/** The query of `GET /api/v1/export`. */
export const exportQuery = z.strictObject({
  format: z.enum(["csv", "jsonl"]).default("csv"),
  domain: text(253).optional(),
  tag: tagFilter,
  after: text(MAX_AFTER_CHARACTERS)
    .regex(/^[^/]+\/./su, "takes a domain, a slash and a code")
    .optional()
    .openapi({
      description:
        "Goes on behind this link, without a header line: the domain, a slash and the code of the last one received.",
      example: "go.example.com/spring",
    }),
  limit: z.coerce.number().int().min(1).optional().openapi({ description: "So many links at most." }),
});

/** The parsed query of an export. */
export type ExportQuery = z.output<typeof exportQuery>;

/** So many rows a call by default: about 400 requests to the backends. */
const DEFAULT_ROWS = 20_000;
const MAX_ROWS = 50_000;

const flag = z.enum(["true", "false"]).transform((value) => value === "true");

/** The query of `POST /api/v1/import`; `formats` are the words for whose file it is. */
export function importQueryOf<const Formats extends readonly [string, ...string[]]>(formats: Formats) {
  return z.strictObject({
    format: z.enum(formats).optional().openapi({ description: "Whose file it is; by default the file tells." }),
    domain: text(253).optional().openapi({ description: "For the rows that name no domain of this service." }),
    dryRun: flag
      .prefault("false")
      .openapi({ type: "string", enum: ["true", "false"], default: "false", description: "Judge, and make nothing." }),
    fromLine: z.coerce.number().int().min(1).default(1).openapi({
      description: "Goes on here: rows that begin on earlier lines are passed over. The `nextLine` of a report.",
    }),
    limit: z.coerce
      .number()
      .int()
      .min(1)
      .max(MAX_ROWS)
      .default(DEFAULT_ROWS)
      .openapi({ description: "So many rows at most; `nextLine` tells where to go on." }),
  });
}

/** What a row may set: the body of a creation, but for what the row tells elsewhere. */
export const importedSettings = createLinkBody.omit({ customCode: true, domain: true, unique: true });

/** A word of the problem documents; what is answered is not checked. */
const problemCode = z.custom<ProblemCode>().openapi({ type: "string", example: "url_not_allowed" });

/** What came of one row. */
export const reportRow = z
  .object({
    line: z.number().int().openapi({ description: "The line on which the row begins, the first is 1." }),
    status: z.enum(["created", "skipped", "failed"]),
    domain: z.string().optional(),
    shortCode: z.string().optional().openapi({ description: "In a dry run missing where it would be generated." }),
    id: z.string().optional().openapi({ description: "Of the link that was made, or stood already." }),
    longUrl: z.string().optional().openapi({ description: "Where a link that stood already leads." }),
    code: problemCode.optional().openapi({ description: "Why, in the words of the problem documents." }),
    detail: z.string().optional(),
    errors: z.array(z.object({ path: z.string(), message: z.string() })).optional(),
    notes: z.array(z.string()).optional().openapi({ description: "What the file says that Hop has no place for." }),
  })
  .openapi("ImportRow");

/** The last line of a report. */
export const reportEnd = z
  .object({
    summary: z.object({
      rows: z.number().int(),
      created: z.number().int(),
      skipped: z.number().int(),
      failed: z.number().int(),
      dryRun: z.boolean(),
    }),
    nextLine: z.number().int().nullable().openapi({ description: "Where to go on; null at the end of the file." }),
    code: problemCode.optional().openapi({ description: "Why the import ended before the file does." }),
    detail: z.string().optional(),
    retryAfter: z.number().int().optional().openapi({ description: "Seconds." }),
  })
  .openapi("ImportEnd");

/** One line of the report: each is a document of its own, so the whole is text. */
export const reportLine = z.custom<string>().openapi({
  type: "object",
  anyOf: [{ $ref: "#/components/schemas/ImportRow" }, { $ref: "#/components/schemas/ImportEnd" }],
});

/** What came of one row. */
export type ReportRow = z.input<typeof reportRow>;
/** The last line of a report. */
export type ReportEnd = z.input<typeof reportEnd>;
