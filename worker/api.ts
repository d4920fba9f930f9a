/**
 * The API's door: everything under `/api`, `/metrics` and the deep look at health, as one Hono app that is loaded when it is first asked for.
 *
 * @module
 */
import { OpenAPIHono } from "@hono/zod-openapi";
import { methodNotAllowed } from "hono/method-not-allowed";
import { ABOUT } from "./docs/document.ts";
import { docsRoutes } from "./docs/routes.ts";
import type { ApiEnv } from "./http/api-env.ts";
import { allowOrigins } from "./http/cors.ts";
import type { RequestScope } from "./http/context.ts";
import { answerError, problemResponse, wrongMethod } from "./http/problem.ts";
import { refuseInvalid } from "./http/validation.ts";
import { keyRoutes, type KeyParts } from "./keys/routes.ts";
import { linkRoutes, type LinkParts } from "./links/routes.ts";
import { reportError } from "./telemetry/log.ts";
import { type HealthParts, healthRoutes } from "./stats/health.ts";
import { type MetricParts, metricRoutes } from "./stats/metrics/routes.ts";
import { missRoutes, type MissParts } from "./stats/misses/routes.ts";
import { allStatsRoutes, linkStatsRoutes, type StatsParts } from "./stats/routes.ts";
import { exportRoutes, importRoutes, type TransferParts } from "./transfer/routes.ts";
import { webhookRoutes, type WebhookParts } from "./webhooks/routes.ts";
import {
  wireHealth,
  wireKeys,
  wireLinks,
  wireMetrics,
  wireMisses,
  wireStats,
  wireTransfer,
  wireWebhooks,
} from "./wiring/api.ts";
import { wire } from "./wiring/core.ts";

type Api = OpenAPIHono<ApiEnv>;

let built: Api | undefined;

/** Answers a request under `/api`, or for `/metrics`. */
export async function handleApi(request: Request, scope: RequestScope): Promise<Response> {
  built ??= createApi({
    links: await wireLinks(),
    stats: await wireStats(),
    misses: await wireMisses(),
    metrics: await wireMetrics(),
    webhooks: await wireWebhooks(),
    keys: await wireKeys(),
    transfer: await wireTransfer(),
    health: wireHealth(),
    corsOrigins: wire().config.corsOrigins,
  });
  return built.fetch(request, { scope });
}

interface ApiParts {
  readonly links: LinkParts;
  readonly stats: StatsParts;
  readonly misses: MissParts;
  readonly webhooks: WebhookParts;
  readonly keys: KeyParts;
  readonly transfer: TransferParts;
  readonly metrics: MetricParts;
  readonly health: HealthParts;
  readonly corsOrigins: readonly string[];
}

function createApi({ links, stats, misses, webhooks, keys, transfer, metrics, health, corsOrigins }: ApiParts): Api {
  const api = new OpenAPIHono<ApiEnv>({ defaultHook: refuseInvalid });
  api.use(async (c, next) => {
    await next();
    c.header("X-Request-Id", c.env.scope.requestId);
    c.header("X-Content-Type-Options", "nosniff");
  });
  api.use("/api/v1/*", allowOrigins(corsOrigins));
  api.use(
    methodNotAllowed({
      app: api,
      onMethodNotAllowed: (c, methods) => wrongMethod(c.env.scope, c.req.method, methods),
    }),
  );
  api.route("/api/v1/links", linkStatsRoutes(stats));
  api.route("/api/v1/links", linkRoutes(links));
  api.route("/api/v1/stats", allStatsRoutes(stats));
  api.route("/api/v1/misses", missRoutes(misses));
  api.route("/api/v1/webhooks", webhookRoutes(webhooks));
  api.route("/api/v1/keys", keyRoutes(keys));
  api.route("/api/v1/export", exportRoutes(transfer));
  api.route("/api/v1/import", importRoutes(transfer));
  api.route("/metrics", metricRoutes(metrics));
  api.route("/healthz", healthRoutes(health));
  api.route("/", docsRoutes({ describe: () => api.getOpenAPI31Document(ABOUT) }));
  api.notFound((c) => problemResponse(c.env.scope, "not_found", "The API has no such address."));
  api.onError((error, c) => answerError(c.env.scope, error, reportError));
  return api;
}
