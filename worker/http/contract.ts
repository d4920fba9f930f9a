/**
 * What the calls of the API have in common, as the OpenAPI document shows it.
 *
 * @module
 */
import { z } from "@hono/zod-openapi";
import { problemShown } from "../../shared/schema/problem.ts";

/** A problem document as an answer. */
export const problem = (description: string) => ({
  description,
  content: { "application/problem+json": { schema: problemShown } },
});

/** What any call may answer instead. */
export const refusals = {
  400: problem("What was sent cannot be used; `errors` names the fields."),
  401: problem("No key, or a wrong one."),
  403: problem("The key lacks the scope."),
  429: problem("Too many requests; `Retry-After` says when to come back."),
  503: problem("A backend cannot be reached; `Retry-After` says when to come back."),
};

/** For calls of one link. */
export const noSuchLink = { 404: problem("No such link.") };

/** How one link is named. */
export const ofOneLink = {
  params: z.object({
    code: z.string().openapi({ description: "The short code, or of the links' own calls `ext_` and the external id." }),
  }),
  query: z.object({
    domain: z.string().max(253).optional().openapi({ description: "The link's domain, where there are several." }),
  }),
};

/** How a key is sent. */
export const security = [{ bearer: [] }, { apiKey: [] }];
