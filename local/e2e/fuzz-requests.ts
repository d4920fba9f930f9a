/**
 * Random and mutated requests for every route: those of the API as the served OpenAPI document has them, so that a new one joins by itself.
 *
 * @module
 */
import type { Dice } from "../../shared/testing/dice.ts";
import { bodyOf, createNamed } from "./fuzz-bodies.ts";
import { headersOf } from "./fuzz-headers.ts";
import { carried, encodeSomehow, type Hostile, type Some } from "./fuzz-hostile.ts";
import type { FuzzRequest, Making } from "./fuzz-making.ts";
import { type Call, callsOf, type Named, type Parameter, valueOf } from "./fuzz-schema.ts";

/** Makes the next request, or several that are to be sent one after the other beside those of others. */
export type MakeRequests = (dice: Dice) => FuzzRequest[];

/** What Cloudflare takes of a URL is 16 KB. */
const MAX_TARGET = 15_000;
/** Calls that make what others need come more often. */
const OFTEN = new Set(["POST /api/v1/links", "PATCH /api/v1/links/{code}", "PUT /api/v1/links"]);
const ODD_METHODS: Some<string> = [
  "PROPFIND",
  "OPTIONS",
  "TRACE",
  "PURGE",
  "get",
  "LINK",
  "PUT",
  "DELETE",
  "HEAD",
  "PATCH",
  "POST",
  "X",
];
const PAGES: Some<string> = [
  "/",
  "/robots.txt",
  "/favicon.ico",
  "/healthz",
  "/healthz?deep=1",
  "/metrics",
  "/dashboard",
  "/api/docs",
  "/api/openapi.json",
  "/.well-known/hop",
  "/sitemap.xml",
];

/** Builds the maker. */
export function createRequests(making: Making): MakeRequests {
  const all = callsOf(making.document);
  const [first, ...rest] = all.flatMap((call) =>
    OFTEN.has(`${call.method} ${call.path}`) ? Array.from({ length: 6 }, () => call) : [call],
  );
  if (first === undefined) throw new Error("the OpenAPI document has no call");
  const calls: Some<Call> = [first, ...rest];
  const named = createNamed(making);
  const called = (dice: Dice, call: Call): FuzzRequest => callOf(making, call, named, dice);
  const next = (dice: Dice): FuzzRequest[] => {
    const kind = dice.below(100);
    if (kind < 62) return [called(dice, dice.pick(calls))];
    if (kind < 86) return [visit(making, dice)];
    if (kind < 91) return [noise(making, dice)];
    return sequence(making, dice, (method, path) => {
      const found = all.find((call) => call.method === method && call.path === path);
      return found === undefined ? [] : [called(dice, found)];
    });
  };
  return (dice) => next(dice).map((asked) => ({ ...asked, path: cut(asked.path) }));
}

/** A path that still fits when each byte that is no ASCII is written as three. Over its limit the platform itself answers. */
function cut(path: string): string {
  return path.replaceAll(/[^!-~]/g, "xxx").length <= MAX_TARGET ? path : path.slice(0, MAX_TARGET / 3);
}

/** Makes, changes, reads, visits and deletes, so that others meet the same names in every state. */
function sequence(making: Making, dice: Dice, call: (method: string, path: string) => FuzzRequest[]): FuzzRequest[] {
  const steps: Some<() => FuzzRequest[]> = [
    () => call("PUT", "/api/v1/links"),
    () => call("PATCH", "/api/v1/links/{code}"),
    () => call("DELETE", "/api/v1/links/{code}"),
    () => call("GET", "/api/v1/links/{code}"),
    () => call("GET", "/api/v1/links/{code}/clicks"),
    () => [visit(making, dice)],
  ];
  const length = 2 + dice.below(5);
  return [call("POST", "/api/v1/links"), ...Array.from({ length }, () => dice.pick(steps)())].flat();
}

function callOf(making: Making, call: Call, named: Named, dice: Dice): FuzzRequest {
  const { document, hostile } = making;
  const link = linkOf(making, dice);
  const path = call.path.replaceAll(/\{(\w+)\}/g, (_, name: string) =>
    name === "code" ? codeIn(making, link.code, dice) : idIn(making, call.path, name, dice),
  );
  const query = call.parameters.flatMap((parameter) => argument(making, parameter, named, dice));
  if (dice.below(12) === 0) query.push(oddArgument(hostile, dice));
  const chosen = call.bodies[dice.below(call.bodies.length)];
  const body = chosen === undefined ? undefined : bodyOf(document, chosen[1], { hostile, named, dice });
  const headers = headersOf(making, dice, link.domain, body === undefined ? undefined : chosen?.[0]);
  const method = dice.below(40) === 0 ? dice.pick(ODD_METHODS) : call.method;
  const isReading = method === "GET" && dice.below(20) === 0;
  return {
    method: isReading ? "HEAD" : method,
    path: path + (query.length === 0 ? "" : `?${query.join("&")}`),
    headers,
    body: body ?? (dice.below(50) === 0 ? Buffer.from(hostile.text(dice)) : undefined),
  };
}

interface LinkNamed {
  readonly domain: string;
  readonly code: string;
}

/** A link that there is, or was. */
function linkOf({ world, hosts }: Making, dice: Dice): LinkNamed {
  const [domain = "", code = "c-1"] = (world.some("link", dice) ?? `${hosts[0]}/c-1`).split("/");
  return { domain, code };
}

