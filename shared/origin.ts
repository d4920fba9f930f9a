/**
 * The origins of pages that may call the API from a browser.
 *
 * @module
 */

/** Whether a text is `*`, or an origin exactly as a browser sends it (RFC 6454, 6.2): scheme, host in lower case, and a port that is not the default. */
export function isAllowedOrigin(text: string): boolean {
  if (text === "*") return true;
  return /^https?:\/\/[^*]+$/.test(text) && URL.canParse(text) && new URL(text).origin === text;
}
