/**
 * What the list of links is asked for, and how it is shown.
 *
 * @module
 */
import { z } from "@hono/zod-openapi";
import { linkShown } from "./link.ts";
import { text } from "./text.ts";

const MAX_PAGE = 100;
const DEFAULT_PAGE = 50;
const MAX_SEARCH_CHARACTERS = 256;
/** As many as a link may have. */
const MAX_TAGS = 64;

const tag = text(64);

/** `tag` in a query, once or several times. */
export const tagFilter = z
  .union([tag.transform((one) => [one]), z.array(tag).max(MAX_TAGS)])
  .default([])
  .openapi({
    type: "array",
    items: { type: "string" },
    description: "Repeat it for several: a link has all of them.",
  });

/** The query of `GET /api/v1/links`. */
export const linksQuery = z.object({
  limit: z.coerce.number().int().min(1).max(MAX_PAGE).default(DEFAULT_PAGE),
  cursor: z.string().max(128).optional().openapi({ description: "The `nextCursor` of the page before." }),
  search: text(MAX_SEARCH_CHARACTERS)
    .optional()
    .openapi({ description: "Part of the code, of `longUrl` or of the title, in any case." }),
  tag: tagFilter,
  type: z.enum(["auto", "custom"]).optional(),
  domain: text(253).optional(),
  status: z.enum(["active", "expired", "disabled"]).optional().openapi({
    description: "`expired`: not disabled, and `expireAt` has passed. `active`: neither of the two.",
  }),
  sort: z.enum(["createdAt", "clickCount"]).default("createdAt"),
  order: z.enum(["asc", "desc"]).default("desc"),
});

/** A page of links. */
export const linksShown = z
  .object({
    links: z.array(linkShown),
    nextCursor: z.string().nullable().openapi({ description: "Null on the last page." }),
  })
  .openapi("Links");

/** The parsed query of a list. */
export type LinksQuery = z.output<typeof linksQuery>;
