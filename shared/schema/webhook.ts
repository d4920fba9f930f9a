/**
 * What requests say of webhooks, and how webhooks and their deliveries are shown.
 *
 * @module
 */
import { z } from "@hono/zod-openapi";
import { text, time, timeShown } from "./text.ts";

/** What a webhook can be told of. */
export const WEBHOOK_EVENTS = ["link.created", "link.updated", "link.deleted", "link.clicked"] as const;

const MAX_DESCRIPTION_CHARACTERS = 512;
const MAX_TAG_CHARACTERS = 64;
const MAX_TAGS = 64;

const event = z.enum(WEBHOOK_EVENTS);
const url = z
  .string({ error: (issue) => (issue.input === undefined ? "is required" : "takes a URL as text") })
  .openapi({ description: "Where messages are sent: a public https address.", example: "https://example.com/hop" });
const events = z
  .array(event)
  .min(1)
  .transform((values) => [...new Set(values)])
  .openapi({ type: "array", items: { type: "string", enum: [...WEBHOOK_EVENTS] } });
const tags = z
  .array(text(MAX_TAG_CHARACTERS))
  .max(MAX_TAGS)
  .transform((values) => [...new Set(values)])
  .nullable()
  .openapi({
    type: ["array", "null"],
    items: { type: "string" },
    description: "Only links that have one of these; none: all.",
  });
const optional = {
  description: text(MAX_DESCRIPTION_CHARACTERS).nullable(),
  domain: z.string().max(253).nullable().openapi({ description: "Only links of this domain; null: of all." }),
  tags,
};

/** `POST /api/v1/webhooks` */
export const createWebhookBody = z
  .strictObject({ url, events, ...z.object(optional).partial().shape })
  .openapi("CreateWebhook");

/** `PATCH /api/v1/webhooks/{id}`: only what is named changes. */
export const changeWebhookBody = z
  .strictObject({
    url,
    events,
    ...optional,
    disabled: z.boolean().openapi({ description: "Switches it off, or on again: what waits for it then goes out." }),
  })
  .partial()
  .openapi("ChangeWebhook");

/** A webhook as it is answered. */
export const webhookShown = z
  .object({
    id: z.string().openapi({ format: "uuid" }),
    url: z.string(),
    description: z.string().nullable(),
    events: z.array(z.string()),
    domain: z.string().nullable(),
    tags: z.array(z.string()),
    disabled: z.boolean(),
    disabledReason: z.enum(["asked", "failing", "gone"]).nullable().openapi({
      description: "Switched off by a call, after five days without a success, or since its receiver answered 410.",
    }),
    disabledAt: timeShown.nullable(),
    failingSince: timeShown.nullable().openapi({ description: "Nothing came through since." }),
    createdAt: timeShown,
    updatedAt: timeShown,
  })
  .openapi("Webhook");

/** The same with what its messages are signed with, which is shown once. */
export const webhookWithSecret = webhookShown
  .extend({ secret: z.string().openapi({ description: "Shown once.", example: "whsec_…" }) })
  .openapi("WebhookWithSecret");

/** All webhooks. */
export const webhooksShown = z.object({ webhooks: z.array(webhookShown) }).openapi("Webhooks");

const deliveryStatus = z.enum(["pending", "delivered", "failed"]);

/** A delivery as it is answered. */
export const deliveryShown = z
  .object({
    id: z.string().openapi({ description: "Of the event: `webhook-id` of each attempt." }),
    type: z.string(),
    status: deliveryStatus,
    occurredAt: timeShown,
    attempts: z.number().int(),
    nextAttemptAt: timeShown.nullable(),
    deliveredAt: timeShown.nullable(),
    lastAttempt: z
      .object({
        at: timeShown,
        status: z.number().int().nullable().openapi({ description: "Of the answer; null: there was none." }),
        error: z.string().nullable(),
        milliseconds: z.number().int(),
      })
      .nullable(),
  })
  .openapi("WebhookDelivery");

const MAX_PAGE = 100;

/** The query of the deliveries. */
export const deliveriesQuery = z.object({
  status: deliveryStatus.optional(),
  limit: z.coerce.number().int().min(1).max(MAX_PAGE).default(50),
  cursor: z.string().optional().openapi({ description: "`nextCursor` of the page before." }),
});

/** A page of deliveries. */
export const deliveriesShown = z
  .object({ deliveries: z.array(deliveryShown), nextCursor: z.string().nullable() })
  .openapi("WebhookDeliveries");

/** `POST /api/v1/webhooks/{id}/replay`: what failed of the events of a period. */
export const replayBody = z.strictObject({ from: time, to: time.optional() }).openapi("ReplayWebhook");

/** How many deliveries are sent again. */
export const replayedShown = z.object({ replayed: z.number().int() }).openapi("ReplayedWebhook");

/** The parsed body of a creation. */
export type CreateWebhookBody = z.output<typeof createWebhookBody>;
/** The parsed body of a change. */
export type ChangeWebhookBody = z.output<typeof changeWebhookBody>;
/** A webhook as JSON. */
export type WebhookShown = z.input<typeof webhookShown>;
/** A delivery as JSON. */
export type DeliveryShown = z.input<typeof deliveryShown>;
/** How a delivery stands. */
export type DeliveryStatus = z.output<typeof deliveryStatus>;
