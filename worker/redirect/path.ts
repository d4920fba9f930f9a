/**
 * The code in a path, read once and decoded once.
 *
 * @module
 */

/** The longest path that can be a code: 64 characters of 4 bytes, each byte as `%XX`, and the slashes. */
const MAX_PATH_CHARACTERS = 64 * 4 * 3 + 2;

/**
 * The one segment of `/{code}` or `/{code}/`, percent-decoded exactly once, or null when the path has no such form or its
 * encoding is broken. What is decoded is never decoded again: `/%2571` asks for the code `%71`.
 */
export function segmentOf(pathname: string): string | null {
  if (pathname.length > MAX_PATH_CHARACTERS) return null;
  const end = pathname.endsWith("/") ? pathname.length - 1 : pathname.length;
  const segment = pathname.slice(1, end);
  if (segment.includes("/")) return null;
  if (!segment.includes("%")) return segment;
  try {
    return decodeURIComponent(segment);
  } catch {
    return null;
  }
}
