/**
 * What a check of the configuration finds.
 *
 * @module
 */

/** How it stands with one thing. A warning does not stop a deployment; a problem does. */
export type Status = "ok" | "warning" | "problem" | "skipped";

/** One thing that was looked at. No finding holds a secret. */
export interface Finding {
  readonly status: Status;
  /** What was looked at, in a word or two. */
  readonly what: string;
  readonly detail: string;
  /** What to do about it. */
  readonly mend?: string;
}

/** How long a check waits for something outside. */
export const CHECK_LIMIT_MS = 5000;

/** All is well with a thing. */
export function ok(what: string, detail: string): Finding {
  return { status: "ok", what, detail };
}

/** It works, but not as well as it could. */
export function warning(what: string, detail: string, mend: string): Finding {
  return { status: "warning", what, detail, mend };
}

/** It does not work. */
export function problem(what: string, detail: string, mend: string): Finding {
  return { status: "problem", what, detail, mend };
}

/** It could not be looked at. */
export function skipped(what: string, detail: string, mend: string): Finding {
  return { status: "skipped", what, detail, mend };
}
