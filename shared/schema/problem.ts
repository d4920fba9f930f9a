/**
 * The problem document (RFC 9457) as a schema, for the OpenAPI document.
 *
 * @module
 */
import { z } from "@hono/zod-openapi";
import { URL_REASONS } from "../url-policy.ts";

/** What every failure of the API looks like. */
export const problemShown = z
  .object({
    type: z.string(),
    title: z.string(),
    status: z.number().int(),
    detail: z.string(),
    instance: z.string(),
    code: z.string().openapi({ description: "A stable word for programs." }),
    errors: z
      .array(
        z.object({
          path: z.string(),
          message: z.string(),
          reason: z
            .enum(URL_REASONS)
            .optional()
            .openapi({ description: "With the code `url_not_allowed`: why, as a stable word. New ones may be added." }),
        }),
      )
      .optional(),
  })
  .openapi("Problem");
