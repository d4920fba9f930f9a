/**
 * What requests say of links, and how links are shown: the same schemas validate and document.
 *
 * @module
 */
import { z } from "@hono/zod-openapi";
import { isRecord } from "../json.ts";
import type { Json } from "../link.ts";
import { MAX_PASSWORD_BYTES, passwordFault } from "../password.ts";
import { rules, ruleShown } from "./rules.ts";
import { text, timeOrNull, timeShown, url } from "./text.ts";

const MAX_EXTERNAL_ID_CHARACTERS = 255;
const MAX_TITLE_CHARACTERS = 512;
const MAX_NOTES_CHARACTERS = 4096;
const MAX_TAG_CHARACTERS = 64;
const MAX_TAGS = 64;
/** Levels of lists and objects in `metadata`: Postgres reads JSON only to some depth. */
const MAX_METADATA_DEPTH = 32;
/** Bytes of `metadata` as JSON. */
const MAX_METADATA_BYTES = 4096;

/** What an integer column takes. */
const MAX_CLICKS = 2 ** 31 - 1;

/** Passed on as it is: a schema of records would drop the name `__proto__`, which is a name like any other here. */
const metadata = z
  .custom<{ readonly [key: string]: Json }>(isRecord, "takes an object")
  .refine(
    (value) => isStorable(value, 0),
    `holds a NUL, half a surrogate pair or a number that no store can keep, or more than ${MAX_METADATA_DEPTH} levels`,
  )
  .refine((value) => new TextEncoder().encode(JSON.stringify(value)).length <= MAX_METADATA_BYTES, {
    error: `is larger than ${MAX_METADATA_BYTES} bytes as JSON`,
    when: (payload) => payload.issues.length === 0,
  })
  .nullable()
  .openapi({ type: ["object", "null"], additionalProperties: true });

const tags = z
  .array(text(MAX_TAG_CHARACTERS))
  .max(MAX_TAGS)
  .transform((values) => [...new Set(values)])
  .nullable()
  .openapi({ type: ["array", "null"], items: { type: "string" } });

const redirectStatus = z.union([z.literal(301), z.literal(302), z.literal(307), z.literal(308)]);

const password = z
  .string()
  .superRefine((value, context) => {
    const fault = passwordFault(value);
    if (fault !== undefined) context.addIssue({ code: "custom", message: fault });
  })
  .nullable()
  .openapi({
    type: ["string", "null"],
    format: "password",
    writeOnly: true,
    description: `Visitors are asked for it. 1 to ${MAX_PASSWORD_BYTES} bytes in UTF-8; kept as a slow hash and never shown.`,
  });

const optional = {
  externalId: text(MAX_EXTERNAL_ID_CHARACTERS)
    .nullable()
    .openapi({ description: "Your own id of the link, unique on its domain; `ext_{externalId}` names the link too." }),
  title: text(MAX_TITLE_CHARACTERS).nullable(),
  tags,
  notes: text(MAX_NOTES_CHARACTERS).nullable(),
  metadata,
  redirectStatus: redirectStatus.nullable(),
  validSince: timeOrNull,
  expireAt: timeOrNull,
  expiredUrl: url.nullable(),
  maxClicks: z.int().min(1).max(MAX_CLICKS).nullable(),
  forwardQuery: z.boolean().nullable().openapi({
    description: "Add the visitor's query to the destination's, whose own names win. `qr` is not passed on.",
  }),
  forwardPath: z.boolean().nullable().openapi({
    description: "`/{code}/rest` goes to the destination's path plus `/rest`.",
  }),
  password,
  rules,
  disabled: z.boolean().nullable(),
};

/** `POST /api/v1/links`. A field that is not known is refused, so that a misspelt one is not silently lost. */
export const createLinkBody = z
  .strictObject({
    longUrl: url.openapi({ description: "Where the link leads.", example: "https://example.com/landing?a=1#top" }),
    customCode: z.string().nullable().optional(),
    domain: z.string().max(253).nullable().optional(),
    unique: z.boolean().optional().openapi({ description: "Make a new link even when the same one exists." }),
    ...z.object(optional).partial().shape,
  })
  .openapi("CreateLink");

/** `PUT /api/v1/links`: what is not named gets its default. */
export const upsertLinkBody = createLinkBody
  .omit({ unique: true })
  .refine(({ externalId, customCode }) => (externalId ?? customCode ?? null) !== null, {
    path: ["externalId"],
    error: "or customCode is required: it names the link",
  })
  .openapi("UpsertLink");

/** `PATCH /api/v1/links/{code}`: only what is named changes; `null` sets a field back to its default. */
export const changeLinkBody = z
  .strictObject({ longUrl: url, ...optional })
  .partial()
  .openapi("ChangeLink");

/** A link as it is answered. */
export const linkShown = z
  .object({
    id: z.string().openapi({ description: "A 64-bit number in decimal.", example: "421234567890123456" }),
    domain: z.string(),
    shortCode: z.string(),
    shortUrl: z.string(),
    longUrl: z.string(),
    type: z.enum(["auto", "custom"]),
    externalId: z.string().nullable(),
    title: z.string().nullable(),
    tags: z.array(z.string()),
    notes: z.string().nullable(),
    metadata: z.record(z.string(), z.unknown()),
    redirectStatus,
    forwardQuery: z.boolean(),
    forwardPath: z.boolean(),
    validSince: timeShown.nullable(),
    expireAt: timeShown.nullable(),
    expiredUrl: z.string().nullable(),
    maxClicks: z.number().int().nullable(),
    hasPassword: z.boolean(),
    rules: z.array(ruleShown),
    disabled: z.boolean(),
    clickCount: z.number().int(),
    lastClickAt: timeShown.nullable(),
    createdAt: timeShown,
    updatedAt: timeShown,
  })
  .openapi("Link");

/** The parsed body of a creation. */
export type CreateLinkBody = z.output<typeof createLinkBody>;
/** The parsed body of a creation or replacement. */
export type UpsertLinkBody = z.output<typeof upsertLinkBody>;
/** The parsed body of a change. */
export type ChangeLinkBody = z.output<typeof changeLinkBody>;
/** A link as JSON. */
export type LinkShown = z.input<typeof linkShown>;

/** Whether Postgres' jsonb takes every text in it and gives back every number, and it is not too deep to be read. */
function isStorable(value: unknown, depth: number): boolean {
  if (depth > MAX_METADATA_DEPTH) return false;
  if (typeof value === "string") return value.isWellFormed() && !value.includes("\u0000");
  // `1e999` is JSON, and would be kept as null.
  if (typeof value === "number") return Number.isFinite(value);
  if (typeof value !== "object" || value === null) return true;
  return Object.entries(value).every(([key, item]) => isStorable(key, depth) && isStorable(item, depth + 1));
}
