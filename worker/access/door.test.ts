/**
 * A key that calls too often is told to come back, and holds up nobody else.
 *
 * @module
 */
import { env } from "cloudflare:workers";
import { Hono } from "hono";
import { test } from "vitest";
import type { Scope } from "../../shared/api-key.ts";
import type { ApiEnv } from "../http/api-env.ts";
import { openScope } from "../http/context.ts";
import { answerError } from "../http/problem.ts";
import { createKeyDoor } from "./door.ts";
import { ADMIN } from "./keys.ts";
import { mayGoOn } from "./rate-limit.ts";

/** As `wrangler.toml` has it. */
const LIMIT = 600;

/** The guard over the platform's limiter; whoever calls is who their key says. */
function open(limiter: RateLimit) {
  const door = createKeyDoor({
    authenticate: async (id) => ({ id, scopes: id === ADMIN ? ["admin"] : ["links:read"] }),
    mayTry: async () => true,
    mayCall: (id) => mayGoOn(limiter, id),
    callsPerMinute: LIMIT,
    idempotently: async (_c, _caller, _key, next) => {
      await next();
      return undefined;
    },
  });
  return async (id: string, scope: Scope = "links:read"): Promise<Response> => {
    const app = new Hono<ApiEnv>();
    app.get("/", door(scope), (c) => c.text("inside"));
    app.onError((error, c) => answerError(c.env.scope, error, () => {}));
    const request = new Request("https://door.example.test/", { headers: { "X-Api-Key": id } });
    return app.fetch(request, { scope: openScope(request, Date.now(), () => {}) });
  };
}

/**
 * Spends the limit, then calls. A minute that ends in between gives the key all its calls back, so what was let in is asked again; two
 * minutes cannot end within three attempts.
 */
async function callExhausted(call: () => Promise<Response>, id: string): Promise<Response> {
  let response = await call();
  for (let attempt = 0; attempt < 3 && response.status !== 429; attempt += 1) {
    await Promise.all(Array.from({ length: LIMIT + 1 }, () => env.API_LIMIT.limit({ key: id })));
    response = await call();
  }
  return response;
}

test("B224: beyond its limit a key is 429, with the standard headers; others and the admin key go on", async ({
  expect,
}) => {
  const call = open(env.API_LIMIT);
  const [busy, calm] = [crypto.randomUUID(), crypto.randomUUID()];
  const policy = `"key";q=${LIMIT};w=60`;
  const before = await call(busy);
  expect([before.status, before.headers.get("RateLimit-Policy")]).toEqual([200, policy]);

  const refused = await callExhausted(() => call(busy), busy);
  expect(Object.fromEntries(refused.headers)).toMatchObject({
    "retry-after": "60",
    "ratelimit-policy": policy,
    ratelimit: '"key";r=0;t=60',
  });
  expect([refused.status, await refused.json()]).toMatchObject([429, { code: "rate_limited" }]);
  expect((await call(calm)).status).toBe(200);
  const admin = await callExhausted(() => call(ADMIN), ADMIN);
  expect([admin.status, admin.headers.has("RateLimit-Policy")]).toEqual([200, false]);
});

test("a refusal tells the policy as well, and is a call like any other", async ({ expect }) => {
  const call = open(env.API_LIMIT);
  const id = crypto.randomUUID();
  const refused = await call(id, "links:write");
  expect([refused.status, refused.headers.get("RateLimit-Policy")]).toEqual([403, `"key";q=${LIMIT};w=60`]);
  expect((await callExhausted(() => call(id, "links:write"), id)).status).toBe(429);
});

test("a limiter that cannot be asked stops nobody", async ({ expect }) => {
  const call = open({ limit: () => Promise.reject(new Error("away")) });
  expect((await call(crypto.randomUUID())).status).toBe(200);
});
