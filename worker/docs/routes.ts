/**
 * What the API says of itself, to anybody: the OpenAPI document, a page to read and try it, and what each problem means.
 *
 * @module
 */
import { type Context, Hono } from "hono";
import { isProblemCode, problemType, PROBLEM_PAGES, type ProblemCode, PROBLEMS } from "../../shared/problem.ts";
import { PROBLEM_HELP } from "../../shared/problem-help.ts";
import type { ApiEnv } from "../http/api-env.ts";
import { prefersJson } from "../http/negotiate.ts";
import { Refusal } from "../http/problem.ts";
import { PAGE_HEADERS } from "../pages/layout.tsx";
import { problemList, problemPage, type ProblemFacts } from "../pages/problem-pages.tsx";
import { REFERENCE_HEADERS, referencePage } from "../pages/reference.tsx";
import { assetOf, assetPath, assetVersion } from "./assets.ts";
import { type ApiDocument, completeDocument } from "./document.ts";

/** What the documentation needs, handed in. */
export interface DocsParts {
  /** The document as the routes make it. */
  readonly describe: () => ApiDocument;
}

const YEAR_SECONDS = 365 * 24 * 60 * 60;
const FOR_GOOD = `public, max-age=${YEAR_SECONDS}, immutable`;
/** Pages and their answers differ by what is preferred. */
const NEGOTIATED = { "Cache-Control": "no-cache", Vary: "Accept" };

/** `/api/openapi.json` and everything under `/api/docs`. */
export function docsRoutes({ describe }: DocsParts): Hono<ApiEnv> {
  const routes = new Hono<ApiEnv>();
  routes.get("/api/openapi.json", (c) => c.json(completeDocument(describe()), 200, { "Cache-Control": "no-cache" }));

  routes.get("/api/docs", async (c) => {
    const version = await assetVersion();
    const page = referencePage({
      style: assetPath(version, "swagger-ui.css"),
      scripts: [assetPath(version, "swagger-ui-bundle.js"), assetPath(version, "start.js")],
    });
    return c.body(page, 200, REFERENCE_HEADERS);
  });

  routes.get("/api/docs/assets/:version/:name", async (c) => {
    const asset = assetOf(c.req.param("name"));
    if (asset === undefined) throw new Refusal("not_found", "The documentation has no such file.");
    // While a deploy is under way, a page of one version may ask another for its files: it gets them, and keeps them for no other time.
    const isCurrent = c.req.param("version") === (await assetVersion());
    return c.body(await asset.load(), 200, {
      "Content-Type": asset.type,
      "Cache-Control": isCurrent ? FOR_GOOD : "no-store",
    });
  });

  routes.get(PROBLEM_PAGES, (c) => {
    const problems = Object.keys(PROBLEMS).filter(isProblemCode).map(factsOf);
    return negotiate(c, { problems }, () => problemList(problems));
  });

  routes.get(`${PROBLEM_PAGES}/:code`, (c) => {
    const code = c.req.param("code");
    if (!isProblemCode(code)) throw new Refusal("not_found", "There is no problem of this name.");
    const facts = factsOf(code);
    return negotiate(c, facts, () => problemPage(facts, PROBLEM_PAGES));
  });
  return routes;
}

function factsOf(code: ProblemCode): ProblemFacts {
  return { code, type: problemType(code), ...PROBLEMS[code], ...PROBLEM_HELP[code] };
}

/** For a program JSON, for a person a page. */
function negotiate(c: Context<ApiEnv>, facts: object, render: () => string): Response {
  if (prefersJson(c.req.header("Accept"))) {
    return c.body(JSON.stringify(facts), 200, { "Content-Type": "application/json", ...NEGOTIATED });
  }
  return c.body(render(), 200, { ...PAGE_HEADERS, ...NEGOTIATED });
}
