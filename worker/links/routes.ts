/**
 * The links' part of the API: parses, asks the room, answers. Statuses and headers live here and nowhere else in this room.
 *
 * @module
 */
import { OpenAPIHono } from "@hono/zod-openapi";
import type { Context, MiddlewareHandler } from "hono";
import type { Link } from "../../shared/link.ts";
import type { ApiEnv } from "../http/api-env.ts";
import { ifMatch } from "../http/conditions.ts";
import { clientAddress, placeOf } from "../http/context.ts";
import { chooseDomain, keyOf, noSuchLink } from "../http/link-key.ts";
import { Refusal } from "../http/problem.ts";
import { createRefuseInvalid } from "../http/validation.ts";
import { externalIdTaken, hasChanged, keepsChanging, notCreated, refusalOf, show } from "./answers.ts";
import { addBulk, type BulkRouteParts } from "./bulk/routes.ts";
import { type ChangeParts, changeLink, deleteLink } from "./change.ts";
import {
  changeLinkCall,
  createLinkCall,
  deleteLinkCall,
  listLinksCall,
  readLinkCall,
  upsertLinkCall,
} from "./contract.ts";
import { type CreateContext, type Created, type CreateParts, createLink } from "./create.ts";
import { EXTERNAL_ID_PREFIX } from "./custom-code.ts";
import { listLinks } from "./list.ts";
import { misnomer } from "./misnomers.ts";
import type { ListLinks } from "./queries.ts";
import { addQr } from "./qr.ts";
import { etagOf, linkOf } from "./rows.ts";
import type { LinkName } from "./store.ts";
import { upsertLink } from "./upsert.ts";

/** What the links need, handed in. */
export interface LinkParts extends CreateParts, ChangeParts, BulkRouteParts {
  /** Reads pages of links, from the replica where there is one. */
  readonly listRows: ListLinks;
  /** Wakes whoever tells webhooks of what changed; never rejects. */
  readonly wakeWebhooks: () => Promise<unknown>;
  readonly mayRead: MiddlewareHandler<ApiEnv>;
  readonly mayWrite: MiddlewareHandler<ApiEnv>;
}

const READING = new Set(["GET", "HEAD"]);

/** `/api/v1/links`: create, upsert, list, read, change and delete, and the picture of a link. */
export function linkRoutes(parts: LinkParts): OpenAPIHono<ApiEnv> {
  const routes = new OpenAPIHono<ApiEnv>({ defaultHook: createRefuseInvalid(misnomer) });
  routes.use("/*", (c, next) => (READING.has(c.req.method) ? parts.mayRead : parts.mayWrite)(c, next));
  // The change is committed, and what is to be told of it with it: telling can wait until the answer has left.
  routes.use("/*", async (c, next) => {
    await next();
    if (!READING.has(c.req.method) && c.res.ok) c.env.scope.waitUntil(parts.wakeWebhooks());
  });

  routes.openapi(listLinksCall, async (c) => {
    const listed = await listLinks(parts.listRows, c.req.valid("query"), c.env.scope.now);
    if (listed.kind === "bad_cursor") {
      const message = "is no cursor of this list and order; begin without one";
      throw new Refusal("invalid_request", `The cursor ${message}.`, { errors: [{ path: "cursor", message }] });
    }
    const links = listed.links.map((link) => show(c, link));
    return c.json({ links, nextCursor: listed.nextCursor }, 200, { "Cache-Control": "no-store" });
  });

  routes.openapi(readLinkCall, async (c) => {
    const row = await parts.store.find(
      nameOf(c, parts.domains, c.req.valid("param").code, c.req.valid("query").domain),
    );
    if (row === undefined) throw noSuchLink();
    const link = linkOf(row);
    return c.json(show(c, link), 200, { ETag: etagOf(link), "Cache-Control": "no-store" });
  });

  addCreations(routes, parts);
  addBulk(routes, parts);
  addQr(routes, parts);
  addChanges(routes, parts);
  return routes;
}

function addCreations(routes: OpenAPIHono<ApiEnv>, parts: LinkParts): void {
  const contextOf = (c: Context<ApiEnv>, domain: string): CreateContext => ({
    domain,
    policy: parts.policyFor([...parts.domains, domain, c.env.scope.host]),
    creatorIp: parts.cutAddress(clientAddress(c.req.raw)),
    place: placeOf(c.req.raw),
    now: c.env.scope.now,
  });

  routes.openapi(createLinkCall, async (c) => {
    const body = c.req.valid("json");
    const domain = chooseDomain(c, parts.domains, body.domain);
    const created = await createLink(parts, body, contextOf(c, domain));
    if (created.kind === "existing") return c.json(show(c, created.link), 200, { ETag: etagOf(created.link) });
    const link = requireCreated(created, domain);
    return c.json(show(c, link), 201, placeAndTag(link));
  });

  routes.openapi(upsertLinkCall, async (c) => {
    const body = c.req.valid("json");
    const domain = chooseDomain(c, parts.domains, body.domain);
    const upserted = await upsertLink(parts, body, contextOf(c, domain));
    if (upserted.kind === "conflict") throw keepsChanging();
    if (upserted.kind === "existing") return c.json(show(c, upserted.link), 200, { ETag: etagOf(upserted.link) });
    const link = requireCreated(upserted, domain);
    return c.json(show(c, link), 201, placeAndTag(link));
  });
}

/** The link that was made; throws the refusal where none was. */
function requireCreated(created: Exclude<Created, { readonly kind: "existing" }>, domain: string): Link {
  if (created.kind === "created") return created.link;
  throw notCreated(created, domain);
}

function placeAndTag(link: Link): { readonly ETag: string; readonly Location: string } {
  return { ETag: etagOf(link), Location: `/api/v1/links/${encodeURIComponent(link.shortCode)}` };
}

function addChanges(routes: OpenAPIHono<ApiEnv>, parts: LinkParts): void {
  routes.openapi(changeLinkCall, async (c) => {
    const name = nameOf(c, parts.domains, c.req.valid("param").code, c.req.valid("query").domain);
    const matches = ifMatch(c.req.header("If-Match")) ?? (() => true);
    const policy = parts.policyFor([...parts.domains, name.domain, c.env.scope.host]);
    const changed = await changeLink(parts, name, c.req.valid("json"), matches, policy, c.env.scope.now);
    switch (changed.kind) {
      case "refused":
        throw refusalOf(changed);
      case "not_found":
        throw noSuchLink();
      case "outdated":
        throw hasChanged();
      case "external_id_taken":
        throw externalIdTaken();
      case "conflict":
        throw keepsChanging();
      case "changed":
        return c.json(show(c, changed.link), 200, { ETag: etagOf(changed.link) });
    }
  });

  routes.openapi(deleteLinkCall, async (c) => {
    const name = nameOf(c, parts.domains, c.req.valid("param").code, c.req.valid("query").domain);
    const deleted = await deleteLink(parts, name, ifMatch(c.req.header("If-Match")), c.env.scope.now);
    switch (deleted.kind) {
      case "not_found":
        throw noSuchLink();
      case "outdated":
        throw hasChanged();
      case "deleted":
        return c.body(null, 204);
    }
  });
}

/** `ext_{externalId}` may stand in the place of the code. */
function nameOf(c: Context<ApiEnv>, domains: readonly string[], code: string, domain: string | undefined): LinkName {
  const key = keyOf(c, domains, code, domain);
  if (!code.startsWith(EXTERNAL_ID_PREFIX)) return key;
  return { domain: key.domain, externalId: code.slice(EXTERNAL_ID_PREFIX.length) };
}
