/**
 * The API's guard: no request passes without a key that may do what it asks for, and no POST runs twice whose caller forbids it.
 *
 * @module
 */
import type { MiddlewareHandler } from "hono";
import type { Scope } from "../../shared/api-key.ts";
import type { ApiEnv } from "../http/api-env.ts";
import { clientAddress } from "../http/context.ts";
import { Refusal } from "../http/problem.ts";
import type { Idempotently } from "./idempotency/middleware.ts";
import { allows, type Authenticate, presentedKey } from "./keys.ts";

/** What the guard needs, handed in. */
export interface DoorParts {
  readonly authenticate: Authenticate;
  /** Whether one more refused key may be tried from this address. */
  readonly mayTry: (address: string) => Promise<boolean>;
  readonly idempotently: Idempotently;
}

const RETRY_AFTER_SECONDS = 60;

/** Builds the guard: 401 for no key or a wrong one (429 after too many), 403 where the scope is missing. */
export function createKeyDoor({ authenticate, mayTry, idempotently }: DoorParts) {
  return (scope: Scope): MiddlewareHandler<ApiEnv> =>
    async (c, next) => {
      const apiKey = presentedKey(c.req.raw.headers);
      const caller = apiKey === null ? null : await authenticate(apiKey, c.env.scope);
      if (apiKey === null || caller === null) {
        const address = clientAddress(c.req.raw);
        if (address !== null && !(await mayTry(address))) {
          throw new Refusal("rate_limited", "Too many requests with a wrong key came from this address.", {
            headers: { "Retry-After": String(RETRY_AFTER_SECONDS) },
          });
        }
        throw new Refusal("unauthorized", "Send a valid API key: Authorization: Bearer <key>.", {
          headers: { "WWW-Authenticate": "Bearer" },
        });
      }
      if (!allows(caller, scope)) throw new Refusal("forbidden", `This key lacks the scope ${scope}.`);
      return idempotently(c, caller, apiKey, next);
    };
}
