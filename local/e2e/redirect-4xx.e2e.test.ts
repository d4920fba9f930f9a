/**
 * Visits that are not sent on: unknown codes (404), ended links (410), paths that cannot be read (400 or 404), wrong methods
 * (405), and rows that came by SQL with what must not be sent. None of them is ever an error of the service.
 *
 * @module
 */
import { neon, neonConfig } from "@neondatabase/serverless";
import { afterAll, beforeAll, inject, test } from "vitest";
import { type Asked, fieldOf, type Seen, see, type Service, startService, stranger } from "./service.ts";

const HOST = "redirect-fails.example.test";
const PLAIN = "https://example.com/landing";

let service: Service;

beforeAll(async () => {
  service = await startService(HOST);
  await create({ customCode: "1" });
  await create({ customCode: "plain" });
  await create({ customCode: "expired", expireAt: "2026-01-01T00:00:00Z" });
  await create({ customCode: "disabled", disabled: true });
  await create({ customCode: "ahead", validSince: "2100-01-01T00:00:00Z" });
  await create({ customCode: "deleted" });
  await service.api("DELETE", "/links/deleted");
});
afterAll(() => service.stop());

const create = (fields: Readonly<Record<string, unknown>>): Promise<Seen> =>
  see(service.api("POST", "/links", { longUrl: PLAIN, ...fields }));
const visit = (path: string, asked: Asked = {}): Promise<Seen> =>
  see(service.fetch(path, { ...asked, headers: { ...stranger(), ...asked.headers } }));

/** How many requests to a backend held a text. */
async function requestsWith(backend: "postgres" | "redis", matching: string): Promise<number> {
  const answer = await fetch(`${inject("stack").faultUrls[backend]}/count?matching=${encodeURIComponent(matching)}`);
  return Number(fieldOf(await answer.json(), "count"));
}

const FAILURES: readonly (readonly [string, string, number, string])[] = [
  ["an unknown code", "/no-such-code", 404, "not_found"],
  ["a code that looks generated and is none", "/zzzzzzzzzzz", 404, "not_found"],
  ["a deleted link", "/deleted", 404, "not_found"],
  ["a disabled link", "/disabled", 404, "not_found"],
  ["a link that has not begun", "/ahead", 404, "not_found"],
  ["an ended link", "/expired", 410, "gone"],
];

test.concurrent.for(FAILURES)(
  "B008: %s, %s, is %i: a page, problem JSON on request, and the same to HEAD",
  async (row, { expect }) => {
    const [, path, status, code] = row;
    const [page, problem] = [await visit(path), await visit(path, { headers: { Accept: "application/json" } })];
    for (const method of ["GET", "HEAD"]) {
      for (const [accept, type] of [
        ["*/*", /^text\/html\b/],
        ["application/json", /^application\/problem\+json$/],
      ] as const) {
        const seen = await visit(path, { method, headers: { Accept: accept } });
        expect([seen.status, seen.headers["location"]]).toEqual([status, undefined]);
        expect(seen.headers["content-type"]).toMatch(type);
        expect(seen.headers).toMatchObject({ "cache-control": "no-store", "x-robots-tag": "noindex" });
        expect(seen.headers["vary"]).toMatch(/\bAccept\b/i);
        expect(seen.headers["x-request-id"]).toMatch(/./);
        if (method === "HEAD") expect(seen.text).toBe("");
      }
    }
    expect(page.text).toMatch(/^<!doctype html>/i);
    expect(problem.body).toMatchObject({
      status,
      code,
      title: expect.stringMatching(/./),
      detail: expect.stringMatching(/./),
      instance: path,
    });
  },
);

test("pages let nothing run and nothing be framed, and are taken for nothing else", async ({ expect }) => {
  for (const path of ["/no-such-code", "/expired", "/%", "/"]) {
    const { headers } = await visit(path);
    expect(headers["x-content-type-options"]).toBe("nosniff");
    expect(headers["content-security-policy"]).toMatch(/default-src 'none'/);
    expect(headers["content-security-policy"]).toMatch(/frame-ancestors 'none'/);
  }
});

const ACCEPTS: readonly (readonly [string, "html" | "json"])[] = [
  ["", "html"],
  ["*/*", "html"],
  ["text/html", "html"],
  ["text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,*/*;q=0.8", "html"],
  ["text/html, application/json;q=0.9", "html"],
  ["application/json;q=0.4, text/html;q=0.5", "html"],
  ["image/png", "html"],
  ["application/json", "json"],
  ["Application/JSON", "json"],
  ["application/problem+json", "json"],
  ["application/json, text/plain, */*", "json"],
  ["text/html;q=0.5, application/json", "json"],
  ["application/json; charset=utf-8", "json"],
  [";;;q=,,/", "html"],
  ["application/json;q=x", "json"],
  ["a".repeat(5000), "html"],
];

