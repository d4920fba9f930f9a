/**
 * Reads a JSON body as the API promises to: bounded, in UTF-8, and refused with a reason otherwise.
 *
 * @module
 */
import type { MiddlewareHandler } from "hono";
import { bodyLimit } from "hono/body-limit";
import type { ApiEnv } from "./api-env.ts";
import { Refusal } from "./problem.ts";

/** A link with every field at its limit has about 60 KB as JSON. */
export const MAX_BODY_BYTES = 128 * 1024;
/** For many links: about 4 KB for each of 1,000. */
export const MAX_BULK_BODY_BYTES = 4 * 1024 * 1024;

/** Refuses a body that is larger than `maxBytes`, whatever length its sender declared. */
export function limitBody(maxBytes: number): MiddlewareHandler<ApiEnv> {
  return bodyLimit({
    maxSize: maxBytes,
    onError: () => {
      throw new Refusal("payload_too_large", `The body is larger than ${maxBytes} bytes.`);
    },
  });
}

/** Refuses a body that is not JSON in UTF-8. The parsers that come after read the same bytes, which Hono keeps. */
export const jsonBody: MiddlewareHandler<ApiEnv> = async (c, next) => {
  requireJsonType(c.req.header("Content-Type"));
  requireJson(decodeStrictly(await c.req.arrayBuffer()));
  await next();
};

function requireJsonType(header: string | undefined): void {
  const [type = "", ...parameters] = (header ?? "").split(";").map((part) => part.trim().toLowerCase());
  const charset = parameters.find((parameter) => parameter.startsWith("charset="))?.slice("charset=".length);
  const isUtf8 = charset === undefined || charset.replaceAll('"', "") === "utf-8";
  if (type === "application/json" && isUtf8) return;
  throw new Refusal("unsupported_media_type", "Send the body as Content-Type: application/json, in UTF-8.");
}

/** Broken UTF-8 is refused: replaced by U+FFFD it would be stored as something that nobody wrote. */
function decodeStrictly(bytes: ArrayBuffer): string {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw new Refusal("invalid_json", "The body is not valid UTF-8.");
  }
}

function requireJson(text: string): void {
  if (text.trim() === "") throw new Refusal("invalid_json", "The body is empty; send a JSON object.");
  try {
    JSON.parse(text);
  } catch {
    throw new Refusal("invalid_json", "The body is not valid JSON.");
  }
}
