/**
 * The links' part of the HTTP contract: what each call takes and answers. Validation and the OpenAPI document are made of it.
 *
 * @module
 */
import { createRoute, z } from "@hono/zod-openapi";
import { bulkBody, bulkShown } from "../../shared/schema/link-bulk.ts";
import { linksQuery, linksShown } from "../../shared/schema/link-list.ts";
import { changeLinkBody, createLinkBody, linkShown, upsertLinkBody } from "../../shared/schema/link.ts";
import { qrQuery } from "../../shared/schema/qr.ts";
import { jsonBody, limitBody, MAX_BODY_BYTES, MAX_BULK_BODY_BYTES } from "../http/body.ts";
import { noSuchLink, ofOneLink, problem, refusals, security } from "../http/contract.ts";

const link = (description: string) => ({ description, content: { "application/json": { schema: linkShown } } });

const bodyRefusals = {
  413: problem("The body is too large."),
  415: problem("The body is not JSON in UTF-8."),
};
const hasChanged = { 412: problem("The link has changed since (`If-Match`).") };

const readsJson = [limitBody(MAX_BODY_BYTES), jsonBody];

/** `POST /api/v1/links` */
export const createLinkCall = createRoute({
  method: "post",
  path: "/",
  operationId: "createLink",
  summary: "Create a link",
  description:
    "Without `customCode`, the automatic link that has the same settings is answered instead of a second one, unless `maxClicks` or `password` is set.",
  security,
  middleware: readsJson,
  request: { body: { required: true, content: { "application/json": { schema: createLinkBody } } } },
  responses: {
    ...refusals,
    ...bodyRefusals,
    200: link("The same link existed already."),
    201: link("Created; `Location` names it."),
    409: problem("The custom code or the external id is taken."),
  },
});

/** `POST /api/v1/links/bulk` */
export const createLinksCall = createRoute({
  method: "post",
  path: "/bulk",
  operationId: "createLinks",
  summary: "Create up to 1,000 links",
  description:
    "`results` has what came of each, in order, with the status that it would have had alone; one that fails takes no other along. " +
    "Within the list the first of two with the same code or external id wins. A list without the object around it is taken as well.",
  security,
  middleware: [limitBody(MAX_BULK_BODY_BYTES), jsonBody],
  request: { body: { required: true, content: { "application/json": { schema: bulkBody } } } },
  responses: {
    ...refusals,
    ...bodyRefusals,
    200: { description: "What came of each.", content: { "application/json": { schema: bulkShown } } },
  },
});

/** `PUT /api/v1/links` */
export const upsertLinkCall = createRoute({
  method: "put",
  path: "/",
  operationId: "upsertLink",
  summary: "Create a link, or replace the settings of the one that has the same externalId",
  description:
    "Without `externalId`, the link is the one that has the `customCode`. What is not named gets its default. However many ask at once, " +
    "one link is made, and its settings are those of one of them.",
  security,
  middleware: readsJson,
  request: { body: { required: true, content: { "application/json": { schema: upsertLinkBody } } } },
  responses: {
    ...refusals,
    ...bodyRefusals,
    200: link("It existed, and is as the body says."),
    201: link("Created; `Location` names it."),
    409: problem("Another link has the custom code, or the external id."),
  },
});

/** `GET /api/v1/links` */
export const listLinksCall = createRoute({
  method: "get",
  path: "/",
  operationId: "listLinks",
  summary: "List and search links",
  description:
    "Follow `nextCursor` until it is null. Links that are made or deleted meanwhile make no other one be skipped or seen twice. " +
    "Sorted by clicks, a link that is clicked meanwhile moves, and may be seen twice or not at all.",
  security,
  request: { query: linksQuery },
  responses: {
    ...refusals,
    200: { description: "A page.", content: { "application/json": { schema: linksShown } } },
  },
});

/** `GET /api/v1/links/{code}` */
export const readLinkCall = createRoute({
  method: "get",
  path: "/{code}",
  operationId: "readLink",
  summary: "Read a link",
  security,
  request: ofOneLink,
  responses: {
    ...refusals,
    ...noSuchLink,
    200: link("The link."),
  },
});

const image = z.string().openapi({ format: "binary" });

/** `GET /api/v1/links/{code}/qr` */
export const drawQrCall = createRoute({
  method: "get",
  path: "/{code}/qr",
  operationId: "drawQrCode",
  summary: "The QR code of a link",
  description: "It holds the short URL with `?qr`, so that clicks tell that they came from one.",
  security,
  request: { params: ofOneLink.params, query: ofOneLink.query.extend(qrQuery) },
  responses: {
    ...refusals,
    ...noSuchLink,
    200: {
      description: "The picture.",
      content: { "image/svg+xml": { schema: z.string() }, "image/png": { schema: image } },
    },
    304: { description: "The picture is the one that `If-None-Match` names." },
  },
});

/** `PATCH /api/v1/links/{code}` */
export const changeLinkCall = createRoute({
  method: "patch",
  path: "/{code}",
  operationId: "changeLink",
  summary: "Change a link",
  description: "Only what is named changes; `null` sets a field back to its default.",
  security,
  middleware: readsJson,
  request: { ...ofOneLink, body: { required: true, content: { "application/json": { schema: changeLinkBody } } } },
  responses: {
    ...refusals,
    ...bodyRefusals,
    ...noSuchLink,
    ...hasChanged,
    200: link("Changed."),
    409: problem("The external id is taken, or other changes kept coming in between."),
  },
});

/** `DELETE /api/v1/links/{code}` */
export const deleteLinkCall = createRoute({
  method: "delete",
  path: "/{code}",
  operationId: "deleteLink",
  summary: "Delete a link",
  description: "The generator never gives its code to another link.",
  security,
  request: ofOneLink,
  responses: { ...refusals, ...noSuchLink, ...hasChanged, 204: { description: "Deleted." } },
});
