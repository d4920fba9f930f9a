/**
 * `GET` and `HEAD /{code}` of a link that exists: its headers, its destination byte for byte, and what of a visit has no
 * influence on it. Then the few paths that are no codes.
 *
 * @module
 */
import { afterAll, beforeAll, test } from "vitest";
import { createLink, type Asked, fieldOf, type Seen, see, type Service, startService, stranger } from "./service.ts";

const HOST = "redirect.example.test";
const PLAIN = "https://example.com/landing?a=1&b=%20#top";

let service: Service;
let serial = 0;

beforeAll(async () => {
  service = await startService(HOST);
  await create({ longUrl: PLAIN, customCode: "plain" });
  await create({ longUrl: PLAIN, customCode: "quick-start" });
  await create({ longUrl: PLAIN, customCode: "efem\u00E9rides" });
  await create({ longUrl: PLAIN, customCode: "expired", expireAt: "2026-01-01T00:00:00Z" });
  await create({ longUrl: PLAIN, customCode: "disabled", disabled: true });
});
afterAll(() => service.stop());

const visit = (path: string, asked: Asked = {}): Promise<Seen> =>
  see(service.fetch(path, { ...asked, headers: { ...stranger(), ...asked.headers } }));

/** Makes a link and answers its path. */
async function create(fields: Readonly<Record<string, unknown>>): Promise<string> {
  serial += 1;
  return `/${encodeURIComponent(await createLink(service, { customCode: `link-${serial}`, ...fields }))}`;
}

/** An answer as it came over the wire. */
interface Wire {
  readonly status: string;
  /** Lower-case names, in their order, without those of the connection. */
  readonly headers: ReadonlyMap<string, string>;
  readonly body: string;
}

const CONNECTION = new Set(["connection", "content-length", "transfer-encoding", "date"]);

/** Sends a request line and headers as they stand. */
async function onTheWire(line: string, headers: readonly string[] = [], body = ""): Promise<Wire> {
  const head = [line, `Host: ${HOST}`, "Connection: close", ...headers].join("\r\n");
  const answer = await service.raw(Buffer.from(`${head}\r\n\r\n${body}`));
  const end = answer.indexOf("\r\n\r\n");
  const [status = "", ...fields] = answer.slice(0, end).split("\r\n");
  const pairs = fields.map(
    (field) => [field.split(":", 1)[0]?.toLowerCase() ?? "", field.replace(/^[^:]*: */, "")] as const,
  );
  return { status, headers: new Map(pairs.filter(([name]) => !CONNECTION.has(name))), body: answer.slice(end + 4) };
}