test.concurrent.for(ACCEPTS)("Accept: %s is answered in %s", async ([accept, kind], { expect }) => {
  const seen = await visit("/no-such-code", { headers: { Accept: accept } });
  expect(seen.status).toBe(404);
  expect(seen.headers["content-type"]).toMatch(kind === "html" ? /^text\/html\b/ : /^application\/problem\+json$/);
});

/** Paths that can be read and lead nowhere: what the contract calls an unknown code. */
// oxfmt-ignore
const UNKNOWN = [
  "/1&utm_source=soup", "/1%3Futm_source=soup", "/constructor", "/__proto__", "/null", "/undefined", "/.well-known/x",
  "/.well-known/acme-challenge/token", "/.env", "/.git/config", "/wp-login.php", "/a/b", "/plain/rest", "/plain/rest/",
  "/sitemap.xml", "/index.html", "/\u65E5\u672C", "/\u260E", "/a@b", "/1,2", "/(x)", "/~user", "/*", "/Robots.txt",
];

test.concurrent.for(UNKNOWN)("B066, B079: %s is an unknown code: 404", async (path, { expect }) => {
  const seen = await visit(path);
  expect([seen.status, seen.headers["location"]]).toEqual([404, undefined]);
});

// oxfmt-ignore
const BROKEN = [
  "/%", "/%a", "/%ZZ", "/%C3%28", "/%ED%A0%80", "/%E0%A4%A", "/%F0%27%22%3Cx%3D1", "/%A4%A2", "/%25", "/%2525", "/%FF",
  "/%C0%AF", "/a%00b", "/%00", "/%0A", "/a%0Ab", "/%0D%0ASet-Cookie:%20a=b", "/%09", "/%7F", "/%C2%85", "/%20", "/a%20b",
  "/%2F", "/%2Fplain", "/plain%2F", "/%5C", "/..%2Fplain", "/%E2%80%AE", "/%EF%BB%BFplain", "/plain%00",
  "/plain%E2%80%8B", "//", "///", "//plain", "/plain//", "/ plain", "/%F0%9F%92%A9", "/%3Cscript%3Ealert(1)%3C%2Fscript%3E",
  "/'%20OR%201=1--", "/${7*7}", "/%E0%80%80", "/%u0041", "/api%2Fv1%2Flinks", `/${"a".repeat(65)}`, `/${"a".repeat(2048)}`,
  `/${"a".repeat(8000)}`, `/${"%61".repeat(2000)}`, `/${"a/".repeat(1000)}`, `/${"%F0%9D%92%9C".repeat(65)}`,
];

test.concurrent.for(BROKEN.map((path) => [path.slice(0, 40), path] as const))(
  "B043, B111, B113, B181: %s is 400 or 404, to GET and HEAD, as a page and as JSON, and is not repeated",
  async ([, path], { expect }) => {
    for (const asked of [{}, { method: "HEAD" }, { headers: { Accept: "application/json" } }]) {
      const seen = await visit(path, asked);
      expect([400, 404]).toContain(seen.status);
      expect(seen.headers["location"]).toBeUndefined();
      expect(seen.headers["set-cookie"]).toBeUndefined();
      expect(seen.headers["x-request-id"]).toMatch(/./);
      expect(seen.text).not.toMatch(/<script|\b49\b/);
    }
  },
);

test("B111: after all those an ordinary link opens", async ({ expect }) => {
  expect(await visit("/plain")).toMatchObject({ status: 302, headers: { location: PLAIN } });
});

test("B111, B181: what cannot be a code is refused before any backend is asked", async ({ expect }) => {
  const word = `never-asked-${Date.now()}`;
  for (const path of [
    `/${word}%0A`,
    `/${word}%0Dx`,
    `/${word}%20x`,
    `/${word}%00`,
    `/${word}${"a".repeat(2048)}`,
    `/${word}%`,
  ]) {
    await visit(path);
  }
  expect([await requestsWith("redis", word), await requestsWith("postgres", word)]).toEqual([0, 0]);
});

test("an unknown code costs the backends one look-up; asked again at once, none", async ({ expect }) => {
  const code = `unknown-${Date.now()}`;
  const requests = async () => [await requestsWith("redis", code), await requestsWith("postgres", code)];
  // Not GET: it is also noted as a miss, which reaches Postgres in its own time.
  const ask = () => visit(`/${code}`, { method: "HEAD" });
  await ask();
  // What was found out is kept after the answer has left.
  await new Promise((resolve) => setTimeout(resolve, 1000));
  const before = await requests();
  await Promise.all(Array.from({ length: 20 }, ask));
  await new Promise((resolve) => setTimeout(resolve, 1000));
  expect(await requests()).toEqual(before);
});

