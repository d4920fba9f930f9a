/**
 * `POST /api/v1/links` where it refuses: bodies that are no JSON or not such JSON (400, 413, 415), codes that cannot be had
 * and destinations that are not allowed (400). Every refusal is a problem document that names the field, and makes nothing.
 *
 * @module
 */
import { afterAll, beforeAll, test } from "vitest";
import { isRecord } from "../../shared/json.ts";
import { fieldOf, type Seen, see, type Service, startService } from "./service.ts";

const HOST = "links-refuse.example.test";
const KEY = { Authorization: "Bearer test-admin-key" };
const JSON_TYPE = { "Content-Type": "application/json" };
const URL_SENT = "https://example.com/refused";

let service: Service;

beforeAll(async () => {
  service = await startService(HOST, { URL_BLOCKLIST: "evil.example, *.evil.example" });
});
afterAll(() => service.stop());

const create = (fields: unknown): Promise<Seen> => see(service.api("POST", "/links", fields));
const send = (body: string | Uint8Array, headers: Readonly<Record<string, string>> = JSON_TYPE): Promise<Seen> =>
  see(service.fetch("/api/v1/links", { method: "POST", headers: { ...KEY, ...headers }, body }));
const detailOf = (seen: Seen): string => String(fieldOf(seen.body, "detail"));

/** The paths of the fields that were wrong, each once. */
function pathsOf(seen: Seen): readonly unknown[] {
  const errors = fieldOf(seen.body, "errors");
  return Array.isArray(errors) ? [...new Set(errors.map((error: unknown) => fieldOf(error, "path")))] : [];
}

/** What every refusal of this call has in common; `status` and `code` are its own. */
const refusal = (status: number, code?: string): object => ({
  status,
  headers: { "content-type": "application/problem+json" },
  body: { status, instance: "/api/v1/links", ...(code === undefined ? {} : { code }) },
});

test.for([
  ["no Content-Type", {}],
  ["text/plain", { "Content-Type": "text/plain" }],
  ["a form", { "Content-Type": "application/x-www-form-urlencoded" }],
  ["a form in parts", { "Content-Type": "multipart/form-data; boundary=x" }],
  ["JSON in UTF-16", { "Content-Type": "application/json; charset=utf-16" }],
  ["a type that begins like JSON's", { "Content-Type": "application/json-seq" }],
] as const)("B213, B085: %s is refused, though the body is JSON", async ([, headers], { expect }) => {
  // Bytes, so that no type is put in by the client.
  const seen = await send(new TextEncoder().encode(JSON.stringify({ longUrl: URL_SENT })), headers);
  expect(seen).toMatchObject(refusal(415));
});

const bytes = (...parts: readonly (string | readonly number[])[]): Uint8Array =>
  Buffer.concat(parts.map((part) => Buffer.from(part)));

const NO_JSON: readonly (readonly [string, string | Uint8Array])[] = [
  ["an empty body", ""],
  ["white space", " \r\n\t"],
  ["half an object", '{"longUrl":'],
  ["a comma too many", `{"longUrl":"${URL_SENT}",}`],
  ["single quotes", "{'longUrl':'x'}"],
  ["two objects", "{}{}"],
  ["a comment", `{"longUrl":"${URL_SENT}"} // x`],
  ["NaN", '{"longUrl":NaN}'],
  ["a raw line break in a text", '{"longUrl":"a\nb"}'],
  ["JSON in UTF-16", Buffer.from(JSON.stringify({ longUrl: URL_SENT }), "utf16le")],
  ["B043: a broken sequence", bytes(`{"longUrl":"${URL_SENT}","title":"`, [0xc3, 0x28], '"}')],
  ["B043: half a surrogate pair as bytes", bytes(`{"longUrl":"${URL_SENT}","title":"`, [0xed, 0xa0, 0x80], '"}')],
  ["an overlong NUL", bytes(`{"longUrl":"${URL_SENT}","title":"`, [0xc0, 0x80], '"}')],
  ["a sequence that ends early", bytes(`{"longUrl":"${URL_SENT}","title":"`, [0xf0, 0x9f], '"}')],
];

test.for(NO_JSON)("400 invalid_json: %s", async ([, body], { expect }) => {
  expect(await send(body)).toMatchObject(refusal(400, "invalid_json"));
});

test.for([
  ["a list", []],
  ["a text", "x"],
  ["a number", 1],
  ["null", null],
  ["true", true],
] as const)("400: the body may not be %s", async ([, body], { expect }) => {
  expect(await create(body)).toMatchObject(refusal(400, "invalid_request"));
});

