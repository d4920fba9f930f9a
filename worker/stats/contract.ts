/**
 * The statistics' part of the HTTP contract.
 *
 * @module
 */
import { createRoute, z } from "@hono/zod-openapi";
import {
  allStatsShown,
  clickLogQuery,
  clickPageShown,
  erasedShown,
  eraseQuery,
  scopeQuery,
  statsQuery,
  statsShown,
} from "../../shared/schema/stats.ts";
import { noSuchLink, ofOneLink, refusals, security } from "../http/contract.ts";

const description =
  "`from` and `to` are both included and widened to quarters of an hour; a day is one of the time zone. The sum of a breakdown is the number of clicks.";

/** `GET /api/v1/links/{code}/stats` */
export const linkStatsCall = createRoute({
  method: "get",
  path: "/{code}/stats",
  operationId: "readLinkStats",
  summary: "The figures of a link",
  description,
  security,
  request: { params: ofOneLink.params, query: ofOneLink.query.extend(statsQuery) },
  responses: {
    ...refusals,
    ...noSuchLink,
    200: { description: "The figures.", content: { "application/json": { schema: statsShown } } },
  },
});

/** `GET /api/v1/stats` */
export const allStatsCall = createRoute({
  method: "get",
  path: "/",
  operationId: "readStats",
  summary: "The figures of all links, of a domain's or of a tag's",
  description,
  security,
  request: {
    query: z.object({ ...scopeQuery, ...statsQuery }),
  },
  responses: {
    ...refusals,
    200: { description: "The figures.", content: { "application/json": { schema: allStatsShown } } },
  },
});

/** `GET /api/v1/links/{code}/clicks` */
export const clickLogCall = createRoute({
  method: "get",
  path: "/{code}/clicks",
  operationId: "readClicks",
  summary: "The clicks of a link, newest first",
  description:
    "A cursor stays valid while clicks are added: none is skipped or seen twice. As CSV the next cursor stands in the header `X-Next-Cursor`.",
  security,
  request: { params: ofOneLink.params, query: ofOneLink.query.extend(clickLogQuery) },
  responses: {
    ...refusals,
    ...noSuchLink,
    200: {
      description: "A page of clicks.",
      content: { "application/json": { schema: clickPageShown }, "text/csv": { schema: z.string() } },
    },
  },
});

/** `DELETE /api/v1/links/{code}/clicks` */
export const eraseClicksCall = createRoute({
  method: "delete",
  path: "/{code}/clicks",
  operationId: "eraseClicks",
  summary: "Erases the clicks of a link, all or those of a period",
  description:
    "`from` and `to` are both included and widened to quarters of an hour; an end that is not given is open. Single clicks, figures and the link's count lose them for good.",
  security,
  // A name that is mistyped must not erase everything.
  request: { params: ofOneLink.params, query: ofOneLink.query.extend(eraseQuery).strict() },
  responses: {
    ...refusals,
    ...noSuchLink,
    200: {
      description: "How many clicks were erased.",
      content: { "application/json": { schema: erasedShown } },
    },
  },
});