/** What stands for a link in a path. */
function codeIn({ hostile }: Making, code: string, dice: Dice): string {
  if (dice.below(10) === 0) return encodeSomehow(hostile.text(dice), dice);
  return encodeURIComponent(dice.below(10) === 0 ? `ext_e-${dice.below(300)}` : code);
}

/** What stands for anything else. */
function idIn({ world, hostile }: Making, path: string, name: string, dice: Dice): string {
  if (dice.below(10) === 0) return encodeSomehow(hostile.text(dice), dice);
  const kind = name === "deliveryId" ? "delivery" : path.startsWith("/api/v1/keys") ? "apiKeyId" : "webhook";
  return encodeURIComponent(world.some(kind, dice) ?? "00000000-0000-0000-0000-000000000000");
}

function argument({ hostile, document }: Making, parameter: Parameter, named: Named, dice: Dice): string[] {
  if (parameter.in !== "query" || dice.below(3) > 0) return [];
  const key = encodeURIComponent(parameter.name);
  if (dice.below(6) === 0) {
    const value = encodeSomehow(hostile.text(dice), dice);
    const other = encodeSomehow(hostile.text(dice), dice);
    return [
      dice.pick([
        `${key}=${value}`,
        `${key}=${value}&${key}=${other}`,
        `${key}[]=${value}`,
        `${key}[a]=${value}`,
        key,
        `${key}=`,
      ]),
    ];
  }
  const value = valueOf(document, parameter.schema, parameter.name, named, dice);
  const values = Array.isArray(value) ? value.map(asText) : [asText(value)];
  return values.map((one) => `${key}=${encodeURIComponent(bent(parameter.name, one, dice))}`);
}

/** A cursor with one character changed is no cursor of ours any more, or another one. */
function bent(name: string, value: string, dice: Dice): string {
  if (name !== "cursor" || dice.below(2) === 0) return value;
  const at = dice.below(value.length + 1);
  return value.slice(0, at) + dice.pick(["A", "9", "_", "=", "", "zz"]) + value.slice(at + dice.below(2));
}

function asText(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}

function oddArgument(hostile: Hostile, dice: Dice): string {
  const odd = encodeSomehow(hostile.text(dice), dice);
  return dice.pick([
    "%",
    "&&&",
    "=",
    "a=%",
    "__proto__[x]=1",
    `${odd}=${odd}`,
    "limit=1&limit=2",
    `x=${"y".repeat(4000)}`,
  ]);
}

/** Somebody opens a short link, or what its pages send. */
function visit(making: Making, dice: Dice): FuzzRequest {
  const { hostile } = making;
  const link = linkOf(making, dice);
  const code = dice.below(6) === 0 ? encodeSomehow(hostile.text(dice), dice) : encodeURIComponent(link.code);
  const rest = dice.pick([
    "",
    "",
    "",
    "",
    "+",
    "/",
    "/qr",
    "/rest/of/it",
    "//x",
    "/..",
    "/%2e%2e/x",
    "/%00",
    `/${encodeSomehow(hostile.text(dice), dice)}`,
  ]);
  const query = dice.pick([
    "",
    "",
    "?",
    "?a=1",
    "?qr",
    "?format=png&size=9999",
    `?${oddArgument(hostile, dice)}`,
    "?url=https://evil.example",
  ]);
  const isForm = dice.below(6) === 0;
  const form = dice.pick([
    "password=password-1",
    `password=${encodeSomehow(hostile.text(dice), dice)}`,
    "password[]=1",
    "%",
    "",
    "password=a&password=b",
  ]);
  const headers = headersOf(making, dice, link.domain, isForm ? "application/x-www-form-urlencoded" : undefined);
  delete headers["Authorization"];
  const method = isForm ? "POST" : dice.pick(["GET", "GET", "GET", "GET", "GET", "HEAD", dice.pick(ODD_METHODS)]);
  return { method, path: `/${code}${rest}${query}`, headers, body: isForm ? Buffer.from(form) : undefined };
}

/** Pages, and paths that nobody has. */
function noise(making: Making, dice: Dice): FuzzRequest {
  const { hostile } = making;
  const odd = encodeSomehow(hostile.text(dice), dice);
  const path = dice.pick([
    dice.pick(PAGES),
    dice.pick(PAGES),
    `/${odd}`,
    `//${odd}`,
    `/${"a".repeat(8000)}`,
    `/${"%41".repeat(2700)}`,
    `/${"a/".repeat(2000)}`,
    `/./${odd}/../${odd}`,
    `/api/${odd}`,
    `/api/v1/${odd}`,
    `/api/v1/links/${odd}/${odd}`,
    `/api/v1//links`,
    "/api/v1/links/",
    "/api\\v1\\links",
    `/API/V1/links`,
    `/%61pi/v1/links`,
    `/api/v1/%6cinks`,
    `/api/v1/links/..%2f..%2f`,
    `/api/v1/links;x=1`,
    `/.well-known/hop/entry/${odd}`,
    `/healthz/${odd}`,
    `?${odd}`.replace(/^/, "/"),
  ]);
  return {
    method: dice.pick(["GET", "GET", "GET", "HEAD", dice.pick(ODD_METHODS)]),
    path: carried(path),
    headers: headersOf(making, dice, dice.pick(making.hosts), undefined),
    body: undefined,
  };
}
