/**
 * `/api/v1/webhooks`: who is told of clicks and changes of links, and what came of it. Statuses live here alone.
 *
 * @module
 */
import { OpenAPIHono } from "@hono/zod-openapi";
import type { Context, MiddlewareHandler } from "hono";
import type { WebhookShown } from "../../shared/schema/webhook.ts";
import type { ApiEnv } from "../http/api-env.ts";
import { chooseDomain } from "../http/link-key.ts";
import { Refusal } from "../http/problem.ts";
import { refuseInvalid } from "../http/validation.ts";
import {
  changeWebhookCall,
  createWebhookCall,
  deleteWebhookCall,
  listWebhooksCall,
  readDeliveriesCall,
  readWebhookCall,
  replayFailedCall,
  replayOneCall,
  rotateSecretCall,
  testWebhookCall,
} from "./contract.ts";
import { cursorAfter, positionIn } from "./cursor.ts";
import { MAX_CLICK_WEBHOOKS, MAX_WEBHOOKS, type WebhookRegistry } from "./queries.ts";
import { checkReceiver, type ReceiverPolicy } from "./receiver.ts";
import type { WakeWebhooks } from "./wake.ts";

/** What the webhooks need, handed in. */
export interface WebhookParts {
  readonly registry: WebhookRegistry;
  readonly wake: WakeWebhooks;
  readonly newSecret: () => string;
  readonly newId: () => string;
  readonly domains: readonly string[];
  /** Where messages may go, given the host that was asked. */
  readonly receiverPolicy: (host: string) => ReceiverPolicy;
  readonly mayAdminister: MiddlewareHandler<ApiEnv>;
}

/** How long the secret before is valid beside a new one. */
const ROTATION_MS = 24 * 60 * 60 * 1000;
const CLICKED = "link.clicked";
const NO_STORE = { "Cache-Control": "no-store" };

/** The routes. All of them take the scope `admin`: a webhook tells its receiver of every link. */
export function webhookRoutes(parts: WebhookParts): OpenAPIHono<ApiEnv> {
  const { registry } = parts;
  const routes = new OpenAPIHono<ApiEnv>({ defaultHook: refuseInvalid });
  routes.use("/*", parts.mayAdminister);

  routes.openapi(createWebhookCall, async (c) => {
    const body = c.req.valid("json");
    await refuseOneMoreListener(registry, body.events);
    const secret = parts.newSecret();
    const settings = {
      url: receiverIn(c, parts, body.url),
      description: body.description ?? null,
      events: body.events,
      domain: domainIn(c, parts, body.domain ?? null),
      tags: body.tags ?? [],
    };
    const made = await registry.create(parts.newId(), settings, secret, c.env.scope.now);
    if (made === undefined) {
      throw new Refusal("conflict", `There are ${MAX_WEBHOOKS} webhooks already. Delete one that is not needed.`);
    }
    return c.json({ ...made, secret }, 201, { Location: `/api/v1/webhooks/${made.id}`, ...NO_STORE });
  });

  routes.openapi(listWebhooksCall, async (c) => c.json({ webhooks: [...(await registry.list())] }, 200, NO_STORE));

  routes.openapi(readWebhookCall, async (c) =>
    c.json(await orRefuse(registry.find(idIn(c.req.valid("param").id))), 200, NO_STORE),
  );

  routes.openapi(changeWebhookCall, async (c) => {
    const id = idIn(c.req.valid("param").id);
    const { url, description, events, domain, tags, disabled } = c.req.valid("json");
    const change = {
      url: url === undefined ? undefined : receiverIn(c, parts, url),
      description,
      events,
      domain: domain === undefined ? undefined : domainIn(c, parts, domain),
      tags: tags === null ? [] : tags,
      disabled,
    };
    await refuseOneMoreListener(registry, events ?? [], id);
    const changed = await orRefuse(registry.change(id, change, c.env.scope.now));
    c.env.scope.waitUntil(parts.wake());
    return c.json(changed, 200, NO_STORE);
  });

  routes.openapi(deleteWebhookCall, async (c) => {
    if (!(await registry.remove(idIn(c.req.valid("param").id)))) throw noSuchWebhook();
    return c.body(null, 204);
  });

  routes.openapi(rotateSecretCall, async (c) => {
    const secret = parts.newSecret();
    const { now } = c.env.scope;
    const id = idIn(c.req.valid("param").id);
    const rotated = await orRefuse(registry.rotate(id, secret, now + ROTATION_MS, now));
    return c.json({ ...rotated, secret }, 200, NO_STORE);
  });

  addDeliveries(routes, parts);
  return routes;
}

