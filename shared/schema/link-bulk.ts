/**
 * What many creations at once are asked with, and how what came of each is shown.
 *
 * @module
 */
import { z } from "@hono/zod-openapi";
import { createLinkBody, linkShown } from "./link.ts";
import { problemShown } from "./problem.ts";

/** The most links that one call makes. */
export const MAX_BULK_LINKS = 1000;

/** Each is judged by itself, so that a bad one fails alone. */
const rows = z.array(z.unknown()).min(1).max(MAX_BULK_LINKS);

/** `POST /api/v1/links/bulk`: a list, by itself or under `links`. */
export const bulkBody = z
  .union([rows, z.strictObject({ links: rows }).transform(({ links }) => links)], {
    error: `takes a list of 1 to ${MAX_BULK_LINKS} links, or an object with such a list as its links`,
  })
  .openapi("CreateLinks", {
    type: "object",
    required: ["links"],
    properties: {
      links: {
        type: "array",
        minItems: 1,
        maxItems: MAX_BULK_LINKS,
        items: { $ref: "#/components/schemas/CreateLink" },
      },
    },
  });

/** One link of the list. */
export const bulkRow = createLinkBody;

/** What came of each, in the order of the list. */
export const bulkShown = z
  .object({
    results: z.array(
      z.union([
        z.object({ status: z.union([z.literal(200), z.literal(201)]), link: linkShown }),
        z.object({ status: z.number().int(), error: problemShown }),
      ]),
    ),
  })
  .openapi("BulkResults");
