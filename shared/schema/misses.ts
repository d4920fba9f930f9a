/**
 * What requests say of unknown codes that were asked for, and how they are shown.
 *
 * @module
 */
import { z } from "@hono/zod-openapi";
import { scopeQuery, statsQuery } from "./stats.ts";

/** The query of the misses. */
export const missesQuery = z.object({
  from: statsQuery.from,
  to: statsQuery.to,
  domain: scopeQuery.domain,
  limit: statsQuery.limit.openapi({ description: "Codes to show." }),
});

const count = z.number().int();
const day = z.string().openapi({ format: "date", example: "2026-12-01" });

/** The codes that were asked for most. */
export const missesShown = z
  .object({
    from: day,
    to: day.openapi({ description: "The last day, which is included." }),
    misses: z.array(
      z.object({
        domain: z.string(),
        shortCode: z.string(),
        misses: count,
        lastAt: z.string().openapi({ format: "date-time", example: "2026-12-01T08:00:00.000Z" }),
      }),
    ),
    other: count.openapi({ description: "Requests for all other unknown codes." }),
  })
  .openapi("Misses");

/** The misses as JSON. */
export type MissesShown = z.input<typeof missesShown>;
