/**
 * What the doors know of a request before anybody reads it: its id, its one time stamp, and where leftover work goes.
 *
 * @module
 */

import { isRecord } from "../../shared/json.ts";
import { PLAIN_HOST } from "../../shared/plain-host.ts";

/** Takes work that goes on after the answer has left (30 s at most on Workers). */
export type WaitUntil = (work: Promise<unknown>) => void;

/** One request's stamp. */
export interface RequestScope {
  /** In each answer (`X-Request-Id`) and each log line. */
  readonly requestId: string;
  /** The host that was asked: lower case, no port, no trailing dot. */
  readonly host: string;
  /** The path as it was asked for, percent-encoded. */
  readonly path: string;
  /** Whether the path is a slash and one segment of letters, digits, `_` and `-`, or none, on a plain host. */
  readonly isPlain: boolean;
  /** What was asked for, parsed when somebody wants it. */
  readonly url: URL;
  /** Epoch milliseconds: one time for all that is decided for this request. */
  readonly now: number;
  readonly waitUntil: WaitUntil;
}

/**
 * An address that stands in its normal form already, so that the URL parser would change nothing: a plain host and a path of one
 * plain segment. Most visits are of this form, and the parser costs some 5 µs.
 */
const PLAIN_ADDRESS = new RegExp(String.raw`^(https?://(${PLAIN_HOST})(?::\d{1,4})?)(/[\w-]*)(?:$|\?)`);
/** By ASCII code: the characters of a plain segment. */
const PLAIN_UNITS = Uint8Array.from({ length: 128 }, (_, unit) => (/[\w-]/.test(String.fromCharCode(unit)) ? 1 : 0));
const SLASH = 47;
const QUESTION_MARK = 63;

/** The plain origin that was asked last: an isolate is mostly asked for one, and comparing it costs less than reading it. */
let lastOrigin = { text: "//", host: "" };

/** Host and path of a plain address, or undefined for any other. */
function plainPartsOf(address: string): { readonly host: string; readonly path: string } | undefined {
  const { text, host } = lastOrigin;
  const end = address.startsWith(text) ? plainPathEnd(address, text.length) : -1;
  if (end !== -1) return { host, path: address.slice(text.length, end) };
  const [, origin, ownHost, path] = PLAIN_ADDRESS.exec(address) ?? [];
  if (origin === undefined || ownHost === undefined || path === undefined) return undefined;
  lastOrigin = { text: origin, host: ownHost };
  return { host: ownHost, path };
}

/** Where a plain path ends that begins at `start`: at the end, or at a question mark; -1: there is none. */
function plainPathEnd(address: string, start: number): number {
  if (address.charCodeAt(start) !== SLASH) return -1;
  for (let at = start + 1; at < address.length; at += 1) {
    const unit = address.charCodeAt(at);
    if (PLAIN_UNITS[unit] !== 1) return unit === QUESTION_MARK ? at : -1;
  }
  return address.length;
}

/** Stamps a request. Cloudflare's ray id, where there is one, is what its own logs carry. */
export function openScope(request: Request, now: number, waitUntil: WaitUntil): RequestScope {
  const requestId = request.headers.get("cf-ray") ?? crypto.randomUUID();
  return new Scope(requestId, request.url, now, waitUntil);
}

class Scope implements RequestScope {
  readonly requestId: string;
  readonly host: string;
  readonly path: string;
  readonly isPlain: boolean;
  readonly now: number;
  readonly waitUntil: WaitUntil;
  readonly #address: string;
  #url: URL | undefined;

  constructor(requestId: string, address: string, now: number, waitUntil: WaitUntil) {
    this.requestId = requestId;
    this.now = now;
    this.waitUntil = waitUntil;
    this.#address = address;
    const plain = plainPartsOf(address);
    this.host = plain?.host ?? hostOf(this.url);
    this.path = plain?.path ?? this.url.pathname;
    this.isPlain = plain !== undefined;
  }

  get url(): URL {
    this.#url ??= new URL(this.#address);
    return this.#url;
  }
}

/** Where a domain is reached. The host that was asked is reached as it was: locally that is a port and no TLS. */
export function originOf({ host, url }: RequestScope, domain: string): string {
  return host === domain ? url.origin : `https://${domain}`;
}

/** The client's address as Cloudflare saw it, or null. `X-Forwarded-For` is the client's own word and is never read. */
export function clientAddress({ headers }: Request): string | null {
  const address = headers.get("cf-connecting-ip");
  return address === null || address === "" ? null : address;
}

function hostOf(url: URL): string {
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
  const value = cloudflareTells(request)[name];
  return typeof value === "string" ? value : "";
}

/** What Cloudflare tells of a request (`request.cf`): any field may be missing, and any may hold anything. */
export function cloudflareTells({ cf }: Request): Readonly<Record<string, unknown>> {
  return isRecord(cf) ? cf : NOTHING;
}

const NOTHING = {};
