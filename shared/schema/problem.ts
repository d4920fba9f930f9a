/**
 * The problem document (RFC 9457) as a schema, for the OpenAPI document.
 *
 * @module
 */
import { z } from "@hono/zod-openapi";

/** What every failure of the API looks like. */
export const problemShown = z
  .object({
    type: z.string(),
    title: z.string(),
    status: z.number().int(),
    detail: z.string(),
    instance: z.string(),
    code: z.string().openapi({ description: "A stable word for programs." }),
    errors: z.array(z.object({ path: z.string(), message: z.string() })).optional(),
  })
  .openapi("Problem");
