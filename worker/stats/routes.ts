/**
 * `/api/v1/stats`, and `stats` and `clicks` of `/api/v1/links/{code}`: parses, asks, answers.
 *
 * @module
 */
import { OpenAPIHono } from "@hono/zod-openapi";
import type { MiddlewareHandler } from "hono";
import type { StatsShown } from "../../shared/schema/stats.ts";
import type { ApiEnv } from "../http/api-env.ts";
import { keyOf, noSuchLink } from "../http/link-key.ts";
import { refuseInvalid } from "../http/validation.ts";
import { clicksAsCsv } from "./click-log/csv.ts";
import { cursorOf, positionIn } from "./click-log/cursor.ts";
import { allStatsCall, clickLogCall, eraseClicksCall, linkStatsCall } from "./contract.ts";
import { type LocalInstant, MAX_BUCKETS, type StatsStore } from "./queries.ts";
import { refused, reversed, unknownZone } from "./refusals.ts";
import type { Scope, StatsQuestion } from "./rollups.ts";
import type { EraseClicks } from "./store.ts";

/** What statistics need, handed in. */
export interface StatsParts {
  readonly store: StatsStore;
  /** Hosts that links may live on; empty when each host is a domain of its own. */
  readonly domains: readonly string[];
  /** Finds a link as it stands now: what is erased must be the clicks of no earlier link. */
  readonly findToErase: StatsStore["findLink"];
  readonly eraseClicks: EraseClicks;
  readonly mayRead: MiddlewareHandler<ApiEnv>;
  readonly mayErase: MiddlewareHandler<ApiEnv>;
}

/** `GET /api/v1/links/{code}/stats`, and `GET` and `DELETE …/clicks` */
export function linkStatsRoutes(parts: StatsParts): OpenAPIHono<ApiEnv> {
  const routes = new OpenAPIHono<ApiEnv>({ defaultHook: refuseInvalid });
  routes.use("/:code/stats", parts.mayRead);
  routes.get("/:code/clicks", parts.mayRead);
  routes.delete("/:code/clicks", parts.mayErase);
  routes.openapi(linkStatsCall, async (c) => {
    const { domain, ...asked } = c.req.valid("query");
    const linkId = await parts.store.findLink(keyOf(c, parts.domains, c.req.valid("param").code, domain));
    if (linkId === undefined) throw noSuchLink();
    return c.json(await figures(parts.store, { linkId }, { ...asked, now: c.env.scope.now }), 200, NOT_KEPT);
  });
  routes.openapi(clickLogCall, async (c) => {
    const { domain, cursor, limit, format, ...asked } = c.req.valid("query");
    const after = cursor === undefined ? undefined : positionIn(cursor);
    if (after === null) throw refused("cursor", "The cursor is none that this API gave.");
    const linkId = await parts.store.findLink(keyOf(c, parts.domains, c.req.valid("param").code, domain));
    if (linkId === undefined) throw noSuchLink();
    const page = await parts.store.readClicks(linkId, { ...asked, now: c.env.scope.now }, after, limit);
    if (page === "unknown_zone") throw unknownZone(asked.timezone);
    const clicks = [...page];
    const last = clicks.length < limit ? undefined : clicks.at(-1);
    const nextCursor = last === undefined ? null : cursorOf({ at: Date.parse(last.time), id: last.id });
    if (format === "json") return c.json({ clicks, nextCursor }, 200, NOT_KEPT);
    const headers = { ...NOT_KEPT, ...(nextCursor === null ? {} : { "X-Next-Cursor": nextCursor }) };
    return c.body(clicksAsCsv(clicks), 200, { "Content-Type": "text/csv; charset=utf-8", ...headers });
  });
  routes.openapi(eraseClicksCall, async (c) => {
    const { domain, ...erasure } = c.req.valid("query");
    const linkId = await parts.findToErase(keyOf(c, parts.domains, c.req.valid("param").code, domain));
    if (linkId === undefined) throw noSuchLink();
    const erased = await parts.eraseClicks(linkId, erasure);
    if (erased.kind === "reversed") throw reversed();
    if (erased.kind === "unknown_zone") throw unknownZone(erasure.timezone);
    return c.json({ erased: erased.clicks }, 200, NOT_KEPT);
  });
  return routes;
}

/** `GET /api/v1/stats` */
export function allStatsRoutes(parts: StatsParts): OpenAPIHono<ApiEnv> {
  const routes = new OpenAPIHono<ApiEnv>({ defaultHook: refuseInvalid });
  routes.use("/*", parts.mayRead);
  routes.openapi(allStatsCall, async (c) => {
    const { domain, tag, ...asked } = c.req.valid("query");
    const question = { ...asked, now: c.env.scope.now };
    const scope: Scope = { domain: domain?.toLowerCase(), tag };
    const shown = await figures(parts.store, scope, question);
    return c.json({ ...shown, topLinks: [...(await parts.store.topLinks(scope, question))] }, 200, NOT_KEPT);
  });
  return routes;
}

const NOT_KEPT = { "Cache-Control": "no-store" };

async function figures(store: StatsStore, scope: Scope, question: StatsQuestion): Promise<StatsShown> {
  const stats = await store.read(scope, question);
  switch (stats.kind) {
    case "reversed":
      throw reversed();
    case "too_fine":
      throw refused(
        "interval",
        `The series would have more than ${MAX_BUCKETS} buckets. Ask for a longer interval or a shorter period.`,
      );
    case "unknown_zone":
      throw unknownZone(question.timezone);
    case "stats": {
      const { clicks, humans, visitors } = stats.totals;
      return {
        from: local(stats.from),
        to: local(stats.to),
        interval: question.interval,
        timezone: question.timezone,
        totals: { clicks, humans, bots: clicks - humans, visitors },
        series: stats.series.map(({ time, ...counts }) => ({ time: local(time), ...counts })),
        breakdowns: stats.breakdowns,
      };
    }
  }
}

/** RFC 3339 in local time: `2026-12-01T00:00:00.000+01:00`; UTC is `Z`. */
function local({ at, offsetMinutes }: LocalInstant): string {
  const time = new Date(at + offsetMinutes * 60_000).toISOString();
  if (offsetMinutes === 0) return time;
  const minutes = Math.abs(offsetMinutes);
  const digits = [Math.floor(minutes / 60), minutes % 60].map((part) => String(part).padStart(2, "0"));
  return `${time.slice(0, -1)}${offsetMinutes < 0 ? "-" : "+"}${digits.join(":")}`;
}