test("B215: {} lacks longUrl, and the answer says so", async ({ expect }) => {
  const seen = await create({});
  expect(seen).toMatchObject(refusal(400, "invalid_request"));
  expect(pathsOf(seen)).toEqual(["longUrl"]);
});

const UNKNOWN = ["customurl", "longurl", "LongUrl", "slug", "id", "shortCode", "type", "clickCount", "createdAt"];

test.for([...UNKNOWN, "constructor"])("B036: the unknown field %s is refused by name", async (name, { expect }) => {
  const seen = await create({ longUrl: URL_SENT, [name]: "abc" });
  expect(seen).toMatchObject(refusal(400, "invalid_request"));
  expect(JSON.stringify(fieldOf(seen.body, "errors"))).toContain(name);
});

test.for([
  ["url", "longUrl"],
  ["long_url", "longUrl"],
  ["longurl", "longUrl"],
  ["customSlug", "customCode"],
  ["keyword", "customCode"],
  ["expiresAt", "expireAt"],
  ["max_visits", "maxClicks"],
  ["shortCode", "customCode"],
] as const)("the name %s of another API is answered with %s", async ([name, ours], { expect }) => {
  const seen = await create({ longUrl: URL_SENT, [name]: "abc" });
  expect(seen).toMatchObject(refusal(400, "invalid_request"));
  expect(fieldOf(seen.body, "errors")).toEqual([{ path: name, message: expect.stringContaining(`\`${ours}\``) }]);
});

test("B036: the field __proto__ is refused by name", async ({ expect }) => {
  const seen = await send(`{"longUrl":"${URL_SENT}","__proto__":{"disabled":true}}`);
  expect(seen).toMatchObject(refusal(400, "invalid_request"));
  expect(JSON.stringify(fieldOf(seen.body, "errors"))).toContain("__proto__");
});

test("all that is wrong is named at once", async ({ expect }) => {
  const seen = await create({ longUrl: 5, title: 5, redirectStatus: 200, tags: ["ok", 5], metadata: "x" });
  expect(new Set(pathsOf(seen))).toEqual(new Set(["longUrl", "title", "redirectStatus", "tags.1", "metadata"]));
});

const NUL = "a\u0000b";
const LONE = "a\ud800b";
const TEXTS: readonly (readonly [string, (text: string) => unknown])[] = [
  ["longUrl", (text) => ({ longUrl: `https://example.com/${text}` })],
  ["customCode", (text) => ({ longUrl: URL_SENT, customCode: text })],
  ["domain", (text) => ({ longUrl: URL_SENT, domain: text })],
  ["title", (text) => ({ longUrl: URL_SENT, title: text })],
  ["notes", (text) => ({ longUrl: URL_SENT, notes: text })],
  ["tags.0", (text) => ({ longUrl: URL_SENT, tags: [text] })],
  ["metadata", (text) => ({ longUrl: URL_SENT, metadata: { deep: [{ value: text }] } })],
  ["metadata", (text) => ({ longUrl: URL_SENT, metadata: { [text]: 1 } })],
  ["expiredUrl", (text) => ({ longUrl: URL_SENT, expiredUrl: `https://example.com/${text}` })],
];

test.concurrent.for(TEXTS)("B041: NUL in %s is refused there", async ([path, bodyOf], { expect }) => {
  const seen = await create(bodyOf(NUL));
  expect(seen).toMatchObject(refusal(400));
  expect(pathsOf(seen)).toEqual([path]);
});

test.for(TEXTS)("B043: half a surrogate pair in %s is refused there", async ([path, bodyOf], { expect }) => {
  const seen = await create(bodyOf(LONE));
  expect(seen).toMatchObject(refusal(400));
  expect(pathsOf(seen)).toEqual([path]);
});

const TYPES: readonly (readonly [string, readonly unknown[]])[] = [
  ["longUrl", [5, null, true, [], {}, ["https://example.com/"]]],
  ["customCode", [5, true, [], {}]],
  ["domain", [5, [], "elsewhere.example", "", "https://links-refuse.example.test"]],
  ["unique", ["true", 1, null, {}]],
  ["title", [5, [], {}]],
  ["tags", ["a", {}, 5]],
  ["tags.0", [[5], [null], [[]], [""]]],
  ["notes", [5, []]],
  ["metadata", ["x", 5]],
  ["redirectStatus", [200, 300, 303, 304, "302", 302.5, true]],
  ["validSince", [1_900_000_000, true, {}]],
  ["expiredUrl", [5, []]],
  ["disabled", ["true", 1, 0, ""]],
];