test.for(
  ["/plain", "/no-such-code", "/expired", "/", "/healthz", "/robots.txt", "/favicon.ico"].flatMap((path) =>
    ["POST", "PUT", "PATCH", "DELETE", "OPTIONS", "PROPFIND"].map((method) => [method, path] as const),
  ),
)("B007: %s %s is 405, says what is allowed and does nothing", async ([method, path], { expect }) => {
  const seen = await visit(path, { method });
  expect(seen).toMatchObject({
    status: 405,
    headers: { "content-type": "application/problem+json" },
    body: { status: 405 },
  });
  expect(seen.headers["allow"]?.split(", ").toSorted()).toEqual(["GET", "HEAD"]);
  expect(seen.headers["location"]).toBeUndefined();
});

test("TRACE is answered 405 and shows nothing of the request", async ({ expect }) => {
  const head = `TRACE /plain HTTP/1.1\r\nHost: ${HOST}\r\nConnection: close\r\nCookie: secret=1\r\n\r\n`;
  const answer = await service.raw(head);
  expect(answer).toMatch(/^HTTP\/1\.1 405 /);
  expect(answer).not.toContain("secret");
});

test("B140: unknown codes are limited for one address, whatever the method; links go on opening for it, and others may ask", async ({
  expect,
}) => {
  const one = stranger();
  let limited: Seen | undefined;
  // Up to more than twice the limit of a minute, so that a minute's end in between makes no difference.
  for (let round = 0; limited === undefined && round < 13; round += 1) {
    const guesses = Array.from({ length: 10 }, (_, place) =>
      visit(`/guess-${round}-${place}${place % 3 === 0 ? "/" : ""}?x=${place}`, {
        method: place % 2 === 0 ? "GET" : "HEAD",
        headers: one,
      }),
    );
    const answers = await Promise.all(guesses);
    for (const { status } of answers) expect([404, 429]).toContain(status);
    limited = answers.find(({ status }) => status === 429);
  }
  expect(Number(limited?.headers["retry-after"])).toBeGreaterThan(0);
  expect((await visit("/plain", { headers: one })).status).toBe(302);
  expect((await visit("/guess-0")).status).toBe(404);
});

let rows = 0;

/** Puts a row into the table as an import by hand would, and answers its path. */
async function insert(longUrl: string, expired: { readonly to: string } | null = null): Promise<string> {
  const { databaseUrl, databaseEndpoint } = inject("stack");
  neonConfig.fetchEndpoint = databaseEndpoint;
  rows += 1;
  const now = Date.now();
  const id = (8_000_000_000_000_000_000n + BigInt(now) * 1000n + BigInt(rows)).toString();
  const code = `row-${rows}`;
  await neon(databaseUrl).query(
    `INSERT INTO short_links (id, domain, short_code, long_url, type, version, expire_at, expired_url)
     VALUES ($1, $2, $3, $4, 'custom', $5, $6, $7)`,
    [id, HOST, code, longUrl, now * 1000, expired === null ? null : "2026-01-01T00:00:00Z", expired?.to ?? null],
  );
  return `/${code}`;
}

// oxfmt-ignore
const UNSAFE = [
  "javascript:alert(1)", " JaVaScRiPt:alert(1)", "java\tscript:alert(1)", "\u0001javascript:alert(1)",
  "data:text/html,<script>alert(1)</script>", "vbscript:x", "file:///etc/passwd", "blob:https://x/y", "view-source:https://x",
  "//evil.example", "/\\evil.example", "\\\\evil.example", "/relative", "../x", "evil.example", "https://", "",
];

test.concurrent.for(UNSAFE)(
  "B158, B161: a row that came by SQL with %j sends nobody there",
  async (stored, { expect }) => {
    for (const path of [await insert(stored), await insert(PLAIN, { to: stored })]) {
      for (const method of ["HEAD", "GET"]) {
        const seen = await visit(path, { method });
        expect([404, 410]).toContain(seen.status);
        expect(seen.headers["location"]).toBeUndefined();
        expect(seen.text).not.toContain("alert(1)");
      }
    }
  },
);

// oxfmt-ignore
const RAW_ROWS: readonly (readonly [string, string, string])[] = [
  ["B108", "https://ja.wikipedia.org/wiki/\u5C0F\u9EA6\u7C89", "https://ja.wikipedia.org/wiki/%E5%B0%8F%E9%BA%A6%E7%B2%89"],
  ["B109", "https://example.com/\u00E9\u00FF%C3%A9", "https://example.com/%C3%A9%C3%BF%C3%A9"],
  ["B162", "https://example.com/a\r\nSet-Cookie: x=1", "https://example.com/aSet-Cookie:%20x=1"],
  ["B162", "https://example.com/a\u2028b", "https://example.com/a%E2%80%A8b"],
  ["a host in capitals", "HTTPS://EXAMPLE.com:443/A", "https://example.com/A"],
];

test.concurrent.for(RAW_ROWS)(
  "%s: a row that came by SQL with %j is sent in its serialised form",
  async ([, stored, location], { expect }) => {
    const path = await insert(stored);
    for (const _ of ["cold", "warm"]) {
      const seen = await visit(path);
      expect([seen.status, seen.headers["location"], seen.headers["set-cookie"]]).toEqual([302, location, undefined]);
    }
  },
);
