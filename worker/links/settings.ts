/**
 * Judges what an owner asks for before anything is stored, and names what was wrong with it.
 *
 * @module
 */
import { toHex } from "../../shared/hex.ts";
import type { LinkSettings } from "../../shared/link.ts";
import { settingsText } from "../../shared/link.ts";
import type { ProblemCode } from "../../shared/problem.ts";
import { checkUrl, type UrlPolicy } from "../../shared/url-policy.ts";

/** A request that cannot be carried out: why, in a stable word, and at which field. */
export interface Refused {
  readonly kind: "refused";
  readonly code: ProblemCode;
  readonly path: string;
  readonly message: string;
}

/** The settings with every URL in its serialised form, or the first that the policy refuses. */
export function checkSettings(
  settings: LinkSettings,
  policy: UrlPolicy,
): { readonly kind: "allowed"; readonly settings: LinkSettings } | Refused {
  const longUrl = checkUrl(settings.longUrl, policy);
  if (!longUrl.ok) return { kind: "refused", code: "url_not_allowed", path: "longUrl", message: longUrl.message };
  if (settings.expiredUrl === null) return { kind: "allowed", settings: { ...settings, longUrl: longUrl.href } };

  const expiredUrl = checkUrl(settings.expiredUrl, policy);
  if (!expiredUrl.ok) {
    return { kind: "refused", code: "url_not_allowed", path: "expiredUrl", message: expiredUrl.message };
  }
  return { kind: "allowed", settings: { ...settings, longUrl: longUrl.href, expiredUrl: expiredUrl.href } };
}

/** SHA-256 of all settings, in hex: the same for the same settings. */
export async function fingerprintOf(settings: LinkSettings): Promise<string> {
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(settingsText(settings)));
  return toHex(new Uint8Array(digest));
}
