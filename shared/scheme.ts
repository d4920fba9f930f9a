/**
 * Schemes that no link ever has, whatever the configuration or a stored row says.
 *
 * @module
 */

/** Schemes, without the colon, that run code, read files or wrap another URL where the link is opened. */
export const FORBIDDEN_SCHEMES: ReadonlySet<string> = new Set([
  "about",
  "blob",
  "data",
  "file",
  "filesystem",
  "javascript",
  "vbscript",
  "view-source",
]);
