/**
 * Judges what an owner asks for before anything is stored, and names what was wrong with it.
 *
 * @module
 */
import { mapDestinations } from "../../shared/destinations.ts";
import { toHex } from "../../shared/hex.ts";
import { type LinkSettings, settingsText } from "../../shared/link.ts";
import type { ProblemCode } from "../../shared/problem.ts";
import { MAX_RULES_BYTES, repeatedArm, type Rule } from "../../shared/rules.ts";
import { checkUrl, type UrlPolicy, type UrlReason, type UrlRefusal } from "../../shared/url-policy.ts";

/** A request that cannot be carried out: why, in a stable word, and at which field. */
export interface Refused {
  readonly kind: "refused";
  readonly code: ProblemCode;
  readonly path: string;
  readonly message: string;
  /** Of a destination: why it is not allowed. */
  readonly reason?: UrlReason;
}

/** The settings with every URL in its serialised form, or the first that the policy refuses, or rules that are too large. */
export function checkSettings(
  settings: LinkSettings,
  policy: UrlPolicy,
): { readonly kind: "allowed"; readonly settings: LinkSettings } | Refused {
  let refused: Refused | undefined;
  const checked = mapDestinations(settings, ({ path, url }) => {
    const verdict = checkUrl(url, policy);
    if (verdict.ok) return verdict.href;
    refused ??= refusedAt(path, verdict);
    return url;
  });
  return refused ?? checkRules(checked.rules) ?? { kind: "allowed", settings: checked };
}

/** What can be said of rules only when their URLs are in the form that is stored. */
function checkRules(rules: readonly Rule[]): Refused | undefined {
  if (rules.length === 0) return undefined;
  const repeated = repeatedArm(rules);
  if (repeated !== undefined) {
    const message = "The split has this destination already. Name it once, with the sum of the weights.";
    return { kind: "refused", code: "invalid_request", path: `rules.${repeated}`, message };
  }
  const bytes = new TextEncoder().encode(JSON.stringify(rules)).length;
  if (bytes <= MAX_RULES_BYTES) return undefined;
  const message = `The rules have ${bytes} bytes as they are stored; at most ${MAX_RULES_BYTES} are allowed. Shorten them.`;
  return { kind: "refused", code: "invalid_request", path: "rules", message };
}

/** The refusal of the destination at a path. */
export function refusedAt(path: string, { reason, message }: UrlRefusal): Refused {
  return { kind: "refused", code: "url_not_allowed", path, message, reason };
}

/** SHA-256 of all settings, in hex: the same for the same settings. */
export async function fingerprintOf(settings: LinkSettings): Promise<string> {
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(settingsText(settings)));
  return toHex(new Uint8Array(digest));
}
