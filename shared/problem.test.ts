/**
 * The table of problems, and the documents made from it.
 *
 * @module
 */
import { describe, test } from "vitest";
import { isProblemCode, problem, problemType, PROBLEMS, type ProblemCode } from "./problem.ts";

/** The statuses that clients are tested against. */
const STATUSES: Readonly<Record<ProblemCode, number>> = {
  invalid_request: 400,
  invalid_json: 400,
  url_not_allowed: 400,
  code_reserved: 400,
  invalid_code: 400,
  unauthorized: 401,
  password_required: 401,
  wrong_password: 401,
  forbidden: 403,
  not_found: 404,
  method_not_allowed: 405,
  code_taken: 409,
  external_id_taken: 409,
  conflict: 409,
  idempotency_conflict: 409,
  gone: 410,
  precondition_failed: 412,
  payload_too_large: 413,
  unsupported_media_type: 415,
  idempotency_mismatch: 422,
  rate_limited: 429,
  internal: 500,
  unavailable: 503,
};

const CODES = Object.keys(PROBLEMS).filter(isProblemCode);

describe("the table of problems", () => {
  test.for(CODES)("%s keeps its status", (code, { expect }) => {
    expect(PROBLEMS[code].status).toBe(STATUSES[code]);
  });

  test("no two codes have the same title, so that a title tells them apart", ({ expect }) => {
    expect(new Set(Object.values(PROBLEMS).map((kind) => kind.title)).size).toBe(CODES.length);
  });

  test("codes are words in lower case, and so safe in a URL's path", ({ expect }) => {
    expect(CODES.filter((code) => !/^[a-z]+(_[a-z]+)*$/.test(code))).toEqual([]);
  });
});

describe("problem", () => {
  test("builds the members of RFC 9457, the code and the errors", ({ expect }) => {
    const errors = [{ path: "longUrl", message: "Required." }];
    expect(
      problem("invalid_request", { detail: "The body has no longUrl.", instance: "/api/v1/links", errors }),
    ).toEqual({
      type: "/api/docs/problems/invalid_request",
      title: "Invalid request",
      status: 400,
      detail: "The body has no longUrl.",
      instance: "/api/v1/links",
      code: "invalid_request",
      errors,
    });
  });

  test("leaves out what is not given, also from the JSON", ({ expect }) => {
    const document = problem("gone", { detail: "This link has expired." });
    expect(Object.keys(document)).toEqual(["type", "title", "status", "detail", "code"]);
  });

  test("its type resolves against whatever domain answered", ({ expect }) => {
    const type = problemType("not_found");
    expect(new URL(type, "https://go.example/abc").href).toBe("https://go.example/api/docs/problems/not_found");
  });
});

describe("isProblemCode", () => {
  test("knows the codes of the table and nothing that every object has", ({ expect }) => {
    expect(["gone", "toString", "__proto__", "constructor", "", "GONE"].filter(isProblemCode)).toEqual(["gone"]);
  });
});
