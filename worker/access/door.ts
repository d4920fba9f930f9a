/**
 * The API's guard: no request passes without a key that may do what it asks for.
 *
 * @module
 */
import type { MiddlewareHandler } from "hono";
import type { Scope } from "../../shared/api-key.ts";
import type { ApiEnv } from "../http/api-env.ts";
import { clientAddress } from "../http/context.ts";
import { Refusal } from "../http/problem.ts";
import { allows, type Authenticate } from "./keys.ts";

/** Whether one more refused key may be tried from this address. */
export type MayTryKey = (address: string) => Promise<boolean>;

const RETRY_AFTER_SECONDS = 60;

/** Builds the guard: 401 for no key or a wrong one (429 after too many), 403 where the scope is missing. */
export function createKeyDoor(authenticate: Authenticate, mayTry: MayTryKey) {
  return (scope: Scope): MiddlewareHandler<ApiEnv> =>
    async (c, next) => {
      const caller = await authenticate(c.req.raw.headers, c.env.scope);
      if (caller === null) {
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
      await next();
    };
}
