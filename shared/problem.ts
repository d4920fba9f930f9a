/**
 * Every way in which the service refuses or fails, in one table: the stable word that clients test for, its HTTP status
 * and its title. What is built from it is a problem document (RFC 9457); headers such as `Allow`, `Retry-After` or
 * `WWW-Authenticate` are left to whoever sends it.
 *
 * @module
 */

import type { UrlReason } from "./url-policy.ts";

/** What a client may read in `code`. A word is never renamed and never changes its status; new ones may be added. */
export type ProblemCode =
  | "invalid_request"
  | "invalid_json"
  | "url_not_allowed"
  | "code_taken"
  | "code_reserved"
  | "invalid_code"
  | "external_id_taken"
  | "conflict"
  | "not_found"
  | "method_not_allowed"
  | "gone"
  | "unauthorized"
  | "password_required"
  | "wrong_password"
  | "forbidden"
  | "precondition_failed"
  | "idempotency_conflict"
  | "idempotency_mismatch"
  | "payload_too_large"
  | "unsupported_media_type"
  | "rate_limited"
  | "unavailable"
  | "internal";

/** What one code always means: an HTTP status (RFC 9110, RFC 6585) and a short summary that never varies (RFC 9457, 3.1.3). */
export interface ProblemKind {
  readonly status: number;
  readonly title: string;
}

/** The table. A code without a row does not compile. */
export const PROBLEMS = {
  invalid_request: { status: 400, title: "Invalid request" },
  invalid_json: { status: 400, title: "Invalid JSON" },
  url_not_allowed: { status: 400, title: "Destination not allowed" },
  code_taken: { status: 409, title: "Code already taken" },
  code_reserved: { status: 400, title: "Code reserved by the service" },
  invalid_code: { status: 400, title: "Invalid code" },
  external_id_taken: { status: 409, title: "External id already taken" },
  /** Other changes of the same thing kept coming in between: nothing was changed. */
  conflict: { status: 409, title: "Conflicting changes" },
  not_found: { status: 404, title: "Not found" },
  method_not_allowed: { status: 405, title: "Method not allowed" },
  gone: { status: 410, title: "Gone" },
  unauthorized: { status: 401, title: "Not signed in" },
  /** The link is opened with a password, which was not sent. */
  password_required: { status: 401, title: "Password required" },
  wrong_password: { status: 401, title: "Wrong password" },
  forbidden: { status: 403, title: "Forbidden" },
  precondition_failed: { status: 412, title: "Changed in the meantime" },
  /** The first request with this Idempotency-Key still runs. */
  idempotency_conflict: { status: 409, title: "Same request still running" },
  /** The Idempotency-Key was used with another body. */
  idempotency_mismatch: { status: 422, title: "Idempotency key used for another request" },
  payload_too_large: { status: 413, title: "Payload too large" },
  unsupported_media_type: { status: 415, title: "Unsupported media type" },
  rate_limited: { status: 429, title: "Too many requests" },
  unavailable: { status: 503, title: "Temporarily unavailable" },
  internal: { status: 500, title: "Internal error" },
} as const satisfies Record<ProblemCode, ProblemKind>;

/** One thing that is wrong in a body or a query. */
export interface FieldError {
  /** Where: names and list positions joined with dots, such as `rules.0.then.longUrl`; empty for the whole. */
  readonly path: string;
  /** What is wrong there, for the caller to read. */
  readonly message: string;
  /** The same as a stable word, where a destination is not allowed. */
  readonly reason?: UrlReason;
}

/** A problem document as it is sent, as `application/problem+json`. */
export interface ProblemDocument {
  /** A reference to the page of the code, see {@link problemType}. */
  readonly type: string;
  readonly title: string;
  readonly status: number;
  readonly detail: string;
  /** The path of the request that met the problem, without its query, which may hold secrets. */
  readonly instance?: string;
  readonly code: ProblemCode;
  readonly errors?: readonly FieldError[];
}

/** What is particular to one occurrence. Everything in it is read by the caller: no stack, no query, no secret. */
export interface ProblemOccurrence {
  readonly detail: string;
  readonly instance?: string;
  readonly errors?: readonly FieldError[];
}

/** Whether a text is a code of the table: for readers of problem documents that somebody else wrote. */
export function isProblemCode(text: string): text is ProblemCode {
  return Object.hasOwn(PROBLEMS, text);
}

/** Where the service says what its problems mean. */
export const PROBLEM_PAGES = "/api/docs/problems";

/**
 * The `type` of a code: the page that says what happened and what to do, as a reference with a full path, which RFC 9457 (3.1.1)
 * allows and a client can open on whatever domain answered. `about:blank` would oblige the title to be the status's
 * phrase, and an absolute URI would need a domain that every installation shares.
 */
export function problemType(code: ProblemCode): string {
  return `${PROBLEM_PAGES}/${code}`;
}

/**
 * The problem document of one occurrence. `instance` and `errors` are left out when not given.
 *
 * @example
 * problem("gone", { detail: "This link has expired.", instance: "/abc" }).status === 410
 */
export function problem(code: ProblemCode, occurrence: ProblemOccurrence): ProblemDocument {
  const { status, title } = PROBLEMS[code];
  const { detail, instance, errors } = occurrence;
  return {
    type: problemType(code),
    title,
    status,
    detail,
    ...(instance === undefined ? {} : { instance }),
    code,
    ...(errors === undefined ? {} : { errors }),
  };
}
