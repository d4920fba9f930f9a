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
import { ADMIN, allows, type Authenticate, presentedKey } from "./keys.ts";

/** What the guard needs, handed in. */
export interface DoorParts {
  readonly authenticate: Authenticate;
  /** Whether one more refused key may be tried from this address. */
  readonly mayTry: (address: string) => Promise<boolean>;
  /** Whether a key (by its id) may make one more call. */
  readonly mayCall: (id: string) => Promise<boolean>;
  /** What `mayCall` allows, for callers to know. */
  readonly callsPerMinute: number;
  readonly idempotently: Idempotently;
}

/** What else is known of the calls behind a guard. */
export interface DoorManners {
  /** A POST that may run twice does no harm, so `Idempotency-Key` is of no effect and the body is not read ahead. */
  readonly isRepeatable?: boolean;
}

/** The period of both limits. */
const PERIOD_SECONDS = 60;
const RETRY_AFTER = { "Retry-After": String(PERIOD_SECONDS) };

/**
 * Builds the guard: 401 for no key or a wrong one (429 after too many), 429 for a key that calls too often, 403 where the scope is
 * missing. The headers are those of draft-ietf-httpapi-ratelimit-headers-10: how many calls are left, nobody counts exactly, so
 * `RateLimit` is told when there are none. `ADMIN_KEY` has no limit: it must work when all else does not.
 */
export function createKeyDoor({ authenticate, mayTry, mayCall, callsPerMinute, idempotently }: DoorParts) {
  const policy = { "RateLimit-Policy": `"key";q=${callsPerMinute};w=${PERIOD_SECONDS}` };
  return (scope: Scope, { isRepeatable = false }: DoorManners = {}): MiddlewareHandler<ApiEnv> =>
    async (c, next) => {
      const apiKey = presentedKey(c.req.raw.headers);
      const caller = apiKey === null ? null : await authenticate(apiKey, c.env.scope);
      if (apiKey === null || caller === null) {
        const address = clientAddress(c.req.raw);
        if (address !== null && !(await mayTry(address))) {
          throw new Refusal("rate_limited", "Too many requests with a wrong key came from this address.", {
            headers: RETRY_AFTER,
          });
        }
        throw new Refusal("unauthorized", "Send a valid API key: Authorization: Bearer <key>.", {
          headers: { "WWW-Authenticate": "Bearer" },
        });
      }
      if (caller.id !== ADMIN) {
        if (!(await mayCall(caller.id))) {
          throw new Refusal("rate_limited", `This key has made more than ${callsPerMinute} calls within a minute.`, {
            headers: { ...RETRY_AFTER, ...policy, RateLimit: `"key";r=0;t=${PERIOD_SECONDS}` },
          });
        }
        // Into whatever answer comes, also a refusal.
        for (const [name, value] of Object.entries(policy)) c.res.headers.set(name, value);
      }
      if (!allows(caller, scope)) throw new Refusal("forbidden", `This key lacks the scope ${scope}.`);
      if (!isRepeatable) return idempotently(c, caller, apiKey, next);
      await next();
      return undefined;
    };
}
