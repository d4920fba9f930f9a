/**
 * Pictures as answers: kept for a while by whoever may, and not sent again to who has them.
 *
 * @module
 */
import { toHex } from "../../shared/hex.ts";
import { isKnown } from "./conditions.ts";

/** How long a picture may be kept. */
const KEPT_SECONDS = 60 * 60;

/** 200 with the picture, or 304. `keeper` is `private` where a key was needed. */
export async function answerPicture(
  request: Request,
  type: "image/svg+xml" | "image/png",
  picture: string | Uint8Array,
  keeper: "public" | "private",
  headers: Readonly<Record<string, string>> = {},
): Promise<Response> {
  const bytes = typeof picture === "string" ? new TextEncoder().encode(picture) : picture;
  const etag = await etagOf(bytes);
  const known = { ETag: etag, "Cache-Control": `${keeper}, max-age=${KEPT_SECONDS}`, ...headers };
  if (isKnown(request.headers.get("If-None-Match"), etag)) return new Response(null, { status: 304, headers: known });
  return new Response(bytes, {
    headers: {
      ...known,
      "Content-Type": type,
      // An SVG that is opened by itself is a document: nothing may run in it.
      "Content-Security-Policy": "default-src 'none'",
      "X-Content-Type-Options": "nosniff",
    },
  });
}

/** The validator (RFC 9110, section 8.8.3) of bytes: half of their SHA-256. */
async function etagOf(bytes: Uint8Array): Promise<string> {
  const digest = await crypto.subtle.digest("SHA-256", bytes);
  return `"${toHex(new Uint8Array(digest, 0, 16))}"`;
}
