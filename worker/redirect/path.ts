/**
 * The code in a path, read once and decoded once.
 *
 * @module
 */

/** What a path holds. */
export type PathCode =
  | { readonly kind: "segment"; readonly segment: string }
  /** No path of one segment: nothing is there. */
  | { readonly kind: "nothing" }
  /** It cannot be read: broken encoding, control characters, or longer than any code. */
  | { readonly kind: "broken" };

/** The longest path that can be a code: 64 characters of 4 bytes, each byte as `%XX`, and the slashes. */
const MAX_PATH_CHARACTERS = 64 * 4 * 3 + 2;

/**
 * The one segment of `/{code}` or `/{code}/`, percent-decoded exactly once. What is decoded is never decoded again: `/%2571` asks
 * for the code `%71`.
 */
export function codeOf(pathname: string): PathCode {
  if (pathname.length > MAX_PATH_CHARACTERS) return { kind: "broken" };
  const end = pathname.endsWith("/") ? pathname.length - 1 : pathname.length;
  const segment = pathname.slice(1, end);
  if (segment.includes("/")) return { kind: "nothing" };
  return segment.includes("%") ? decode(segment) : { kind: "segment", segment };
}

function decode(text: string): PathCode {
  try {
    const segment = decodeURIComponent(text);
    return /\p{Cc}/u.test(segment) ? { kind: "broken" } : { kind: "segment", segment };
  } catch {
    return { kind: "broken" };
  }
}