test.for(TYPES.flatMap(([path, values]) => values.map((value) => [path, JSON.stringify(value), value] as const)))(
  "400: %s may not be %s",
  async ([path, , value], { expect }) => {
    const field = path.split(".", 1)[0] ?? path;
    const seen = await create({ longUrl: URL_SENT, [field]: value });
    expect(seen).toMatchObject(refusal(400, "invalid_request"));
    expect(pathsOf(seen)).toEqual([path]);
  },
);

test.for([
  "2027-02-29T00:00:00Z",
  "2027-02-30T00:00:00Z",
  "2027-04-31T00:00:00Z",
  "2027-13-01T00:00:00Z",
  "2027-00-10T00:00:00Z",
  "2027-01-00T00:00:00Z",
  "2027-01-01T24:00:00Z",
  "2027-01-01T08:60:00Z",
  "2027-01-01T08:00:61Z",
  "2027-01-01T08:00:00+24:00",
  "2027-01-01T08:00:00+01:60",
  "2027-01-01T08:00:00+0100",
  "2027-01-01T08:00:00",
  "2027-01-01",
  "+012027-01-01T08:00:00Z",
  "10000-01-01T00:00:00Z",
  "9999-12-31T23:59:59-00:01",
  "1796112000000",
  "tomorrow",
  "",
])("400: no time is %j", async (time, { expect }) => {
  for (const field of ["expireAt", "validSince"]) {
    const seen = await create({ longUrl: URL_SENT, [field]: time });
    expect(seen).toMatchObject(refusal(400, "invalid_request"));
    expect(pathsOf(seen)).toEqual([field]);
  }
});

test("413: a body of 170 KB is refused, whether its length is declared or not", async ({ expect }) => {
  const body = JSON.stringify({ longUrl: URL_SENT, notes: "x".repeat(170 * 1024) });
  expect(await send(body)).toMatchObject(refusal(413, "payload_too_large"));
  const head = `POST /api/v1/links HTTP/1.1\r\nHost: ${HOST}\r\nConnection: close\r\nAuthorization: ${KEY.Authorization}\r\n`;
  const chunked = `Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`;
  expect(await service.raw(head + chunked)).toMatch(/^HTTP\/1\.1 413 /);
});

test("metadata takes 4,096 bytes as JSON and not one more, counted in UTF-8", async ({ expect }) => {
  const fits = { a: "\u00E9".repeat((4096 - 8) / 2) };
  expect(Buffer.byteLength(JSON.stringify(fits))).toBe(4096);
  expect((await create({ longUrl: URL_SENT, metadata: fits })).status).toBe(201);
  const seen = await create({ longUrl: URL_SENT, metadata: { a: `${fits.a}x` } });
  expect(seen).toMatchObject(refusal(400, "invalid_request"));
  expect(pathsOf(seen)).toEqual(["metadata"]);
});

test("a number that would be kept as null is refused in metadata", async ({ expect }) => {
  for (const number of ["1e999", "-1e999"]) {
    const seen = await send(`{"longUrl":"${URL_SENT}/number","metadata":{"a":[${number}]}}`);
    expect(seen).toMatchObject(refusal(400, "invalid_request"));
    expect(pathsOf(seen)).toEqual(["metadata"]);
  }
});

test.for([
  [2000, [201, 400]],
  [50_000, [400]],
] as const)("metadata of %i lists in lists is no error of the service", async ([depth, statuses], { expect }) => {
  const lists = "[".repeat(depth) + "]".repeat(depth);
  const seen = await send(`{"longUrl":"${URL_SENT}/deep","metadata":{"a":${lists}}}`);
  expect(statuses).toContain(seen.status);
});

test.for([
  ["8,193 characters", `https://example.com/#${"A".repeat(8193 - 21)}`],
  ["100,000 characters", `https://example.com/?${"a".repeat(100_000)}`],
])("B034: a destination of %s is refused", async ([, longUrl], { expect }) => {
  const seen = await create({ longUrl });
  expect(seen).toMatchObject(refusal(400, "url_not_allowed"));
  expect(pathsOf(seen)).toEqual(["longUrl"]);
});

