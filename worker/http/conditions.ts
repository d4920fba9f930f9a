/**
 * Conditional requests (RFC 9110, section 13.1).
 *
 * @module
 */

/** Whether `If-None-Match` names this validator: the caller has it already. Weak ones match here (section 13.1.2). */
export function isKnown(header: string | null, etag: string): boolean {
  const tags = header?.split(",").map((tag) => tag.trim().replace(/^W\//, "")) ?? [];
  return tags.includes("*") || tags.includes(etag);
}

/**
 * The test that `If-Match` asks for, or null when there is no such header. Weak validators never match: the RFC asks for
 * the strong comparison here.
 */
export function ifMatch(header: string | undefined): ((etag: string) => boolean) | null {
  if (header === undefined) return null;
  const tags = header.split(",").map((tag) => tag.trim());
  return (etag) => tags.includes("*") || tags.includes(etag);
}
