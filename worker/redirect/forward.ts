/**
 * What of a visitor's address goes on to the destination: a query is added to its query, a path behind its path. Texts are put
 * together as they stand, never decoded or encoded, so the scheme and the host are those that were stored, whatever is added.
 *
 * @module
 */

/** A path is looked at as it is after so many decodings: servers decode once, and some, with a proxy in front, more often. */
const MAX_LAYERS = 4;

/** `qr` tells us that a QR code led here; it is no word to the destination. */
const OURS = "qr";

/**
 * Where a visit goes on to. `rest` is the path behind the code, percent-encoded, or empty; `query` that of the short URL, without its
 * question mark. `path.ts` bounds the one, the platform (16 KB an address) the other. Undefined when the path may lead out of the destination's, or the
 * destination is none of the web and has no path to add to.
 */
export function forward(longUrl: string, rest: string, query: string): string | undefined {
  if (!/^https?:\/\//.test(longUrl)) return rest === "" ? longUrl : undefined;
  const path = rest === "" ? "" : insidePath(rest);
  if (path === undefined) return undefined;
  const { base, ownQuery, fragment } = partsOf(longUrl);
  return `${path === "" ? base : base.replace(/\/$/, "") + path}${queryOf(ownQuery, query)}${fragment}`;
}

/** A URL cut in three: up to the path's end, the query without its question mark (null: there is none), the fragment with its `#`. */
function partsOf(url: string): { readonly base: string; readonly ownQuery: string | null; readonly fragment: string } {
  const hash = url.indexOf("#");
  const [whole, fragment] = hash === -1 ? [url, ""] : [url.slice(0, hash), url.slice(hash)];
  const mark = whole.indexOf("?");
  return mark === -1
    ? { base: whole, ownQuery: null, fragment }
    : { base: whole.slice(0, mark), ownQuery: whole.slice(mark + 1), fragment };
}

/**
 * The path with one slash where there are several, or undefined when it is broken, or when it or what a server may make of it by
 * decoding has dot segments (`..;x` is one to some servers), empty ones, backslashes or control characters.
 */
function insidePath(rest: string): string | undefined {
  const path = rest.replaceAll(/\/{2,}/g, "/");
  if (!isDecodable(path)) return undefined;
  let seen = path;
  for (let layer = 0; layer <= MAX_LAYERS; layer += 1) {
    // oxlint-disable-next-line no-control-regex -- control characters are what it looks for
    if (/[\u0000-\u001f\u007f\\]|\/\/|(?:^|\/)\.{1,2}(?:[/;]|$)/.test(seen)) return undefined;
    const decoded = seen.replaceAll(/%([\da-f]{2})/gi, (_, hex: string) =>
      String.fromCharCode(Number.parseInt(hex, 16)),
    );
    if (decoded === seen) return path;
    seen = decoded;
  }
  return undefined;
}

function isDecodable(text: string): boolean {
  try {
    decodeURIComponent(text);
    return true;
  } catch {
    return false;
  }
}

/** The destination's own query, and behind it those pairs of the visitor's whose names it does not have. */
function queryOf(own: string | null, visitors: string): string {
  const taken = new Set([OURS, ...(own ?? "").split("&").map(nameOf)]);
  const added = visitors.split("&").filter((pair) => pair !== "" && !taken.has(nameOf(pair)));
  if (added.length === 0) return own === null ? "" : `?${own}`;
  const glue = own === null || own === "" || own.endsWith("&") ? "" : "&";
  return `?${own ?? ""}${glue}${added.join("&")}`;
}

/** A pair's name as a server reads it (WHATWG URL, section 5.1). Of nothing there is none. */
function nameOf(pair: string): string | undefined {
  // The `&` in front keeps a question mark from being taken for the query's own.
  return new URLSearchParams(`&${pair}`).keys().next().value;
}