const NO_CODE: readonly (readonly [string, string])[] = [
  ["B063: /", "/"],
  ["B063: nothing", ""],
  ["B063: a space", " "],
  ["B063: one dot", "."],
  ["B063: two dots", ".."],
  ["B063: %2F", "%2F"],
  ["B062: a slash at the end", "whatever/"],
  ["B061: a slash within", "a/b"],
  ["a backslash", "a\\b"],
  ["a question mark", "a?b"],
  ["a hash", "a#b"],
  ["a plus, which asks for the preview", "a+"],
  ["a percent sign", "100%"],
  ["an ampersand", "a&b"],
  ["a space at the end", "a "],
  ["a no-break space", "a\u00A0b"],
  ["B181: a line break", "a\nb"],
  ["B181: a tab", "a\tb"],
  ["a dot in front", ".a"],
  ["a dot at the end", "a."],
  ["B029: an emoji with its variation selector", "\u260E\uFE0F"],
  ["B029: an emoji without it", "\u260E"],
  ["a picture", "\u{1F680}"],
  ["a letter with a variation selector", "a\uFE0F"],
  ["a zero-width joiner", "a\u200Db"],
  ["a zero-width space", "a\u200Bb"],
  ["a soft hyphen", "a\u00ADb"],
  ["a byte order mark", "\uFEFFa"],
  ["an override of the writing direction", "a\u202Eb"],
  ["a letter that shows nothing", "a\u3164"],
  ["a mark without a letter", "\u0301a"],
  ["65 characters", "a".repeat(65)],
  ["65 characters of two units each", "\u{1D49C}".repeat(65)],
  ["10,000 characters", "a".repeat(10_000)],
];

test.concurrent.for(NO_CODE)("400 invalid_code: %s", async ([, customCode], { expect }) => {
  const seen = await create({ longUrl: URL_SENT, customCode });
  expect(seen).toMatchObject(refusal(400, "invalid_code"));
  expect(pathsOf(seen)).toEqual(["customCode"]);
});

test("B063: after all those an ordinary link is made and opens, and / is still the home page", async ({ expect }) => {
  expect((await create({ longUrl: URL_SENT, customCode: "ordinary" })).status).toBe(201);
  expect((await see(service.fetch("/ordinary"))).headers["location"]).toBe(URL_SENT);
  const home = await see(service.fetch("/"));
  expect([home.status, home.headers["location"]]).toEqual([200, undefined]);
});

test.for([
  ..."api dashboard healthz metrics robots.txt favicon.ico .well-known".split(" "),
  ..."API Dashboard HEALTHZ Robots.TXT".split(" "),
])("400 code_reserved: %s", async (customCode, { expect }) => {
  const seen = await create({ longUrl: URL_SENT, customCode });
  expect(seen).toMatchObject(refusal(400, "code_reserved"));
  expect(pathsOf(seen)).toEqual(["customCode"]);
});

/** The code that the refusal names between quotation marks. */
const suggested = (seen: Seen): string | undefined => /"([^"]+)"/.exec(detailOf(seen))?.[1];

test.for(["abcdefghjkm", "SummerSaxes", "22222222222", "\u212Aabcdefghjk"])(
  "400: %s could be one of the generator's; the code that is suggested instead can be had",
  async (customCode, { expect }) => {
    const seen = await create({ longUrl: URL_SENT, customCode });
    expect(seen).toMatchObject(refusal(400, "invalid_code"));
    expect(pathsOf(seen)).toEqual(["customCode"]);
    const instead = suggested(seen);
    expect(instead).toBeDefined();
    expect(await create({ longUrl: URL_SENT, customCode: instead })).toMatchObject({ status: 201 });
  },
);

test("a code that is suggested is free: once it is taken, another one is suggested", async ({ expect }) => {
  const first = suggested(await create({ longUrl: URL_SENT, customCode: "AutumnSaxes" }));
  expect(await create({ longUrl: URL_SENT, customCode: first })).toMatchObject({ status: 201 });
  const second = suggested(await create({ longUrl: URL_SENT, customCode: "AutumnSaxes" }));
  expect(second).not.toBe(first);
  expect(await create({ longUrl: URL_SENT, customCode: second })).toMatchObject({ status: 201 });
});

test("an automatic link's code cannot be had, also after it was deleted", async ({ expect }) => {
  const code = String(fieldOf((await create({ longUrl: `${URL_SENT}/auto` })).body, "shortCode"));
  await service.api("DELETE", `/links/${code}`);
  expect(await create({ longUrl: URL_SENT, customCode: code })).toMatchObject(refusal(400, "invalid_code"));
});

