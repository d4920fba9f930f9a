/**
 * The guard: a generated code proves itself, so one that does not is refused with no look-up at all.
 *
 * @module
 */
import type { CodeBook } from "../../../shared/code.ts";
import { type NearTier, PASS, REFUSE } from "../tier.ts";

/** Builds the tier. It finds nothing and keeps nothing. */
export function createGuardTier(codes: Pick<CodeBook, "classify" | "prove">): NearTier {
  return {
    name: "guard",
    lookup({ code }, now) {
      const isGenerated = codes.classify(code).kind === "generated";
      return isGenerated && codes.prove(code, now) === undefined ? REFUSE : PASS;
    },
  };
}
