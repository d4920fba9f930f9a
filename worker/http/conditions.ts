/**
 * Conditional requests (RFC 9110, section 13.1.1).
 *
 * @module
 */

/**
 * The test that `If-Match` asks for, or null when there is no such header. Weak validators never match: the RFC asks for
 * the strong comparison here.
 */
export function ifMatch(header: string | undefined): ((etag: string) => boolean) | null {
  if (header === undefined) return null;
  const tags = header.split(",").map((tag) => tag.trim());
  return (etag) => tags.includes("*") || tags.includes(etag);
}