function addDeliveries(routes: OpenAPIHono<ApiEnv>, parts: WebhookParts): void {
  const { registry } = parts;
  routes.openapi(testWebhookCall, async (c) => {
    const id = idIn(c.req.valid("param").id);
    await requireOn(registry, id);
    const delivery = await registry.addTest(id, `test_${parts.newId()}`, c.env.scope.now);
    if (delivery === undefined) throw noSuchWebhook();
    c.env.scope.waitUntil(parts.wake());
    return c.json(delivery, 202, NO_STORE);
  });

  routes.openapi(readDeliveriesCall, async (c) => {
    const id = idIn(c.req.valid("param").id);
    const { status, limit, cursor } = c.req.valid("query");
    const after = cursor === undefined ? undefined : positionIn(cursor);
    if (after === null) throw invalid("cursor", "The cursor is none that this call answered.");
    await orRefuse(registry.find(id));
    const found = await registry.readDeliveries(id, { status, after, limit: limit + 1 });
    const deliveries = found.slice(0, limit);
    const last = deliveries.at(-1);
    const nextCursor = found.length > limit && last !== undefined ? cursorAfter(last) : null;
    return c.json({ deliveries, nextCursor }, 200, NO_STORE);
  });

  routes.openapi(replayOneCall, async (c) => {
    const { id, deliveryId } = c.req.valid("param");
    await requireOn(registry, idIn(id));
    const delivery = isStorable(deliveryId) ? await registry.replay(idIn(id), deliveryId, c.env.scope.now) : undefined;
    if (delivery === undefined) throw new Refusal("not_found", "This webhook has no such delivery.");
    c.env.scope.waitUntil(parts.wake());
    return c.json(delivery, 202, NO_STORE);
  });

  routes.openapi(replayFailedCall, async (c) => {
    const id = idIn(c.req.valid("param").id);
    const { now } = c.env.scope;
    const { from, to = now } = c.req.valid("json");
    if (from > to) throw invalid("to", "The period ends before it begins: `to` is earlier than `from`.");
    await requireOn(registry, id);
    const replayed = await registry.replayFailed(id, from, to, now);
    c.env.scope.waitUntil(parts.wake());
    return c.json({ replayed }, 202, NO_STORE);
  });
}

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** What is no UUID names no webhook. */
function idIn(id: string): string {
  if (!UUID.test(id)) throw noSuchWebhook();
  return id;
}

function isStorable(id: string): boolean {
  return id.isWellFormed() && !id.includes("\u0000");
}

function receiverIn(c: Context<ApiEnv>, parts: WebhookParts, url: string): string {
  const checked = checkReceiver(url, parts.receiverPolicy(c.env.scope.host));
  if (checked.ok) return checked.href;
  throw new Refusal("url_not_allowed", checked.message, { errors: [{ path: "url", message: checked.message }] });
}

function domainIn(c: Context<ApiEnv>, { domains }: WebhookParts, domain: string | null): string | null {
  return domain === null ? null : chooseDomain(c, domains, domain);
}

/** What would only wait is not promised to be on its way. */
async function requireOn(registry: WebhookRegistry, id: string): Promise<void> {
  if ((await orRefuse(registry.find(id))).disabled) {
    throw new Refusal("conflict", 'This webhook is switched off. Switch it on first: {"disabled": false}.');
  }
}

/** Whoever listens to clicks already may go on. */
async function refuseOneMoreListener(
  registry: WebhookRegistry,
  events: readonly string[],
  ownId?: string,
): Promise<void> {
  if (!events.includes(CLICKED)) return;
  const listening = (await registry.list()).filter((webhook) => webhook.events.includes(CLICKED));
  if (listening.length < MAX_CLICK_WEBHOOKS || listening.some(({ id }) => id === ownId)) return;
  const most = `${MAX_CLICK_WEBHOOKS} webhooks are told of clicks already, which is the most.`;
  throw new Refusal("conflict", `${most} Delete one, or have one receiver tell the others.`);
}

async function orRefuse(found: Promise<WebhookShown | undefined>): Promise<WebhookShown> {
  const webhook = await found;
  if (webhook === undefined) throw noSuchWebhook();
  return webhook;
}

function noSuchWebhook(): Refusal {
  return new Refusal("not_found", "There is no webhook with this id.");
}

function invalid(path: string, message: string): Refusal {
  return new Refusal("invalid_request", message, { errors: [{ path, message }] });
}
