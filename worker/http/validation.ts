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
  /** Of names that an object may not have: they are one fault to zod. */
  readonly keys?: readonly string[];
}

/** What to tell whoever uses a name that an object does not have. */
export type Misnomer = (name: string) => string;

const NO_SUCH_FIELD: Misnomer = () => "is not a field here; leave it out, or correct its name";

/** Builds the hook of an API app: it throws for input that its schema refuses. */
export function createRefuseInvalid(misnomer: Misnomer): Hook<unknown, ApiEnv, string, unknown> {
  return (result) => {
    if (!result.success) throw invalid(result.error.issues, misnomer);
  };
}

/** The hook of an app that knows nothing of the names that people try. */
export const refuseInvalid = createRefuseInvalid(NO_SUCH_FIELD);

/** The refusal of input in which a schema found these faults. */
export function invalid(issues: readonly Issue[], misnomer: Misnomer = NO_SUCH_FIELD): Refusal {
  const errors = issues.flatMap(({ path, message, keys }) =>
    keys === undefined
      ? [{ path: pathOf(path), message }]
      : keys.map((key) => ({
          path: pathOf([...path, key]),
          // What stands deeper is no field of what the body is about.
          message: (path.length === 0 ? misnomer : NO_SUCH_FIELD)(key),
        })),
  );
  const fields = errors.map((error) => (error.path === "" ? error.message : `${error.path}: ${error.message}`));
  return new Refusal("invalid_request", `The request cannot be used: ${fields.join("; ")}`, { errors });
}

function pathOf(path: readonly PropertyKey[]): string {
  return path.map(String).join(".");
}
