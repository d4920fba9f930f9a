/**
 * What a path asks for, read once and decoded once.
 *
 * @module
 */

/** What a visitor wants of a link: to go on, to see where it leads (`/{code}+`), or its QR code (`/{code}/qr`). */
export type Wish = "visit" | "preview" | "qr";

/** What a path holds. */
export type PathCode =
  | { readonly kind: "segment"; readonly segment: string; readonly wish: Wish }
  /** No path of one segment: nothing is there. */
  | { readonly kind: "nothing" }
  /** It cannot be read: broken encoding, control characters, or longer than any code. */
  | { readonly kind: "broken" };

/** The longest segment that can be a code: 64 characters of 4 bytes, each byte as `%XX`. */
const MAX_CODE_CHARACTERS = 64 * 4 * 3;

/**
 * The first segment of a path, percent-decoded exactly once, and what is wanted of it. One slash at the end changes nothing. What is
 * decoded is never decoded again: `/%2571` asks for the code `%71`.
 */
export function codeOf(pathname: string): PathCode {
  const slash = pathname.indexOf("/", 1);
  const segment = slash === -1 ? pathname.slice(1) : pathname.slice(1, slash);
  if (segment.length > MAX_CODE_CHARACTERS) return { kind: "broken" };
  const rest = slash === -1 ? "" : pathname.slice(slash);
  if (rest === "" || rest === "/") return decode(segment, "visit");
  return rest === "/qr" || rest === "/qr/" ? decode(segment, "qr") : { kind: "nothing" };
}

function decode(text: string, wish: Wish): PathCode {
  if (!text.includes("%")) return asked(text, wish);
  try {
    const segment = decodeURIComponent(text);
    return /\p{Cc}/u.test(segment) ? { kind: "broken" } : asked(segment, wish);
  } catch {
    return { kind: "broken" };
  }
}

/** No code has a `+`. */
function asked(segment: string, wish: Wish): PathCode {
  return wish === "visit" && segment.endsWith("+")
    ? { kind: "segment", segment: segment.slice(0, -1), wish: "preview" }
    : { kind: "segment", segment, wish };
}
