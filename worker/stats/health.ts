/**
 * `/healthz?deep=1`: asks every backend and says which is down.
 *
 * @module
 */
import { Hono, type MiddlewareHandler } from "hono";
import type { ApiEnv } from "../http/api-env.ts";
import { log } from "../telemetry/log.ts";

/** What can be asked, handed in: each resolves when the backend answers, within a limit of its own. */
export interface HealthParts {
  readonly mayRead: MiddlewareHandler<ApiEnv>;
  readonly backends: Readonly<Record<string, () => Promise<unknown>>>;
}

const RETRY_AFTER_SECONDS = 5;

/** `GET /healthz?deep=1`: 200 when all is well, else 503. */
export function healthRoutes({ mayRead, backends }: HealthParts): Hono<ApiEnv> {
  const routes = new Hono<ApiEnv>();
  routes.use("/*", mayRead);
  routes.get("/", async (c) => {
    const asked = Object.entries(backends).map(async ([name, ask]) => [name, await stateOf(name, ask)] as const);
    const checks = Object.fromEntries(await Promise.all(asked));
    const isWell = Object.values(checks).every((state) => state === "ok");
    const headers = { "Cache-Control": "no-store", ...(isWell ? {} : { "Retry-After": String(RETRY_AFTER_SECONDS) }) };
    return c.json({ status: isWell ? "ok" : "down", checks }, isWell ? 200 : 503, headers);
  });
  return routes;
}

async function stateOf(backend: string, ask: () => Promise<unknown>): Promise<"ok" | "down"> {
  try {
    await ask();
    return "ok";
  } catch (error) {
    log("warn", "backend_unwell", { backend }, error);
    return "down";
  }
}
