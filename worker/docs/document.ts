/**
 * Makes of what the routes say one document: what all calls have in common, or what their path and method say already, is written here once.
 *
 * @module
 */
import type { OpenAPIHono } from "@hono/zod-openapi";
import type { Scope } from "../../shared/api-key.ts";
import { PROBLEM_PAGES } from "../../shared/problem.ts";
import { CONDITIONS, describeHeaders, type HeaderParameter, IDEMPOTENCY_KEY } from "./headers.ts";
import { TAGS, tagOf } from "./tags.ts";

/** An OpenAPI 3.1 document. */
export type ApiDocument = ReturnType<OpenAPIHono["getOpenAPI31Document"]>;
type PathItem = NonNullable<ApiDocument["paths"]>[string];
type Operation = NonNullable<PathItem["get"]>;

const METHODS = ["get", "post", "put", "patch", "delete"] as const;
type Method = (typeof METHODS)[number];

/** What the document says of the whole. */
export const ABOUT = {
  openapi: "3.1.0",
  info: {
    title: "Hop",
    version: "1",
    description:
      "Short links served from the edge.\n\nEach answer carries `X-Request-Id`. Failures are problem documents (RFC 9457): `code` is a stable word, and " +
      `\`type\` is the address of a page that says what to do; [all of them](${PROBLEM_PAGES}). \`HEAD\` is answered wherever \`GET\` is.`,
    license: { name: "MIT", identifier: "MIT" },
  },
  servers: [{ url: "/", description: "The host that this document was read from." }],
};

const SECURITY_SCHEMES = {
  bearer: {
    type: "http",
    scheme: "bearer",
    description: "`Authorization: Bearer` and a key. Each call names the scope that it takes.",
  },
  apiKey: { type: "apiKey", in: "header", name: "X-Api-Key", description: "The same key in a header of its own." },
} as const;

/** The document, complete. What is handed in is changed. */
export function completeDocument(document: ApiDocument): ApiDocument {
  document.tags = TAGS.map(({ name, description }) => ({ name, description }));
  document.components = { ...document.components, securitySchemes: SECURITY_SCHEMES };
  for (const [path, item] of Object.entries(document.paths ?? {})) {
    for (const method of METHODS) {
      const operation = item[method];
      if (operation !== undefined) complete(operation, method, path);
    }
  }
  return document;
}

function complete(operation: Operation, method: Method, path: string): void {
  const scope = scopeOf(method, path);
  operation.tags = [tagOf(path).name];
  operation.security = [{ bearer: [scope] }, { apiKey: [scope] }];
  operation.description = [operation.description, `Takes the scope \`${scope}\`.`].filter(Boolean).join("\n\n");
  operation.parameters = [...(operation.parameters ?? []), ...headersOf(method, path)];
  if (isRemembered(method, path)) operation.responses = { ...refusedRepeats(operation), ...operation.responses };
  operation.responses = { ...operation.responses, 500: failed(operation) };
  for (const [status, response] of Object.entries(operation.responses)) {
    if ("description" in response) response.headers = describeHeaders(status, method, path, response);
  }
}

/** What the doors of the rooms ask for; a test tries each call with each scope. */
function scopeOf(method: Method, path: string): Scope {
  if (/^\/api\/v1\/(?:keys|webhooks)\b/.test(path)) return "admin";
  if (method !== "get") return "links:write";
  const isFigure = /^\/(?:metrics|healthz|api\/v1\/(?:stats|misses|links\/\{code\}\/(?:stats|clicks)))$/.test(path);
  return isFigure ? "stats:read" : "links:read";
}

/** Whether the call takes an `Idempotency-Key`. An import does not: it may run twice without one. */
function isRemembered(method: Method, path: string): boolean {
  return method === "post" && path !== "/api/v1/import";
}

function headersOf(method: Method, path: string): readonly HeaderParameter[] {
  if (isRemembered(method, path)) return [IDEMPOTENCY_KEY];
  return CONDITIONS.filter((condition) => condition.method === method && condition.path === path).map(
    ({ parameter }) => parameter,
  );
}

type Responses = NonNullable<Operation["responses"]>;

/** What may come of an `Idempotency-Key`, in the words of the call where it has a 409 of its own. */
function refusedRepeats({ responses = {} }: Operation): Responses {
  const content = contentOf(responses, 401);
  return {
    409: { description: "The first request with this `Idempotency-Key` still runs; ask again.", content },
    413: { description: "The body is too large.", content },
    422: { description: "The `Idempotency-Key` was used for another request.", content },
  };
}

function failed({ responses = {} }: Operation): Responses[string] {
  return {
    description: "Something went wrong here; the log has it under `X-Request-Id`.",
    content: contentOf(responses, 401),
  };
}

/** A problem document, as another answer of the call has it. */
function contentOf(
  responses: Responses,
  status: number,
): NonNullable<Extract<Responses[string], { content?: unknown }>["content"]> {
  const response = responses[status];
  return response !== undefined && "content" in response ? (response.content ?? {}) : {};
}
