/**
 * Turns what the schemas found wrong into one refusal that names every field.
 *
 * @module
 */
import type { Hook } from "@hono/zod-openapi";
import type { ApiEnv } from "./api-env.ts";
import { Refusal } from "./problem.ts";

/** What zod says of one fault. */
interface Issue {
  readonly path: readonly PropertyKey[];
  readonly message: string;
}

/** The hook of every API app: throws for input that its schema refuses. */
export const refuseInvalid: Hook<unknown, ApiEnv, string, unknown> = (result) => {
  if (!result.success) throw invalid(result.error.issues);
};

/** The refusal of input in which a schema found these faults. */
export function invalid(issues: readonly Issue[]): Refusal {
  const errors = issues.map((issue) => ({
    path: issue.path.map(String).join("."),
    message: issue.message,
  }));
  const fields = errors.map((error) => (error.path === "" ? error.message : `${error.path}: ${error.message}`));
  return new Refusal("invalid_request", `The request cannot be used: ${fields.join("; ")}`, { errors });
}
