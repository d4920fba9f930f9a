/**
 * Judges the custom code that is asked for, and finds one near it that can be had.
 *
 * @module
 */
import type { CodeBook, CustomCodeReason } from "../../shared/code.ts";
import type { ProblemCode } from "../../shared/problem.ts";
import { log } from "../telemetry/log.ts";
import type { Refused } from "./settings.ts";
import type { LinkStore } from "./store.ts";

/** In the API's addresses an external id stands behind this, in the place of the code. */
export const EXTERNAL_ID_PREFIX = "ext_";

/** So many near codes are looked at. */
const MAX_CANDIDATES = 5;

/** The code in its stored form, or why it cannot be had and, where there is one, which free one could be. */
export async function chooseCode(
  codes: Pick<CodeBook, "checkCustom">,
  store: Pick<LinkStore, "takenAmong">,
  domain: string,
  text: string,
): Promise<{ readonly kind: "chosen"; readonly code: string } | Refused> {
  const checked = codes.checkCustom(text);
  if (checked.ok && checked.code.startsWith(EXTERNAL_ID_PREFIX)) {
    const message = `A custom code does not begin with "${EXTERNAL_ID_PREFIX}": the API takes the rest for an external id.`;
    return { kind: "refused", code: "code_reserved", path: "customCode", message };
  }
  if (checked.ok) return { kind: "chosen", code: checked.code };
  const free = checked.suggestion === undefined ? undefined : await freeNear(codes, store, domain, checked.suggestion);
  const message = free === undefined ? checked.message : `${checked.message} Try "${free}".`;
  return { kind: "refused", code: problemOf(checked.reason), path: "customCode", message };
}

/** A suggestion is a kindness: where nobody can say whether a code is free, none is made. */
async function freeNear(
  codes: Pick<CodeBook, "checkCustom">,
  store: Pick<LinkStore, "takenAmong">,
  domain: string,
  suggestion: string,
): Promise<string | undefined> {
  const numbered = Array.from({ length: MAX_CANDIDATES - 1 }, (_, at) => `${suggestion}-${at + 2}`);
  const candidates = [suggestion, ...numbered].filter((code) => codes.checkCustom(code).ok);
  try {
    const taken = new Set(await store.takenAmong(domain, candidates));
    return candidates.find((code) => !taken.has(code));
  } catch (error) {
    log("warn", "no_suggestion", {}, error);
    return undefined;
  }
}

function problemOf(reason: CustomCodeReason): ProblemCode {
  return reason === "reserved" ? "code_reserved" : "invalid_code";
}
