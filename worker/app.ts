/**
 * The front door. Redirects are answered from here at once; the API is loaded when it is first asked for.
 *
 * @module
 */
import { Hono } from "hono/tiny";
import type { StatusClass } from "../shared/counters.ts";
import { openScope, type RequestScope } from "./http/context.ts";
import { answerError, problemResponse, wrongMethod } from "./http/problem.ts";
import { count, counterOf, durationsOf } from "./telemetry/counters.ts";
import { reportError } from "./telemetry/log.ts";
import { wire } from "./wiring/core.ts";

interface FrontEnv {
  Bindings: { scope: RequestScope };
}

const GET_AND_HEAD = ["GET", "HEAD"];
/** A link on a rounded square. */
const ICON =
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect width="32" height="32" rx="8" fill="#2f6fed"/><path d="M9 19c3-9 11-9 14 0" fill="none" stroke="#fff" stroke-width="3.4" stroke-linecap="round"/><circle cx="23" cy="21" r="2.6" fill="#fff"/></svg>';
/** Everything may be fetched but what is not for crawlers: redirects carry `noindex`, and link previews must work. */
const ROBOTS = "User-agent: *\nDisallow: /api/\nDisallow: /dashboard\n";
const DAY_SECONDS = 24 * 60 * 60;

const app = new Hono<FrontEnv>();

app.get("/healthz", async (c) =>
  c.req.query("deep") === "1"
    ? callApi(c.req.raw, c.env.scope)
    : c.json({ status: "ok" }, 200, { "Cache-Control": "no-store", ...stamp(c.env.scope) }),
);
app.get("/robots.txt", (c) => c.text(ROBOTS, 200, { ...cacheable(), ...stamp(c.env.scope) }));
app.get("/favicon.ico", (c) =>
  c.body(ICON, 200, { "Content-Type": "image/svg+xml", ...cacheable(), ...stamp(c.env.scope) }),
);
app.get("/", (c) => home(c.env.scope));
app.all("/api/*", (c) => callApi(c.req.raw, c.env.scope));
app.all("/metrics", (c) => callApi(c.req.raw, c.env.scope));
app.get("/*", (c) => wire().redirect(c.req.raw, c.env.scope));
app.post("/*", (c) =>
  ROUTED.has(c.env.scope.path)
    ? wrongMethod(c.env.scope, c.req.method, GET_AND_HEAD)
    : wire().submit(c.req.raw, c.env.scope),
);
app.all("/*", (c) => wrongMethod(c.env.scope, c.req.method, GET_AND_HEAD));
app.onError((error, c) => answerError(c.env.scope, error, reportError));
app.notFound((c) => problemResponse(c.env.scope, "not_found", "Nothing is here."));

/** What the router knows by name, in front of the links. `/api/*` is also `/api`. */
const ROUTED = new Set(app.routes.map(({ path }) => path.replace(/\/\*$/, "")));

/** A path of one plain segment that the router does not know is a link: most visits need no router. */
function isPlainLink({ isPlain, path }: RequestScope): boolean {
  return isPlain && !ROUTED.has(path);
}

/** Answers one request: at once, when it is for a link that memory knows. Never throws and never rejects. */
export function handleRequest(request: Request, context: ExecutionContext): Response | Promise<Response> {
  const scope = openScope(request, Date.now(), (work) => context.waitUntil(work));
  const response = answer(request, scope);
  return response instanceof Promise ? settle(scope, response) : counted(scope, response, 0);
}

function answer(request: Request, scope: RequestScope): Response | Promise<Response> {
  try {
    wire().ride(scope.now, scope.waitUntil);
    const needsRouter = !isPlainLink(scope) || !GET_AND_HEAD.includes(request.method);
    return needsRouter ? app.fetch(request, { scope }) : wire().redirect(request, scope);
  } catch (error) {
    return answerError(scope, error, reportError);
  }
}

async function settle(scope: RequestScope, pending: Promise<Response>): Promise<Response> {
  try {
    const response = await pending;
    return counted(scope, response, Date.now() - scope.now);
  } catch (error) {
    return counted(scope, answerError(scope, error, reportError), Date.now() - scope.now);
  }
}

const redirected = counterOf("requests:link:3xx");
const countRedirect = durationsOf("redirect_ms");

/** `ms`: what the platform's clock tells, which stands still while nothing is waited for. */
function counted(scope: RequestScope, response: Response, ms: number): Response {
  const door = doorOf(scope);
  const answered = classOf(response.status);
  // The counter of nearly all requests need not be looked for.
  if (door === "link" && answered === "3xx") redirected.value += 1;
  else count(`requests:${door}:${answered}`);
  if (door === "link") countRedirect(ms);
  return response;
}

function doorOf(scope: RequestScope): "link" | "api" | "page" {
  if (isPlainLink(scope)) return "link";
  if (/^\/(?:api(?:\/|$)|metrics$)/.test(scope.path)) return "api";
  return ROUTED.has(scope.path) ? "page" : "link";
}

function classOf(status: number): StatusClass {
  if (status < 300) return "2xx";
  if (status < 400) return "3xx";
  return status < 500 ? "4xx" : "5xx";
}

async function callApi(request: Request, scope: RequestScope): Promise<Response> {
  const { handleApi } = await import("./api.ts");
  return handleApi(request, scope);
}

async function home(scope: RequestScope): Promise<Response> {
  const { homeUrl } = wire().config;
  if (homeUrl !== null) {
    return new Response(null, {
      status: 302,
      headers: { Location: homeUrl, "Cache-Control": "no-store", ...stamp(scope) },
    });
  }
  const { homePage, PAGE_HEADERS } = await import("./pages/visitor-pages.tsx");
  return new Response(homePage(scope.host), { headers: { ...PAGE_HEADERS, ...stamp(scope) } });
}

function stamp(scope: RequestScope): Record<string, string> {
  return { "X-Request-Id": scope.requestId };
}

function cacheable(): Record<string, string> {
  return { "Cache-Control": `public, max-age=${DAY_SECONDS}` };
}
