/**
 * Which web pages may call the API from a browser (Fetch standard, "HTTP-access control").
 *
 * @module
 */
import type { MiddlewareHandler } from "hono";
import { cors } from "hono/cors";
import type { ApiEnv } from "./api-env.ts";

/** What a page may send, and may read. Never credentials: a key is sent by hand, and there are no cookies. */
const MANNERS = {
  allowMethods: ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"],
  allowHeaders: ["Authorization", "Content-Type", "Idempotency-Key", "If-Match", "X-Api-Key"],
  exposeHeaders:
    "ETag Location Retry-After X-Request-Id X-Next-Cursor Idempotent-Replayed RateLimit-Policy RateLimit".split(" "),
  /** Ten minutes: longer than most sessions' calls, shorter than a change of the list should take. */
  maxAge: 600,
};

/**
 * Builds the guard: pages of these origins (`*`: of any) may call, and their preflights are answered here, with no key and nothing
 * run. For all others no header is set, and a browser keeps them out.
 */
export function allowOrigins(origins: readonly string[]): MiddlewareHandler<ApiEnv> {
  const isAny = origins.includes("*");
  const allow = cors({ ...MANNERS, origin: isAny ? "*" : [...origins] });
  return async (c, next) => {
    const isListed = isAny || origins.includes(c.req.header("Origin") ?? "");
    const isPreflight = c.req.header("Access-Control-Request-Method") !== undefined;
    if (isListed && (isPreflight || c.req.method !== "OPTIONS")) return allow(c, next);
    await next();
    // Else a cache could hand out this answer to a page that is allowed, or the other way round.
    if (origins.length > 0 && !isAny) c.header("Vary", "Origin", { append: true });
    return undefined;
  };
}
