/**
 * `/api/v1/keys`: keys for the API, each with what it may do. Statuses live here alone.
 *
 * @module
 */
import { OpenAPIHono } from "@hono/zod-openapi";
import type { MiddlewareHandler } from "hono";
import { hintOf } from "../../shared/api-key.ts";
import { hashKey } from "../access/keys.ts";
import type { ApiEnv } from "../http/api-env.ts";
import { Refusal } from "../http/problem.ts";
import { refuseInvalid } from "../http/validation.ts";
import { createKeyCall, listKeysCall, revokeKeyCall } from "./contract.ts";
import { type KeyRegistry, MAX_KEYS } from "./queries.ts";

/** What the keys need, handed in. */
export interface KeyParts {
  readonly registry: KeyRegistry;
  readonly newKey: () => string;
  readonly newId: () => string;
  /** Makes this isolate forget a key, by its hash, that it may have seen. */
  readonly forgetKey: (hash: string) => void;
  readonly mayAdminister: MiddlewareHandler<ApiEnv>;
}

const NO_STORE = { "Cache-Control": "no-store" };
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** The routes. All of them take the scope `admin`. */
export function keyRoutes(parts: KeyParts): OpenAPIHono<ApiEnv> {
  const routes = new OpenAPIHono<ApiEnv>({ defaultHook: refuseInvalid });
  routes.use("/*", parts.mayAdminister);

  routes.openapi(createKeyCall, async (c) => {
    const { name, scopes, expiresAt = null } = c.req.valid("json");
    const { now } = c.env.scope;
    if (expiresAt !== null && expiresAt <= now) throw alreadyExpired();
    const key = parts.newKey();
    const made = await parts.registry.create(
      { id: parts.newId(), hash: await hashKey(key), hint: hintOf(key), name, scopes, expiresAt },
      now,
    );
    if (made === undefined) {
      throw new Refusal("conflict", `There are ${MAX_KEYS} keys already. Revoke one that is not needed.`);
    }
    return c.json({ ...made, key }, 201, NO_STORE);
  });

  routes.openapi(listKeysCall, async (c) => c.json({ keys: [...(await parts.registry.list())] }, 200, NO_STORE));

  routes.openapi(revokeKeyCall, async (c) => {
    const { id } = c.req.valid("param");
    const hash = UUID.test(id) ? await parts.registry.revoke(id) : undefined;
    if (hash === undefined) throw new Refusal("not_found", "There is no key with this id.");
    parts.forgetKey(hash);
    return c.body(null, 204);
  });
  return routes;
}

function alreadyExpired(): Refusal {
  const message = "lies in the past";
  return new Refusal("invalid_request", `The request cannot be used: expiresAt: ${message}`, {
    errors: [{ path: "expiresAt", message }],
  });
}
