/**
 * What requests say of API keys, and how keys are shown.
 *
 * @module
 */
import { z } from "@hono/zod-openapi";
import { SCOPES } from "../api-key.ts";
import { text, timeOrNull, timeShown } from "./text.ts";

const MAX_NAME_CHARACTERS = 100;

/** `POST /api/v1/keys` */
export const createKeyBody = z
  .strictObject({
    name: text(MAX_NAME_CHARACTERS).openapi({ description: "For people to know it by." }),
    scopes: z
      .array(z.enum(SCOPES))
      .min(1)
      .transform((scopes) => [...new Set(scopes)])
      .openapi({
        type: "array",
        items: { type: "string", enum: [...SCOPES] },
        description: "What it may do; `admin` may do everything.",
      }),
    expiresAt: timeOrNull.optional(),
  })
  .openapi("CreateKey");

/** A key as it is answered. */
export const keyShown = z
  .object({
    id: z.string().openapi({ format: "uuid" }),
    name: z.string(),
    scopes: z.array(z.enum(SCOPES)),
    hint: z.string().openapi({ description: "The first characters of the key.", example: "hop_3fGk" }),
    expiresAt: timeShown.nullable(),
    lastUsedAt: timeShown.nullable().openapi({ description: "To about a minute and a half." }),
    createdAt: timeShown,
  })
  .openapi("Key");

/** The same with the key itself, which is shown once. */
export const keyWithSecret = keyShown
  .extend({ key: z.string().openapi({ description: "Shown once.", example: "hop_…" }) })
  .openapi("KeyWithSecret");

/** All keys. */
export const keysShown = z.object({ keys: z.array(keyShown) }).openapi("Keys");

/** A key as JSON. */
export type KeyShown = z.input<typeof keyShown>;
