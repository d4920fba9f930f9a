/**
 * The webhooks' part of the HTTP contract.
 *
 * @module
 */
import { createRoute, z } from "@hono/zod-openapi";
import {
  changeWebhookBody,
  createWebhookBody,
  deliveriesQuery,
  deliveriesShown,
  deliveryShown,
  replayBody,
  replayedShown,
  webhookShown,
  webhooksShown,
  webhookWithSecret,
} from "../../shared/schema/webhook.ts";
import { jsonBody, limitBody, MAX_BODY_BYTES } from "../http/body.ts";
import { problem, refusals, security } from "../http/contract.ts";

const json = <Schema extends z.ZodType>(description: string, schema: Schema) => ({
  description,
  content: { "application/json": { schema } },
});
const takes = <Schema extends z.ZodType>(schema: Schema) => ({
  body: { required: true, content: { "application/json": { schema } } },
});

const readsJson = [limitBody(MAX_BODY_BYTES), jsonBody];
const bodyRefusals = {
  413: problem("The body is too large."),
  415: problem("The body is not JSON in UTF-8."),
};
const ofOne = { params: z.object({ id: z.string() }) };
const ofOneDelivery = { params: z.object({ id: z.string(), deliveryId: z.string() }) };
const noSuch = { 404: problem("No such webhook, or no such delivery of it.") };

/** `POST /api/v1/webhooks` */
export const createWebhookCall = createRoute({
  method: "post",
  path: "/",
  operationId: "createWebhook",
  summary: "Create a webhook",
  description: "Messages are signed as Standard Webhooks asks. The answer has the secret, which is shown once.",
  security,
  middleware: readsJson,
  request: takes(createWebhookBody),
  responses: {
    ...refusals,
    ...bodyRefusals,
    201: json("Created; `Location` names it.", webhookWithSecret),
    409: problem("There are 20 webhooks already."),
  },
});

/** `GET /api/v1/webhooks` */
export const listWebhooksCall = createRoute({
  method: "get",
  path: "/",
  operationId: "listWebhooks",
  summary: "List all webhooks",
  security,
  responses: { ...refusals, 200: json("All webhooks, the oldest first.", webhooksShown) },
});

/** `GET /api/v1/webhooks/{id}` */
export const readWebhookCall = createRoute({
  method: "get",
  path: "/{id}",
  operationId: "readWebhook",
  summary: "Read a webhook",
  security,
  request: ofOne,
  responses: { ...refusals, ...noSuch, 200: json("The webhook.", webhookShown) },
});

/** `PATCH /api/v1/webhooks/{id}` */
export const changeWebhookCall = createRoute({
  method: "patch",
  path: "/{id}",
  operationId: "changeWebhook",
  summary: "Change a webhook, or switch it off or on",
  security,
  middleware: readsJson,
  request: { ...ofOne, ...takes(changeWebhookBody) },
  responses: { ...refusals, ...bodyRefusals, ...noSuch, 200: json("Changed.", webhookShown) },
});

/** `DELETE /api/v1/webhooks/{id}` */
export const deleteWebhookCall = createRoute({
  method: "delete",
  path: "/{id}",
  operationId: "deleteWebhook",
  summary: "Delete a webhook and its deliveries",
  security,
  request: ofOne,
  responses: { ...refusals, ...noSuch, 204: { description: "Deleted." } },
});

/** `POST /api/v1/webhooks/{id}/secret` */
export const rotateSecretCall = createRoute({
  method: "post",
  path: "/{id}/secret",
  operationId: "rotateWebhookSecret",
  summary: "Change the secret",
  description: "For 24 hours messages are signed with the secret before as well.",
  security,
  request: ofOne,
  responses: { ...refusals, ...noSuch, 200: json("The webhook with its new secret, shown once.", webhookWithSecret) },
});

/** `POST /api/v1/webhooks/{id}/test` */
export const testWebhookCall = createRoute({
  method: "post",
  path: "/{id}/test",
  operationId: "testWebhook",
  summary: "Send a message of the type `webhook.test`",
  security,
  request: ofOne,
  responses: {
    ...refusals,
    ...noSuch,
    202: json("On its way; the deliveries show what came of it.", deliveryShown),
    409: problem("The webhook is switched off."),
  },
});

/** `GET /api/v1/webhooks/{id}/deliveries` */
export const readDeliveriesCall = createRoute({
  method: "get",
  path: "/{id}/deliveries",
  operationId: "readWebhookDeliveries",
  summary: "What was sent, and what came of it",
  description: "The newest events first. Kept for 7 days after the event, or 30 where it was not delivered.",
  security,
  request: { ...ofOne, query: deliveriesQuery },
  responses: { ...refusals, ...noSuch, 200: json("A page of deliveries.", deliveriesShown) },
});

/** `POST /api/v1/webhooks/{id}/deliveries/{deliveryId}/replay` */
export const replayOneCall = createRoute({
  method: "post",
  path: "/{id}/deliveries/{deliveryId}/replay",
  operationId: "replayWebhookDelivery",
  summary: "Send one delivery again",
  description: "Whatever came of it before. Its `webhook-id` stays the same.",
  security,
  request: ofOneDelivery,
  responses: { ...refusals, ...noSuch, 202: json("On its way.", deliveryShown) },
});

/** `POST /api/v1/webhooks/{id}/replay` */
export const replayFailedCall = createRoute({
  method: "post",
  path: "/{id}/replay",
  operationId: "replayFailedWebhookDeliveries",
  summary: "Send again what failed of the events of a period",
  security,
  middleware: readsJson,
  request: { ...ofOne, ...takes(replayBody) },
  responses: { ...refusals, ...bodyRefusals, ...noSuch, 202: json("On their way.", replayedShown) },
});
