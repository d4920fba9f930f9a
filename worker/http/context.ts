/**
 * What the doors know of a request before anybody reads it: its id, its one time stamp, and where leftover work goes.
 *
 * @module
 */

/** Takes work that goes on after the answer has left (30 s at most on Workers). */
export type WaitUntil = (work: Promise<unknown>) => void;

/** One request's stamp. */
export interface RequestScope {
  /** In each answer (`X-Request-Id`) and each log line. */
  readonly requestId: string;
  /** What was asked for, parsed once. */
  readonly url: URL;
  /** Epoch milliseconds: one time for all that is decided for this request. */
  readonly now: number;
  readonly waitUntil: WaitUntil;
}

/** Stamps a request. Cloudflare's ray id, where there is one, is what its own logs carry. */
export function openScope(request: Request, now: number, waitUntil: WaitUntil): RequestScope {
  const requestId = request.headers.get("CF-Ray") ?? crypto.randomUUID();
  return { requestId, url: new URL(request.url), now, waitUntil };
}

/** The client's address as Cloudflare saw it, or null. `X-Forwarded-For` is the client's own word and is never read. */
export function clientAddress(request: Request): string | null {
  const address = request.headers.get("CF-Connecting-IP");
  return address === null || address === "" ? null : address;
}

/** The host that was asked: lower case, no port, no trailing dot. */
export function hostOf(url: URL): string {
  return url.hostname.endsWith(".") ? url.hostname.slice(0, -1) : url.hostname;
}

/** Where a request runs. */
export interface Place {
  /** IATA code of the data centre, such as `FRA`; empty when it is not known. */
  readonly colo: string;
  /** Of the visitor, in two letters, such as `EU`; empty when it is not known. */
  readonly continent: string;
}

/** The place of a request, as far as Cloudflare tells it. */
export function placeOf(request: Request): Place {
  return { colo: told(request, "colo"), continent: told(request, "continent") };
}

function told(request: Request, name: string): string {
  const value: unknown = Reflect.get(request.cf ?? {}, name);
  return typeof value === "string" ? value : "";
}
