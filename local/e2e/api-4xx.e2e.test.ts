/**
 * The API's door: who may come in (401), what has no address (404) or another method (405), what every answer carries, and
 * what none ever shows, also while a backend fails.
 *
 * @module
 */
import { afterAll, afterEach, beforeAll, inject, test } from "vitest";
import { ADMIN_KEY, type Asked, fieldOf, type Seen, see, type Service, startService, stranger } from "./service.ts";

const HOST = "api-door.example.test";
const LINK = "/api/v1/links/door";

let service: Service;
const lifts: (() => Promise<unknown>)[] = [];

beforeAll(async () => {
  service = await startService(HOST);
  await service.api("POST", "/links", { longUrl: "https://example.com/door", customCode: "door" });
});
afterAll(() => service.stop());
afterEach(async () => {
  for (const lift of lifts.splice(0)) await lift();
});

const ask = (path: string, { headers, ...asked }: Asked = {}): Promise<Seen> =>
  see(service.fetch(path, { ...asked, headers: { ...stranger(), ...headers } }));

/** Makes a backend fail for every request of this service, which are known by its host, until the test is over. */
async function breakDown(backend: "postgres" | "redis", kind: string): Promise<void> {
  const control = inject("stack").faultUrls[backend];
  const answer = await fetch(control, { method: "PUT", body: JSON.stringify({ kind, matching: HOST }) });
  const id = Number(fieldOf(await answer.json(), "id"));
  lifts.push(() => fetch(`${control}/${id}`, { method: "DELETE" }));
}

const ACCEPTED: readonly (readonly [string, Readonly<Record<string, string>>])[] = [
  ["Authorization: Bearer", { Authorization: `Bearer ${ADMIN_KEY}` }],
  ["bearer in small letters", { Authorization: `bearer ${ADMIN_KEY}` }],
  ["BEARER in capitals", { authorization: `BEARER ${ADMIN_KEY}` }],
  ["X-Api-Key", { "X-Api-Key": ADMIN_KEY }],
  ["x-api-key in small letters", { "x-api-key": ADMIN_KEY }],
];

test.for(ACCEPTED)("the key is taken from %s", async ([, headers], { expect }) => {
  expect((await ask(LINK, { headers })).status).toBe(200);
});

const REFUSED: readonly (readonly [string, string, Readonly<Record<string, string>>])[] = [
  ["no key", "", {}],
  ["a wrong key", "", { Authorization: "Bearer wrong-key" }],
  ["the beginning of the key", "", { Authorization: `Bearer ${ADMIN_KEY.slice(0, -1)}` }],
  ["the key and one character more", "", { Authorization: `Bearer ${ADMIN_KEY}x` }],
  ["the key in capitals", "", { Authorization: `Bearer ${ADMIN_KEY.toUpperCase()}` }],
  ["the key without a scheme", "", { Authorization: ADMIN_KEY }],
  ["a scheme without a key", "", { Authorization: "Bearer" }],
  ["a scheme and spaces", "", { Authorization: "Bearer   " }],
  ["two keys in one header", "", { Authorization: `Bearer wrong ${ADMIN_KEY}` }],
  ["another scheme", "", { Authorization: `Basic ${Buffer.from(`admin:${ADMIN_KEY}`).toString("base64")}` }],
  ["a wrong X-Api-Key", "", { "X-Api-Key": "wrong-key" }],
  ["an empty X-Api-Key", "", { "X-Api-Key": "" }],
  ["a very long key", "", { Authorization: `Bearer ${"x".repeat(8000)}` }],
  ["a name that objects inherit", "", { "X-Api-Key": "constructor" }],
  ["the key as a cookie", "", { Cookie: `key=${ADMIN_KEY}; Authorization=Bearer ${ADMIN_KEY}` }],
  ["B183: ?api_key=", `?api_key=${ADMIN_KEY}`, {}],
  ["B183: ?token=", `?token=${ADMIN_KEY}`, {}],
  ["B183: ?access_token=", `?access_token=${ADMIN_KEY}`, {}],
  ["B183: ?key=", `?key=${ADMIN_KEY}`, {}],
  ["B183: ?Authorization=", `?Authorization=Bearer%20${ADMIN_KEY}`, {}],
];

test.for(REFUSED)("401: %s", async ([, query, headers], { expect }) => {
  const seen = await ask(`${LINK}${query}`, { headers });
  expect(seen).toMatchObject({
    status: 401,
    headers: { "www-authenticate": "Bearer", "content-type": "application/problem+json" },
    body: { status: 401, code: "unauthorized", instance: LINK },
  });
  expect(JSON.stringify(seen)).not.toContain(ADMIN_KEY);
});

const JSON_TYPE = { "Content-Type": "application/json" };
const CALLS: readonly (readonly [string, string, Asked])[] = [
  ["GET", LINK, {}],
  ["HEAD", LINK, {}],
  ["PATCH", LINK, { headers: JSON_TYPE, body: '{"disabled":true}' }],
  ["DELETE", LINK, {}],
  ["POST", "/api/v1/links", { headers: JSON_TYPE, body: '{"longUrl":"https://example.com/","customCode":"intruder"}' }],
  ["POST with a broken body to", "/api/v1/links", { headers: JSON_TYPE, body: "{" }],
  ["POST with a form to", "/api/v1/links", { headers: { "Content-Type": "text/plain" }, body: "x" }],
  ["POST of 170 KB to", "/api/v1/links", { headers: JSON_TYPE, body: "x".repeat(170 * 1024) }],
  ["GET of a code that does not exist,", "/api/v1/links/no-such-code", {}],
];

