/**
 * The one place that turns failures into answers: problem documents (RFC 9457).
 *
 * @module
 */
import { problem, type ProblemCode, type ProblemDocument, type FieldError } from "../../shared/problem.ts";
import { BackendDown } from "../../shared/backend-down.ts";
import type { RequestScope } from "./context.ts";

/** Seconds after which a backend that is down may be asked again. */
const RETRY_AFTER_SECONDS = 5;

/** An expected failure, thrown where no return can carry it: in a parser or a middleware. `detail` is for the caller to read. */
export class Refusal extends Error {
  override readonly name = "Refusal";
  readonly code: ProblemCode;
  readonly errors: readonly FieldError[] | undefined;
  readonly headers: Readonly<Record<string, string>>;

  constructor(
    code: ProblemCode,
    detail: string,
    more: { readonly errors?: readonly FieldError[]; readonly headers?: Readonly<Record<string, string>> } = {},
  ) {
    super(detail);
    this.code = code;
    this.errors = more.errors;
    this.headers = more.headers ?? {};
  }
}

/** A problem document as a response. It names the request's path without its query, which may hold secrets. */
export function problemResponse(
  scope: RequestScope,
  code: ProblemCode,
  detail: string,
  headers: Readonly<Record<string, string>> = {},
  errors?: readonly FieldError[],
): Response {
  const document: ProblemDocument = problem(code, {
    detail,
    instance: scope.path,
    ...(errors === undefined ? {} : { errors }),
  });
  return new Response(JSON.stringify(document), {
    status: document.status,
    headers: {
      "Content-Type": "application/problem+json",
      "X-Content-Type-Options": "nosniff",
      "X-Request-Id": scope.requestId,
      ...headers,
    },
  });
}

/** The problem document of one of several things that a request asks for. */
export function problemOf(
  scope: RequestScope,
  { code, message, errors }: Refusal,
): ProblemDocument & { readonly instance: string } {
  const occurrence = { detail: message, instance: scope.path, ...(errors === undefined ? {} : { errors }) };
  return { ...problem(code, occurrence), instance: scope.path };
}

/** 405 with what the address does take. */
export function wrongMethod(scope: RequestScope, method: string, allowed: readonly string[]): Response {
  const allow = allowed.join(", ");
  return problemResponse(scope, "method_not_allowed", `${method} is not for this address; it takes ${allow}.`, {
    Allow: allow,
  });
}

/** Takes what is for the operator and not for the caller. */
export type Report = (
  event: "backend_down" | "unexpected",
  fields: { readonly requestId: string },
  cause: unknown,
) => void;

/** Answers whatever was thrown. What is not meant for the caller goes to `report`, with the request's id. */
export function answerError(scope: RequestScope, error: unknown, report: Report): Response {
  if (error instanceof Refusal) {
    return problemResponse(scope, error.code, error.message, error.headers, error.errors);
  }
  if (error instanceof BackendDown) {
    report("backend_down", { requestId: scope.requestId }, error);
    return problemResponse(
      scope,
      "unavailable",
      "A part of the service cannot be reached just now. Nothing was changed, or the change is complete; ask again.",
      {
        "Retry-After": String(error.retryAfterSeconds ?? RETRY_AFTER_SECONDS),
      },
    );
  }
  report("unexpected", { requestId: scope.requestId }, error);
  return problemResponse(scope, "internal", "Something went wrong here. The request id names it in the log.");
}
