/**
 * What a path asks for, read once and decoded once.
 *
 * @module
 */

/** What a visitor wants of a link: to go on, to see where it leads (`/{code}+`), or its QR code (`/{code}/qr`). */
export type Wish = "visit" | "preview" | "qr";

/** What a path holds. */
export type PathCode =
  | {
      readonly kind: "segment";
      readonly segment: string;
      readonly wish: Wish;
      /** What is behind the code, from its slash on, still percent-encoded; empty where there is nothing. Only of a visit. */
      readonly rest: string;
    }
  /** It cannot be read: broken encoding, control characters, or longer than any code. */
  | { readonly kind: "broken" };

/** A path that holds what may be a code. */
export type Asking = Extract<PathCode, { readonly kind: "segment" }>;

/** The longest segment that can be a code: 64 characters of 4 bytes, each byte as `%XX`. */
const MAX_CODE_CHARACTERS = 64 * 4 * 3;
/** The longest path behind a code. Some servers take no more in all. */
const MAX_REST_CHARACTERS = 2048;

/**
 * The first segment of a path, percent-decoded exactly once, and what is wanted of it. One slash at the end changes nothing. What is
 * decoded is never decoded again: `/%2571` asks for the code `%71`.
 */
export function codeOf(pathname: string): PathCode {
  const slash = pathname.indexOf("/", 1);
  const segment = slash === -1 ? pathname.slice(1) : pathname.slice(1, slash);
  const rest = slash === -1 ? "" : pathname.slice(slash);
  if (segment.length > MAX_CODE_CHARACTERS || rest.length > MAX_REST_CHARACTERS) return { kind: "broken" };
  if (!segment.includes("%")) return asked(segment, rest);
  try {
    const decoded = decodeURIComponent(segment);
    return /\p{Cc}/u.test(decoded) ? { kind: "broken" } : asked(decoded, rest);
  } catch {
    return { kind: "broken" };
  }
}

function asked(segment: string, rest: string): PathCode {
  if (rest === "/qr" || rest === "/qr/") return { kind: "segment", segment, wish: "qr", rest: "" };
  if (rest !== "" && rest !== "/") return { kind: "segment", segment, wish: "visit", rest };
  // No code has a `+`.
  return segment.endsWith("+")
    ? { kind: "segment", segment: segment.slice(0, -1), wish: "preview", rest: "" }
    : { kind: "segment", segment, wish: "visit", rest: "" };
}