test.for(CALLS)("401: %s %s without a key does nothing and tells nothing", async ([name, path, asked], { expect }) => {
  const method = name.split(" ", 1)[0] ?? "GET";
  const seen = await ask(path, { ...asked, method });
  expect([seen.status, seen.headers["www-authenticate"]]).toEqual([401, "Bearer"]);
  expect(await see(service.api("GET", "/links/door"))).toMatchObject({ status: 200, body: { disabled: false } });
  expect((await see(service.api("GET", "/links/intruder"))).status).toBe(404);
});

test("B140, B186: wrong keys are limited for one address; the right key still opens for it, and others are not touched", async ({
  expect,
}) => {
  const one = stranger();
  const wrong = { ...one, Authorization: "Bearer wrong-key" };
  // More than twice the limit of a minute, so that a minute's end in between makes no difference.
  const answers = await Promise.all(Array.from({ length: 50 }, () => ask(LINK, { headers: wrong })));
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([401, 429]));
  for (const seen of answers.filter(({ status }) => status === 429)) {
    expect(seen).toMatchObject({ headers: { "retry-after": "60" }, body: { code: "rate_limited", status: 429 } });
    expect(seen.text).not.toContain('key":');
  }
  expect((await ask(LINK, { headers: { ...one, Authorization: `Bearer ${ADMIN_KEY}` } })).status).toBe(200);
  expect((await ask(LINK)).status).toBe(401);
});

const NOWHERE = ["/api", "/api/", "/api/v1", "/api/v1/", "/api/v1/nothing", "/api/v2/links", "/api/%00"];

test.for(
  NOWHERE.flatMap((path) => ["GET", "HEAD", "POST", "DELETE", "OPTIONS"].map((method) => [method, path] as const)),
)("404: %s %s is no address of the API, with a key and without", async ([method, path], { expect }) => {
  for (const headers of [{}, { Authorization: `Bearer ${ADMIN_KEY}` }, { Accept: "text/html" }]) {
    const seen = await ask(path, { method, headers });
    expect(seen.status).toBe(404);
    expect(seen.headers["content-type"]).toBe("application/problem+json");
    if (method === "HEAD") expect(seen.text).toBe("");
    else expect(seen.body).toMatchObject({ code: "not_found", status: 404, instance: path });
  }
});

test.for(["GET", "HEAD", "POST", "DELETE"])(
  "404: %s of something below a link is no address of the API",
  async (method, { expect }) => {
    const seen = await see(service.api(method, "/links/door/nothing"));
    expect([seen.status, seen.headers["content-type"]]).toEqual([404, "application/problem+json"]);
  },
);

test.for([
  ["OPTIONS", "/api/v1/links"],
  ["DELETE", "/api/v1/links"],
  ["PATCH", "/api/v1/links"],
  ["OPTIONS", LINK],
  ["POST", LINK],
  ["PROPFIND", LINK],
] as const)("405: %s %s names the methods that the address takes", async ([method, path], { expect }) => {
  const seen = await ask(path, { method, headers: { Authorization: `Bearer ${ADMIN_KEY}` } });
  expect(seen).toMatchObject({
    status: 405,
    headers: { "content-type": "application/problem+json" },
    body: { status: 405 },
  });
  const allowed = seen.headers["allow"]?.split(", ") ?? [];
  expect(allowed).toEqual(expect.arrayContaining(path === LINK ? ["GET", "HEAD", "PATCH", "DELETE"] : ["POST"]));
  expect(allowed).not.toContain(method);
});

test("B216: a preflight runs nothing, and no origin is allowed unless it is listed", async ({ expect }) => {
  for (const path of [LINK, "/api/v1/links"]) {
    const headers = { Origin: "https://evil.example", "Access-Control-Request-Method": "DELETE" };
    for (const asked of [
      { method: "OPTIONS", headers },
      { headers: { ...headers, Authorization: `Bearer ${ADMIN_KEY}` } },
    ]) {
      const seen = await ask(path, asked);
      expect(Object.keys(seen.headers).filter((name) => name.startsWith("access-control-"))).toEqual([]);
    }
  }
  expect((await see(service.api("GET", "/links/door"))).status).toBe(200);
});

