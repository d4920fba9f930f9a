/**
 * The keys' part of the HTTP contract.
 *
 * @module
 */
import { createRoute, z } from "@hono/zod-openapi";
import { createKeyBody, keysShown, keyWithSecret } from "../../shared/schema/api-key.ts";
import { jsonBody, limitBody, MAX_BODY_BYTES } from "../http/body.ts";
import { problem, refusals, security } from "../http/contract.ts";

/** `POST /api/v1/keys` */
export const createKeyCall = createRoute({
  method: "post",
  path: "/",
  operationId: "createKey",
  summary: "Create a key",
  description: "The answer has the key itself, which is shown once: only a hash of it is kept.",
  security,
  middleware: [limitBody(MAX_BODY_BYTES), jsonBody],
  request: { body: { required: true, content: { "application/json": { schema: createKeyBody } } } },
  responses: {
    ...refusals,
    201: { description: "Created.", content: { "application/json": { schema: keyWithSecret } } },
    409: problem("There are 1,000 keys already."),
    413: problem("The body is too large."),
    415: problem("The body is not JSON in UTF-8."),
  },
});

/** `GET /api/v1/keys` */
export const listKeysCall = createRoute({
  method: "get",
  path: "/",
  operationId: "listKeys",
  summary: "List all keys",
  security,
  responses: {
    ...refusals,
    200: {
      description: "All keys, the oldest first, also those that have expired.",
      content: { "application/json": { schema: keysShown } },
    },
  },
});

/** `DELETE /api/v1/keys/{id}` */
export const revokeKeyCall = createRoute({
  method: "delete",
  path: "/{id}",
  operationId: "revokeKey",
  summary: "Revoke a key",
  description:
    "It is refused from now on, by parts of the service that have seen it within 30 seconds after that time.",
  security,
  request: { params: z.object({ id: z.string() }) },
  responses: { ...refusals, 204: { description: "Revoked." }, 404: problem("No such key.") },
});
