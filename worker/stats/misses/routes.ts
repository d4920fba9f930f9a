/**
 * `/api/v1/misses`: unknown codes that were asked for, such as a poster's misprint.
 *
 * @module
 */
import { createRoute, OpenAPIHono } from "@hono/zod-openapi";
import type { MiddlewareHandler } from "hono";
import { missesQuery, missesShown } from "../../../shared/schema/misses.ts";
import type { Moment } from "../../../shared/schema/stats.ts";
import type { ApiEnv } from "../../http/api-env.ts";
import { refusals, security } from "../../http/contract.ts";
import { refuseInvalid } from "../../http/validation.ts";
import { reversed } from "../refusals.ts";
import type { ReadMisses } from "./queries.ts";

/** What the misses need, handed in. */
export interface MissParts {
  readonly readMisses: ReadMisses;
  readonly mayRead: MiddlewareHandler<ApiEnv>;
}

const DAY_MS = 24 * 60 * 60 * 1000;
const DEFAULT_DAYS = 30;

const missesCall = createRoute({
  method: "get",
  path: "/",
  operationId: "readMisses",
  summary: "The unknown codes that were asked for most",
  description: "By day (UTC), for 90 days. A thousand codes a day are kept apart; `other` has the rest.",
  security,
  request: { query: missesQuery },
  responses: {
    ...refusals,
    200: { description: "The codes.", content: { "application/json": { schema: missesShown } } },
  },
});

/** `GET /api/v1/misses` */
export function missRoutes({ readMisses, mayRead }: MissParts): OpenAPIHono<ApiEnv> {
  const routes = new OpenAPIHono<ApiEnv>({ defaultHook: refuseInvalid });
  routes.use("/*", mayRead);
  routes.openapi(missesCall, async (c) => {
    const { domain, limit, ...asked } = c.req.valid("query");
    const { now } = c.env.scope;
    const to = asked.to === undefined ? dayOf(now) : dayIn(asked.to);
    const from = asked.from === undefined ? dayOf(Date.parse(to) - (DEFAULT_DAYS - 1) * DAY_MS) : dayIn(asked.from);
    if (from > to) throw reversed();
    const { misses, other } = await readMisses({ from, to, domain: domain?.toLowerCase(), limit });
    return c.json({ from, to, misses: [...misses], other }, 200, { "Cache-Control": "no-store" });
  });
  return routes;
}

function dayIn(moment: Moment): string {
  return "day" in moment ? moment.day : dayOf(moment.at);
}

function dayOf(at: number): string {
  return new Date(at).toISOString().slice(0, 10);
}
