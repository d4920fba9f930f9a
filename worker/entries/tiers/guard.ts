/**
 * The guard: a generated code proves itself, so one that does not is refused with no look-up at all.
 *
 * @module
 */
import type { CodeKey } from "../../../shared/entry.ts";
import type { CodeBook } from "../../../shared/code.ts";
import { type Answer, PASS, REFUSE, type Tier } from "../tier.ts";

/** The tier, which answers at once. */
export interface GuardTier extends Tier {
  lookup(key: CodeKey, now: number): Answer;
}

/** Builds the tier. It finds nothing and keeps nothing. */
export function createGuardTier(codes: Pick<CodeBook, "classify" | "prove">): GuardTier {
  return {
    name: "guard",
    lookup({ code }, now) {
      const isGenerated = codes.classify(code).kind === "generated";
      return isGenerated && codes.prove(code, now) === undefined ? REFUSE : PASS;
    },
  };
}
