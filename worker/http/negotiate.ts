/**
 * Whether to answer a failure to a person or to a program.
 *
 * @module
 */
import { parseAccept } from "hono/utils/accept";

const JSON_TYPES = new Set(["application/json", "application/problem+json"]);

/** Whether `Accept` prefers JSON to HTML. A browser names HTML first; a bare `curl` names nothing and gets HTML. */
export function prefersJson(accept: string | undefined | null): boolean {
  // Most browsers name no JSON at all, and reading their list costs more than looking for the word.
  if (accept === undefined || accept === null || !/json/i.test(accept)) return false;
  let json = 0;
  let html = 0;
  for (const { type, q } of parseAccept(accept)) {
    if (JSON_TYPES.has(type.toLowerCase())) json = Math.max(json, q);
    if (type.toLowerCase() === "text/html") html = Math.max(html, q);
  }
  return json > html;
}