// oxfmt-ignore
const REFUSED_URLS: Readonly<Record<string, readonly string[]>> = {
  "B087: no destination of the web": [
    "javascript:alert(1)", " JaVaScRiPt:alert(1)", "java\tscript:alert(1)", "\u0001javascript:alert(1)",
    "data:text/html,<b>x", "vbscript:x", "blob:https://x/y", "view-source:http://example.com", "file:///etc/passwd",
    "about:blank", "ftp://example.com/", "ws://example.com/", "mailto:a@example.com", "intent://example.com/#Intent;end",
  ],
  "B087, B192: no whole URL": [
    "//evil.example", "\\\\evil.example", "/relative", "/../x", "?q", "#top", "", " ", "example.com", "example.com/a",
    "https://", "https:///", "http://:80/", "https://exa mple.com/", "https://example.com:99999/", "https://[::1",
    `${HOST}/abc`,
  ],
  "B086, B192: our own domain": [
    `https://${HOST}/abc`, `https://${HOST.toUpperCase()}./abc`, `http://${HOST}:80/abc`, `https://${HOST}:443/abc`,
    `https://${HOST}:8443/`, `https://www.${HOST}`, `https://user@${HOST}/`, `HTTP://${HOST}/abc`,
    "https://links-refuse%2Eexample.test/abc", "https://links-refuse\u3002example\uFF0Etest/abc", `https:${HOST}/abc`,
    `https:\\\\${HOST}\\abc`, `https://links\u00AD-refuse.example.test/`,
  ],
  "B205, B091, B207: an IPv4 address that leads nowhere public, in any notation": [
    "127.0.0.1", "127.0.0.127.1", "foo.0", "1.2.3.4.5", "127.1", "0x7f.0.0.1", "127.0.0.1.", "127.0.0.1..",
    "256.256.256.256", "2130706433", "017700000001", "0x7f000001", "\uFF11\uFF12\uFF17.\uFF10.\uFF10.\uFF11", "0", "0.0.0.0",
    "0177.0.0.1", "0300.0250.1.1", "192.168.257", "3232235777", "10.0.0.1", "172.16.0.1", "192.168.0.1",
    "169.254.169.254", "100.64.0.1", "192.0.2.1", "198.18.0.1", "224.0.0.1", "255.255.255.255",
  ].map((host) => `http://${host}/`),
  "B088: an IPv6 address that leads nowhere public, or round by IPv4": [
    "::1", "::", "::ffff:127.0.0.1", "::ffff:7f00:1", "::ffff:0:127.0.0.1", "::127.0.0.1", "64:ff9b::7f00:1",
    "64:ff9b:1::1", "2002:7f00:1::", "2001:db8::1", "fe80::1", "fc00::1", "fd12::1", "ff02::1", "100::1",
  ].map((host) => `http://[${host}]/`),
  "a name that only means something inside": [
    "https://localhost/", "https://localhost./", "https://LOCALHOST:3000/", "https://a.localhost/", "https://printer.local/",
    "http://metadata.google.internal/", "https://router.home.arpa/", "https://intranet/", "https://com./",
  ],
  "user-info in the authority": [
    "https://user@example.com/", "https://user:secret@example.com/", "https://example.com@evil.test/", "https://:p@example.com/",
  ],
  "B206: a host on the block list": [
    "https://evil.example/", "https://evil.example./", "https://EVIL.example:8443/x", "https://a.b.evil.example/",
    "https://evil%2eexample/",
  ],
};

test.concurrent.for(Object.entries(REFUSED_URLS).flatMap(([kind, urls]) => urls.map((url) => [kind, url] as const)))(
  "400 url_not_allowed, %s: %j",
  async ([, longUrl], { expect }) => {
    const seen = await create({ longUrl });
    expect(seen).toMatchObject(refusal(400, "url_not_allowed"));
    expect(pathsOf(seen)).toEqual(["longUrl"]);
    expect(JSON.stringify(seen.body)).not.toContain("secret");
  },
);

test.for(["javascript:alert(1)", "http://127.1/", `https://${HOST}/a`, "https://evil.example/", "/relative"])(
  "B229: expiredUrl passes the same policy: %j",
  async (expiredUrl, { expect }) => {
    const seen = await create({ longUrl: URL_SENT, expiredUrl });
    expect(seen).toMatchObject(refusal(400, "url_not_allowed"));
    expect(pathsOf(seen)).toEqual(["expiredUrl"]);
  },
);

test("a refused creation with a custom code leaves the code free", async ({ expect }) => {
  expect((await create({ longUrl: "http://10.0.0.1/", customCode: "left-free" })).status).toBe(400);
  expect((await see(service.fetch("/left-free"))).status).toBe(404);
  const seen = await create({ longUrl: URL_SENT, customCode: "left-free" });
  expect([seen.status, isRecord(seen.body)]).toEqual([201, true]);
});