test.for([302, 307, 301, 308])(
  "B010, B011: %i: the headers of the contract and no others, and an empty body",
  async (status, { expect }) => {
    const path = await create({ longUrl: PLAIN, redirectStatus: status });
    const answer = await onTheWire(`GET ${path} HTTP/1.1`);
    expect(answer.status).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `));
    expect(answer.body).toBe("");
    expect(answer.headers.get("location")).toBe(PLAIN);
    expect(answer.headers.get("x-robots-tag")).toBe("noindex");
    expect(answer.headers.get("x-request-id")).toMatch(/^[\w-]{8,}$/);
    // Every click of a 302 or 307 must reach the service; a browser may keep a 301 or 308.
    const isKept = status === 301 || status === 308;
    if (isKept) expect(answer.headers.get("cache-control") ?? "").not.toMatch(/no-store|no-cache|private|max-age=0/);
    else expect(answer.headers.get("cache-control")).toBe("no-store");
    const names = ["location", "x-robots-tag", "x-request-id", "cache-control"];
    expect([...answer.headers.keys()].filter((name) => !names.includes(name))).toEqual([]);
  },
);

test("each answer has a request id of its own", async ({ expect }) => {
  const answers = await Promise.all(Array.from({ length: 10 }, () => visit("/plain")));
  expect(new Set(answers.map(({ headers }) => headers["x-request-id"])).size).toBe(10);
});

test("B007, B095: HEAD answers as GET does, without a body, also before any GET", async ({ expect }) => {
  const path = await create({ longUrl: PLAIN });
  const [head, get] = [await onTheWire(`HEAD ${path} HTTP/1.1`), await onTheWire(`GET ${path} HTTP/1.1`)];
  expect([head.status, head.body]).toEqual([get.status, ""]);
  for (const name of ["location", "cache-control", "x-robots-tag"]) {
    expect(head.headers.get(name)).toBe(get.headers.get(name));
  }
});

test("B007, B216: HEAD, OPTIONS, POST and look-aheads are no clicks", async ({ expect }) => {
  const path = await create({ longUrl: PLAIN });
  await visit(path, { method: "HEAD" });
  await visit(path, { headers: { "Sec-Purpose": "prefetch" } });
  const preflight = { Origin: "https://evil.example", "Access-Control-Request-Method": "DELETE" };
  const answer = await visit(path, { method: "OPTIONS", headers: preflight });
  expect(Object.keys(answer.headers).filter((name) => name.startsWith("access-control-"))).toEqual([]);
  await visit(path, { method: "POST" });
  await visit(path);
  const clicks = async (): Promise<unknown> =>
    fieldOf((await see(service.api("GET", `/links${path}`))).body, "clickCount");
  const deadline = Date.now() + 10_000;
  while ((await clicks()) === 0 && Date.now() < deadline) await new Promise((resolve) => setTimeout(resolve, 200));
  await new Promise((resolve) => setTimeout(resolve, 300));
  expect(await clicks()).toBe(1);
});

/** A destination as it is sent and as it comes back in `Location`. */
// oxfmt-ignore
const DESTINATIONS: readonly (readonly [string, string, string?])[] = [
  ["B018", "https://example.com/s?artist=AC%2FDC&song=Back%20in%20Black"],
  ["B019", "https://example.com/q?w=%27%25admin%25%27+AND+x"],
  ["B021", "https://example.com/bad%20space/"],
  ["B021", "https://example.com/good space/", "https://example.com/good%20space/"],
  ["B022", "https://example.com/s?q='a'&b=x/y&c=<z>", "https://example.com/s?q=%27a%27&b=x/y&c=%3Cz%3E"],
  ["B025", "https://example.com/content/all?q=%23Eurovision"],
  ["B026", "https://example.com/2025/%f0%9f%9a%80-using-x"],
  ["B026", "https://example.com/\u{1F680}?\u{1F680}#\u{1F680}", "https://example.com/%F0%9F%9A%80?%F0%9F%9A%80#%F0%9F%9A%80"],
  ["B031", "https://example.com/\u00FCn\u00EFts/\u03A9", "https://example.com/%C3%BCn%C3%AFts/%CE%A9"],
  [
    "B036",
    "https://example.com/l.aspx?g=&key=&region=Dallas%20%2F%20Fort%20Worth area&sub=817756,109",
    "https://example.com/l.aspx?g=&key=&region=Dallas%20%2F%20Fort%20Worth%20area&sub=817756,109",
  ],
  ["B059", "https://EXAMPLE.com/TeSt", "https://example.com/TeSt"],
  ["B108", "https://ja.wikipedia.org/wiki/\u5C0F\u9EA6\u7C89", "https://ja.wikipedia.org/wiki/%E5%B0%8F%E9%BA%A6%E7%B2%89"],
  ["B109", "https://example.com/\u00E9\u00FF\u5C0F%C3%A9?\u00E9", "https://example.com/%C3%A9%C3%BF%E5%B0%8F%C3%A9?%C3%A9"],
  ["B162", "https://example.com/a\r\nSet-Cookie: x=1", "https://example.com/aSet-Cookie:%20x=1"],
  ["B162", "https://example.com/a\nb", "https://example.com/ab"],
  ["B162", "https://example.com/a\tb", "https://example.com/ab"],
  ["B162", "https://example.com/a\u2028b", "https://example.com/a%E2%80%A8b"],
  ["B162", "https://example.com/a%0d%0aSet-Cookie:%20x=1"],
  ["B164", "https://example.com/?%0d%0aSet-Cookie:%20x=1"],
  ["B164", "https://example.com/#%0D%0ASet-Cookie:%20x=1"],
  ["B193, no look at it", "https://hangs-for-ever.example/"],
  ["B206", "https://example.com./a"],
  ["an international host", "https://m\u00FCnchen.example/\u00FC", "https://xn--mnchen-3ya.example/%C3%BC"],
  ["a default port", "http://example.com:80/", "http://example.com/"],
  ["a port", "http://example.com:8080/"],
  ["no path", "https://example.com", "https://example.com/"],
  ["an empty query", "https://example.com/?"],
  ["an empty fragment", "https://example.com/#"],
  ["query order, doubles and empty values", "https://example.com/?b=2&a=1&b=&&=x&a"],
  ["plus, tilde and semicolon", "https://example.com/a+b;c~d?x+y=1+2;z"],
  ["a percent sign alone", "https://example.com/100%?50%&%zz"],
  ["an encoded percent sign", "https://example.com/%2525?%2525#%2525"],
  ["encoded slashes and dots", "https://example.com/a%2Fb%2f%2E?c"],
  ["slashes in a row", "https://example.com//a///b//"],
  ["dot segments", "https://example.com/a/./b/../c", "https://example.com/a/c"],
  ["a backslash in the query", "https://example.com/?a\\b"],
  ["brackets, pipe and caret", "https://example.com/[a]|^?[b]|^#[c]|^", "https://example.com/[a]|%5E?[b]|^#[c]|^"],
  ["a URL in the query", "https://example.com/?u=https://evil.example/%3Fa%3D1#x"],
  ["a fragment that looks like a route", "https://example.com/#!/a/b?c=d"],
  ["an ampersand as HTML writes it", "https://example.com/?a=1&amp;b=2"],
];

test.concurrent.for(DESTINATIONS)(
  "%s: Location is the serialised destination, byte for byte: %j",
  async ([, longUrl, shown], { expect }) => {
    const location = shown ?? longUrl;
    const path = await create({ longUrl });
    const answer = await onTheWire(`GET ${path} HTTP/1.1`);
    expect(answer.status).toBe("HTTP/1.1 302 Found");
    expect(answer.headers.get("location")).toBe(location);
    expect(answer.headers.has("set-cookie")).toBe(false);
    // The literal above is what the URL standard says.
    expect(location).toBe(new URL(longUrl).href);
  },
);

// oxfmt-ignore
const QUERIES = [
  "?mc_cid=1", "?utm_source=soup&utm_medium=x", "?", "?a=2", "?x=%0d%0aSet-Cookie:a=b", "?%00", "?%ZZ", "?p=secret",
  "?redir_url=https://evil.example", "?url=https://evil.example", "?redirect=https://evil.example", "?next=//evil.example",
  "?dest=https://evil.example", "?destination=//evil.example", "?target=https://evil.example", "?to=https://evil.example",
  "?longUrl=https://evil.example", "?u=https://evil.example", "?domain=other.example", "?disabled=false", "?password=x",
  `?${"a".repeat(4000)}`,
];

test.concurrent.for(QUERIES.map((query) => [query.slice(0, 40), query] as const))(
  "B079, B080, B164, B226: %s has no influence on where a link leads, nor on whether it does",
  async ([, query], { expect }) => {
    for (const path of ["/plain", "/plain/"]) {
      const seen = await visit(`${path}${query}`);
      expect([seen.status, seen.headers["location"], seen.headers["set-cookie"]]).toEqual([302, PLAIN, undefined]);
    }
    for (const [code, status] of [
      ["expired", 410],
      ["disabled", 404],
      ["no-such-code", 404],
    ] as const) {
      const seen = await visit(`/${code}${query}`);
      expect([seen.status, seen.headers["location"]]).toEqual([status, undefined]);
      expect(seen.text).not.toContain("evil.example");
    }
  },
);

test("B187: the log of a visit holds nothing of its query", async ({ expect }) => {
  await visit("/plain?p=hunter2");
  await visit("/no-such-code?p=hunter2");
  expect(service.logs().join("\n")).not.toContain("hunter2");
});

const VISITORS: readonly (readonly [string, Readonly<Record<string, string>>])[] = [
  ["B203: a referrer", { Referer: "https://t.co/x?y" }],
  ["B203: a cookie", { Cookie: "a=b; url=https://evil.example" }],
  ["B203: languages", { "Accept-Language": "fr-CH, fr;q=0.9, *;q=0.5" }],
  ["B203: Save-Data", { "Save-Data": "on" }],
  [
    "B203: a telephone",
    { "User-Agent": "Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) Mobile/15E148 Safari/604.1" },
  ],
  ["a bot, as the link has no limit", { "User-Agent": "Slackbot-LinkExpanding 1.0 (+https://api.slack.com/robots)" }],
  ["no user agent", { "User-Agent": "" }],
  ["Accept: application/json", { Accept: "application/json" }],
  ["B095: Range", { Range: "bytes=0-0" }],
  ["B095: a Range that cannot be", { Range: "bytes=9-1, x" }],
  ["B239: If-None-Match", { "If-None-Match": "*" }],
  ["B239: If-Modified-Since", { "If-Modified-Since": "Sat, 01 Jan 2100 00:00:00 GMT" }],
  ["If-Match", { "If-Match": '"x"' }],
  ["no-cache", { "Cache-Control": "no-cache", Pragma: "no-cache" }],
  ["only-if-cached", { "Cache-Control": "only-if-cached" }],
  ["B140: another method in a header", { "X-HTTP-Method-Override": "DELETE" }],
  ["another host in a header", { "X-Forwarded-Host": "evil.example", Forwarded: "host=evil.example" }],
  ["another path in a header", { "X-Original-URL": "/expired", "X-Rewrite-URL": "/expired" }],
  ["a key", { Authorization: "Bearer test-admin-key" }],
  ["an origin", { Origin: "https://evil.example" }],
];

test.concurrent.for(VISITORS)("%s: the visit goes where every visit goes", async ([, headers], { expect }) => {
  for (const method of ["GET", "HEAD", "GET"]) {
    const seen = await visit("/plain", { method, headers });
    expect([seen.status, seen.headers["location"], seen.text]).toEqual([302, PLAIN, ""]);
    expect(seen.headers["cache-control"]).toBe("no-store");
    expect(Object.keys(seen.headers).filter((name) => name.startsWith("access-control-"))).toEqual([]);
  }
});

test("B239: HEAD with Content-Length: 0, and GET with a body, are visits like others", async ({ expect }) => {
  for (const answer of [
    await onTheWire("HEAD /plain HTTP/1.1", ["Content-Length: 0"]),
    await onTheWire("GET /plain HTTP/1.1", ["Content-Length: 0"]),
    await onTheWire("GET /plain HTTP/1.1", ["Content-Length: 5"], "hello"),
    await onTheWire("GET /plain HTTP/1.1", ["Transfer-Encoding: chunked"], "5\r\nhello\r\n0\r\n\r\n"),
  ]) {
    expect([answer.status, answer.headers.get("location")]).toEqual(["HTTP/1.1 302 Found", PLAIN]);
  }
});

const SPELLINGS: readonly (readonly [string, string, number])[] = [
  ["a slash at the end", "/quick-start/", 302],
  ["B032: an encoded hyphen", "/quick%2dstart", 302],
  ["B032: an encoded letter", "/%71uick-start", 302],
  ["B032: everything encoded", "/%71%75%69%63%6B%2D%73%74%61%72%74/", 302],
  ["B032: a letter that is encoded twice", "/%2571uick-start", 404],
  ["another case", "/Quick-Start", 404],
  ["B030: NFC", "/efem%C3%A9rides", 302],
  ["B030: NFD", "/efeme%CC%81rides", 302],
  ["B030: letters as they are", "/efem\u00E9rides", 302],
  ["a beginning of it", "/quick", 404],
  ["more than it", "/quick-starter", 404],
];

test.for(SPELLINGS)("a code with %s: %s is %i", async ([, path, status], { expect }) => {
  const seen = await visit(path);
  // What was decoded once more than it should be would lead somewhere; whether the rest is no code or an unknown one is open.
  if (status === 404) expect([400, 404]).toContain(seen.status);
  else expect(seen.status).toBe(status);
  expect(seen.headers["location"]).toBe(status === 302 ? PLAIN : undefined);
});

test("B030: letters as raw UTF-8 in the request line are read as such", async ({ expect }) => {
  const answer = await onTheWire("GET /efem\u00E9rides HTTP/1.1");
  expect([answer.status, answer.headers.get("location")]).toEqual(["HTTP/1.1 302 Found", PLAIN]);
});

/** Paths that the service answers itself, with the type and a part of what they say. */
const OWN: readonly (readonly [string, RegExp, RegExp])[] = [
  ["/", /^text\/html\b/, /<!doctype html>/i],
  ["/healthz", /^application\/json\b/, /^\{"status":"ok"\}$/],
  ["/robots.txt", /^text\/plain\b/, /^User-agent: \*$/m],
  ["/favicon.ico", /^image\//, /./],
];

test.for(OWN)("%s is served, to GET and HEAD", async ([path, type, text], { expect }) => {
  const [get, head] = [await visit(path), await visit(path, { method: "HEAD" })];
  expect([get.status, head.status, head.text]).toEqual([200, 200, ""]);
  expect(get.text).toMatch(text);
  for (const { headers } of [get, head]) {
    expect(headers["content-type"]).toMatch(type);
    expect(headers["x-request-id"]).toMatch(/./);
    expect(headers["location"]).toBeUndefined();
  }
});

test("robots.txt keeps crawlers from no link, so that previews work; links say noindex themselves", async ({
  expect,
}) => {
  expect((await visit("/robots.txt")).text).not.toMatch(/^Disallow: \/\s*$/m);
});