/** Requests that fail, each in a way of its own. */
const PROBLEMS: readonly (readonly [number, string, Asked])[] = [
  [400, "/api/v1/links", { method: "POST", headers: JSON_TYPE, body: '{"longUrl":"javascript:alert(1)"}' }],
  [400, "/api/v1/links?secret=hunter2", { method: "POST", headers: JSON_TYPE, body: "{}" }],
  [404, "/api/v1/links/no-such-code?secret=hunter2", {}],
  [404, "/api/v1/nothing?secret=hunter2", {}],
  [405, `${LINK}?secret=hunter2`, { method: "PUT" }],
  [
    409,
    "/api/v1/links",
    { method: "POST", headers: JSON_TYPE, body: '{"longUrl":"https://example.com/","customCode":"door"}' },
  ],
  [412, LINK, { method: "PATCH", headers: { ...JSON_TYPE, "If-Match": '"x"' }, body: "{}" }],
  [413, "/api/v1/links", { method: "POST", headers: JSON_TYPE, body: "x".repeat(170 * 1024) }],
  [415, "/api/v1/links", { method: "POST", headers: { "Content-Type": "text/plain" }, body: "{}" }],
];

test.for(PROBLEMS)(
  "%i of %s is a whole problem document, which repeats neither the key nor the query",
  async (row, { expect }) => {
    const [status, path, asked] = row;
    const seen = await ask(path, { ...asked, headers: { ...asked.headers, Authorization: `Bearer ${ADMIN_KEY}` } });
    expect(seen.status).toBe(status);
    expect(seen.headers["content-type"]).toBe("application/problem+json");
    expect(seen.headers["x-content-type-options"]).toBe("nosniff");
    expect(seen.headers["x-request-id"]).toMatch(/^[\w-]{8,}$/);
    expect(seen.body).toMatchObject({
      type: expect.stringMatching(/./),
      title: expect.stringMatching(/./),
      status,
      detail: expect.stringMatching(/./),
      instance: path.split("?", 1)[0],
      code: expect.stringMatching(/^[a-z_]+$/),
    });
    expect(JSON.stringify(seen)).not.toMatch(new RegExp(`${ADMIN_KEY}|hunter2`));
  },
);

test("every answer has a request id, and no two the same", async ({ expect }) => {
  const paths = [
    "/",
    "/door",
    "/no-such-code",
    "/%",
    "/healthz",
    "/robots.txt",
    "/favicon.ico",
    LINK,
    "/api/v1/nothing",
  ];
  const answers = await Promise.all(
    paths.flatMap((path) => [ask(path), ask(path, { method: "HEAD" }), ask(path, { method: "PUT" })]),
  );
  const ids = answers.map(({ headers }) => headers["x-request-id"]);
  for (const id of ids) expect(id).toMatch(/^[\w-]{8,}$/);
  expect(new Set(ids).size).toBe(ids.length);
});

/** What would tell how the service is built: stacks, statements, tables, addresses of backends, secrets. */
const INSIDE =
  /\n\s+at |\.tsx?:\d|node_modules|\bselect\b.*\bfrom\b|insert into|short_links|postgres(?:ql)?:|127\.0\.0\.1|upstash|hop-test-|evalsha|NeonDbError|<html><body>/i;

test.for([
  ["postgres", "refuse"],
  ["postgres", "html"],
  ["postgres", "garbage"],
  ["postgres", "unauthorized"],
  ["postgres", "too_many"],
  ["redis", "html"],
  ["redis", "garbage"],
  ["redis", "unauthorized"],
  ["redis", "too_many"],
] as const)(
  "B186, B223: while %s fails with %s, no answer shows a stack, a statement, an address or a key",
  async (row, { expect }) => {
    const [backend, kind] = row;
    await breakDown(backend, kind);
    const { redisToken, databaseUrl } = inject("stack");
    const password = new URL(databaseUrl).password;
    const longUrl = `https://example.com/${backend}/${kind}`;
    const answers = [
      await see(service.api("POST", "/links", { longUrl })),
      await see(service.api("GET", "/links/door")),
      await see(service.api("PATCH", "/links/door", { title: kind })),
      await see(service.api("DELETE", "/links/no-such-code")),
      await ask(`/cold-${backend}-${kind}`),
      await ask(`/cold-${backend}-${kind}-2`, { headers: { Accept: "application/json" } }),
    ];
    for (const seen of answers) {
      const shown = JSON.stringify([seen.headers, seen.text]);
      expect(seen.text).not.toMatch(INSIDE);
      for (const secret of [ADMIN_KEY, redisToken, password]) expect(shown).not.toContain(secret);
      expect([200, 201, 404, 503]).toContain(seen.status);
      if (seen.status === 503) expect(seen.headers["retry-after"]).toMatch(/^[1-9]\d*$/);
    }
    if (backend === "postgres") expect(answers.map(({ status }) => status)).toEqual([503, 503, 503, 503, 503, 503]);
  },
);

test("B183: after all that no log line holds a key, a token or a password", async ({ expect }) => {
  const logs = service.logs().join("\n");
  const { redisToken, databaseUrl } = inject("stack");
  for (const secret of [ADMIN_KEY, redisToken, new URL(databaseUrl).password, "hunter2"])
    expect(logs).not.toContain(secret);
});

test("what a log line of a failure says can be found by the request id of its answer", async ({ expect }) => {
  await breakDown("postgres", "html");
  const seen = await see(service.api("GET", "/links/door"));
  expect(seen.status).toBe(503);
  expect(service.logs().some((line) => line.includes(String(seen.headers["x-request-id"])))).toBe(true);
});
