/**
 * The headers that calls take and answers carry, as the document shows them.
 *
 * @module
 */

/** A header of a request. */
export type HeaderParameter = {
  readonly name: string;
  readonly in: "header";
  readonly required: false;
  readonly description: string;
  readonly schema: { readonly type: "string"; readonly minLength?: number; readonly maxLength?: number };
};

/** What every POST but an import takes: the door sees to it. */
export const IDEMPOTENCY_KEY: HeaderParameter = {
  name: "Idempotency-Key",
  in: "header",
  required: false,
  description:
    "For 24 hours a repeat under the same key gets the first answer again, with `Idempotent-Replayed: true`.",
  schema: { type: "string", minLength: 1, maxLength: 255 },
};

const IF_MATCH: HeaderParameter = {
  name: "If-Match",
  in: "header",
  required: false,
  description: "The `ETag` that was read: 412 when the link has changed since.",
  schema: { type: "string" },
};
const IF_NONE_MATCH: HeaderParameter = {
  name: "If-None-Match",
  in: "header",
  required: false,
  description: "The `ETag` of a picture that is there already: 304 when it would be the same.",
  schema: { type: "string" },
};

/** Which calls honour which condition. */
export const CONDITIONS: readonly {
  readonly method: string;
  readonly path: string;
  readonly parameter: HeaderParameter;
}[] = [
  { method: "patch", path: "/api/v1/links/{code}", parameter: IF_MATCH },
  { method: "delete", path: "/api/v1/links/{code}", parameter: IF_MATCH },
  { method: "get", path: "/api/v1/links/{code}/qr", parameter: IF_NONE_MATCH },
];

interface ResponseHeader {
  readonly description: string;
  readonly schema: { readonly type: "string" };
}

const text = (description: string): ResponseHeader => ({ description, schema: { type: "string" } });

const REQUEST_ID = text("Names the request in the service's log.");
const RETRY_AFTER = text("Seconds after which to come back.");
const BEARER = text("How to send a key: `Bearer`.");
const ETAG = text("The version of what is shown, for conditions.");
const LOCATION = text("Where the new thing is read.");
const REPLAYED = text("`true` when this is the answer of an earlier request with the same `Idempotency-Key`.");
const NEXT_CURSOR = text("As CSV: the `cursor` of the next page; missing on the last.");

/** The headers of an answer, beside those that its route names. */
export function describeHeaders(
  status: string,
  method: string,
  path: string,
  { headers }: { readonly headers?: object },
): Record<string, ResponseHeader> {
  const isOneLink =
    /^\/api\/v1\/links(?:\/\{code\}(?:\/qr)?)?$/.test(path) && !(method === "get" && path.endsWith("/links"));
  const isDone = status === "200" || status === "201";
  return {
    ...headers,
    "X-Request-Id": REQUEST_ID,
    ...(status === "429" || status === "503" ? { "Retry-After": RETRY_AFTER } : {}),
    ...(status === "401" ? { "WWW-Authenticate": BEARER } : {}),
    ...(isDone && isOneLink ? { ETag: ETAG } : {}),
    ...(status === "201" && /\/(?:links|webhooks)$/.test(path) ? { Location: LOCATION } : {}),
    ...(method === "post" && path !== "/api/v1/import" && !["429", "500", "503"].includes(status)
      ? { "Idempotent-Replayed": REPLAYED }
      : {}),
    ...(status === "200" && method === "get" && path.endsWith("/clicks") ? { "X-Next-Cursor": NEXT_CURSOR } : {}),
  };
}
