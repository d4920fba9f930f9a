/**
 * The part of the HTTP contract that brings links in and out.
 *
 * @module
 */
import { createRoute, z } from "@hono/zod-openapi";
import { exportQuery, importQueryOf, reportLine } from "../../shared/schema/transfer.ts";
import { problem, refusals, security } from "../http/contract.ts";
import { FORMAT_NAMES } from "./formats/format.ts";

/** One JSON document on each line. As any text: the types of the router take it for no answer at all. */
export const NDJSON: string = "application/x-ndjson";

const file = { schema: z.string() };

/** `GET /api/v1/export` */
export const exportCall = createRoute({
  method: "get",
  path: "/",
  operationId: "exportLinks",
  summary: "All links as a file",
  description:
    "Ordered by domain and code, byte by byte. A link that stands all the while is in it once; one that is made or deleted meanwhile may be or not. " +
    "An answer that breaks off is not whole: go on with `after`.",
  security,
  request: { query: exportQuery },
  responses: {
    ...refusals,
    200: {
      description: "The file, as it is read.",
      content: { "text/csv": file, "application/x-ndjson": file },
    },
  },
});

/** `POST /api/v1/import` */
export const importCall = createRoute({
  method: "post",
  path: "/",
  operationId: "importLinks",
  summary: "Links from a file: an export of Hop, Bitly, Shlink, YOURLS, Kutt or Dub, or any CSV with a column of URLs",
  description:
    "Codes, dates and counts are kept. A link that stands is never changed, so a file may be sent again, and `Idempotency-Key` is of no effect here. " +
    "The report has a line for each row, in order, as soon as what it tells is committed; its last line has the `summary`. While `nextLine` is a number, " +
    "send the file again with it as `fromLine`. A report without a summary was cut short: send the file again.",
  security,
  request: {
    query: importQueryOf(FORMAT_NAMES),
    body: {
      required: true,
      content: { "text/csv": file, "application/x-ndjson": file, "application/octet-stream": file },
    },
  },
  responses: {
    ...refusals,
    200: {
      description: "The report, a JSON object on each line.",
      content: { [NDJSON]: { schema: reportLine } },
    },
    415: problem("The file cannot be read as text in UTF-8, or is in no known format."),
  },
});
