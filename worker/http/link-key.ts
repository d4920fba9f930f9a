/**
 * Which link a call of the API is about.
 *
 * @module
 */
import type { Context } from "hono";
import type { CodeKey } from "../../shared/entry.ts";
import type { ApiEnv } from "./api-env.ts";
import { Refusal } from "./problem.ts";

/** The domain that is asked for, or the default one; refused when it is none of ours. */
export function chooseDomain(c: Context<ApiEnv>, domains: readonly string[], asked: string | null | undefined): string {
  const host = c.env.scope.host;
  if (asked === undefined || asked === null)
    return domains.length === 0 || domains.includes(host) ? host : (domains[0] ?? host);
  const domain = asked.toLowerCase().replace(/\.$/, "");
  if (domains.length === 0 ? domain === host : domains.includes(domain)) return domain;
  const known = domains.length === 0 ? host : domains.join(", ");
  throw new Refusal("invalid_request", `"${asked}" is no domain of this service; it has ${known}.`, {
    errors: [{ path: "domain", message: "is no domain of this service" }],
  });
}

/** Codes are stored in NFC, so an address written otherwise names the same link. */
export function keyOf(
  c: Context<ApiEnv>,
  domains: readonly string[],
  code: string,
  domain: string | undefined,
): CodeKey {
  if (!code.isWellFormed() || code.includes("\u0000")) throw noSuchLink();
  return { domain: chooseDomain(c, domains, domain), code: code.normalize("NFC") };
}

/** 404 for a link that there is not. */
export function noSuchLink(): Refusal {
  return new Refusal("not_found", "There is no link with this code on this domain.");
}
