/**
 * The API's door: everything under `/api`, `/metrics` and the deep look at health, as one Hono app that is loaded when it is first asked for.
 *
 * @module
 */
import { OpenAPIHono } from "@hono/zod-openapi";
import { methodNotAllowed } from "hono/method-not-allowed";
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
import { webhookRoutes, type WebhookParts } from "./webhooks/routes.ts";
import { wireHealth, wireKeys, wireLinks, wireMetrics, wireMisses, wireStats, wireWebhooks } from "./wiring/api.ts";
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
  readonly metrics: MetricParts;
  readonly health: HealthParts;
  readonly corsOrigins: readonly string[];
}

function createApi({ links, stats, misses, webhooks, keys, metrics, health, corsOrigins }: ApiParts): Api {
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
  api.route("/metrics", metricRoutes(metrics));
  api.route("/healthz", healthRoutes(health));
  describe(api);
  api.notFound((c) => problemResponse(c.env.scope, "not_found", "The API has no such address."));
  api.onError((error, c) => answerError(c.env.scope, error, reportError));
  return api;
}

/** What every POST takes, whatever it does: the door sees to it. */
const IDEMPOTENCY_KEY = {
  name: "Idempotency-Key",
  in: "header",
  required: false,
  description:
    "For 24 hours a repeat under the same key gets the first answer again, with `Idempotent-Replayed: true`.",
  schema: { type: "string", minLength: 1, maxLength: 255 },
} as const;
const IDEMPOTENCY_REFUSALS = {
  409: {
    description: "The first request with this `Idempotency-Key` still runs; `Retry-After` says when to come back.",
  },
  422: { description: "The `Idempotency-Key` was used for another request." },
};

/** `GET /api/openapi.json`, made of the schemas that validate requests. */
function describe(api: Api): void {
  const registry = api.openAPIRegistry;
  registry.registerComponent("securitySchemes", "bearer", { type: "http", scheme: "bearer" });
  registry.registerComponent("securitySchemes", "apiKey", { type: "apiKey", in: "header", name: "X-Api-Key" });
  api.get("/api/openapi.json", (c) => {
    const document = api.getOpenAPI31Document({
      openapi: "3.1.0",
      info: { title: "Hop", version: "1", description: "Short links served from the edge." },
    });
    for (const { post } of Object.values(document.paths ?? {})) {
      if (post === undefined) continue;
      post.parameters = [...(post.parameters ?? []), IDEMPOTENCY_KEY];
      post.responses = { ...IDEMPOTENCY_REFUSALS, ...post.responses };
    }
    return c.json(document);
  });
}
