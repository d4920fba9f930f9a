/**
 * `GET /api/v1/links/{code}/qr`: the picture of a link, whether visitors may follow it just now or not.
 *
 * @module
 */
import type { OpenAPIHono } from "@hono/zod-openapi";
import { qrUrlAt } from "../../shared/link.ts";
import type { ApiEnv } from "../http/api-env.ts";
import { originOf } from "../http/context.ts";
import { keyOf, noSuchLink } from "../http/link-key.ts";
import { answerPicture } from "../http/picture.ts";
import { Refusal } from "../http/problem.ts";
import { drawQrCall } from "./contract.ts";
import type { LinkStore } from "./store.ts";

/** What the pictures need of the links. */
export interface QrParts {
  readonly store: Pick<LinkStore, "find">;
  readonly domains: readonly string[];
}

/** Adds the call to the links' others. */
export function addQr(routes: OpenAPIHono<ApiEnv>, parts: QrParts): void {
  routes.openapi(drawQrCall, async (c) => {
    const { domain, format, ...look } = c.req.valid("query");
    if (look.color === look.background) throw refused("background", "is the colour of the code itself");
    const key = keyOf(c, parts.domains, c.req.valid("param").code, domain);
    if ((await parts.store.find(key)) === undefined) throw noSuchLink();

    const { drawPng, drawSvg } = await import("../pages/qr.ts");
    const url = qrUrlAt(originOf(c.env.scope, key.domain), key.code);
    if (format === "svg") return answerPicture(c.req.raw, "image/svg+xml", drawSvg(url, look), "private");
    const drawn = drawPng(url, look);
    if (drawn.kind === "too_small") throw refused("size", `takes at least ${drawn.least} for this code and margin`);
    return answerPicture(c.req.raw, "image/png", drawn.bytes, "private");
  });
}

function refused(path: string, message: string): Refusal {
  return new Refusal("invalid_request", `${path} ${message}.`, { errors: [{ path, message }] });
}
