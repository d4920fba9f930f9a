/**
 * `POST /api/v1/links` where it makes a link (201), finds the one that stands (200), or finds the code taken (409).
 *
 * @module
 */
import { afterAll, beforeAll, test } from "vitest";
import { fieldOf, type Seen, see, type Service, startService, stranger } from "./service.ts";

const HOST = "links-create.example.test";
const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

type Fields = Readonly<Record<string, unknown>>;

let service: Service;
let serial = 0;

beforeAll(async () => {
  service = await startService(HOST);
});
afterAll(() => service.stop());

const create = (fields: Fields): Promise<Seen> => see(service.api("POST", "/links", fields));
const createText = (text: string): Promise<Seen> =>
  see(
    service.fetch("/api/v1/links", {
      method: "POST",
      headers: { Authorization: "Bearer test-admin-key", "Content-Type": "application/json" },
      body: text,
    }),
  );
const visit = (path: string): Promise<Seen> => see(service.fetch(path, { headers: stranger() }));
const codeOf = (seen: Seen): string => String(fieldOf(seen.body, "shortCode"));
const idOf = (seen: Seen): string => String(fieldOf(seen.body, "id"));
const wordOf = (seen: Seen): unknown => fieldOf(seen.body, "code");

/** A destination that no other test has. */
function fresh(): string {
  serial += 1;
  return `https://example.com/fresh/${serial}`;
}

test("201 answers the whole link: every field with its default, times in UTC with milliseconds, the id as text", async ({
  expect,
}) => {
  const before = Date.now();
  const longUrl = fresh();
  const seen = await create({ longUrl });
  expect(seen.status).toBe(201);
  const code = codeOf(seen);
  expect(seen.body).toEqual({
    id: expect.stringMatching(/^[1-9]\d{0,18}$/),
    domain: HOST,
    shortCode: expect.stringMatching(/^[2-9a-zA-Z]{11}$/),
    shortUrl: expect.stringMatching(new RegExp(`^https?://${HOST}/${code}$`)),
    longUrl,
    type: "auto",
    externalId: null,
    title: null,
    tags: [],
    notes: null,
    metadata: {},
    redirectStatus: 302,
    forwardQuery: false,
    forwardPath: false,
    validSince: null,
    expireAt: null,
    expiredUrl: null,
    maxClicks: null,
    hasPassword: false,
    rules: [],
    disabled: false,
    clickCount: 0,
    lastClickAt: null,
    createdAt: expect.stringMatching(TIME),
    updatedAt: expect.stringMatching(TIME),
  });
  expect(BigInt(idOf(seen))).toBeLessThan(2n ** 63n);
  const createdAt = Date.parse(String(fieldOf(seen.body, "createdAt")));
  expect(createdAt).toBeGreaterThanOrEqual(before - 1000);
  expect(createdAt).toBeLessThanOrEqual(Date.now() + 1000);
  expect(fieldOf(seen.body, "updatedAt")).toBe(fieldOf(seen.body, "createdAt"));
});

test("201 says where the link is read, with an ETag and a request id; reading it there answers the same", async ({
  expect,
}) => {
  const seen = await create({ longUrl: fresh(), customCode: "où-est-ce" });
  expect(seen.headers).toMatchObject({
    location: "/api/v1/links/o%C3%B9-est-ce",
    etag: expect.stringMatching(/^"[^"]+"$/),
    "x-request-id": expect.stringMatching(/./),
    "content-type": expect.stringMatching(/^application\/json\b/),
  });
  const read = await see(
    service.fetch(String(seen.headers["location"]), { headers: { Authorization: "Bearer test-admin-key" } }),
  );
  expect(read.status).toBe(200);
  expect(read.body).toEqual(seen.body);
  expect(read.headers["etag"]).toBe(seen.headers["etag"]);
});

test("every settable field comes back as it was sent, URLs serialised and times in UTC", async ({ expect }) => {
  const fields = {
    title: "Ein Titel \u{1F680} <b>&amp;",
    tags: ["launch", "größe", "a,b"],
    notes: "line one\nline two\ttabbed",
    metadata: { z: [1, 2.5, null, true, { deep: "\u{1F600}" }], a: "", "": "empty key" },
    redirectStatus: 307,
    disabled: true,
  };
  const seen = await create({
    ...fields,
    longUrl: "HTTPS://Example.COM:443/a/../b c",
    expiredUrl: "https://example.com/über",
    validSince: "2026-01-01T00:30:00.5+01:00",
    expireAt: "2030-06-01T08:00:00-05:30",
  });
  expect(seen.status).toBe(201);
  expect(seen.body).toMatchObject({
    ...fields,
    longUrl: "https://example.com/b%20c",
    expiredUrl: "https://example.com/%C3%BCber",
    validSince: "2025-12-31T23:30:00.500Z",
    expireAt: "2030-06-01T13:30:00.000Z",
  });
});

test.for([
  ["UTC", "2030-01-01T08:00:00Z", "2030-01-01T08:00:00.000Z"],
  ["an offset to the east", "2030-01-01T08:00:00+01:00", "2030-01-01T07:00:00.000Z"],
  ["an offset to the west, into the next year", "2029-12-31T23:59:59-12:00", "2030-01-01T11:59:59.000Z"],
  ["an offset that is no whole hour", "2030-01-01T08:00:00+05:45", "2030-01-01T02:15:00.000Z"],
  ["the offset that says nothing, -00:00", "2030-01-01T08:00:00-00:00", "2030-01-01T08:00:00.000Z"],
  ["the largest offset", "2030-01-02T08:00:00+23:59", "2030-01-01T08:01:00.000Z"],
  ["one digit of a second", "2030-01-01T08:00:00.1Z", "2030-01-01T08:00:00.100Z"],
  ["nine digits of a second", "2030-01-01T08:00:00.123456789Z", "2030-01-01T08:00:00.123Z"],
  ["the leap day of 2028", "2028-02-29T00:00:00Z", "2028-02-29T00:00:00.000Z"],
] as const)("expireAt takes %s", async ([, sent, shown], { expect }) => {
  const seen = await create({ longUrl: fresh(), expireAt: sent });
  expect(seen.status).toBe(201);
  expect(fieldOf(seen.body, "expireAt")).toBe(shown);
});

test.for(['{"a":1}', '"quoted"', "123", "null", "true", "undefined", " ", "\\u0000", "'; DROP TABLE short_links; --"])(
  "B103: the text %j is read as it was written",
  async (text, { expect }) => {
    const made = await create({ longUrl: fresh(), title: text, notes: text, tags: [text], metadata: { [text]: text } });
    expect(made.status).toBe(201);
    const read = await see(service.api("GET", `/links/${codeOf(made)}`));
    expect(read.body).toMatchObject({ title: text, notes: text, tags: [text], metadata: { [text]: text } });
  },
);

test("metadata keeps the names that objects inherit", async ({ expect }) => {
  const metadata = '{"__proto__":{"polluted":1},"constructor":"x","toString":null}';
  const made = await createText(`{"longUrl":"${fresh()}","metadata":${metadata}}`);
  expect(made.status).toBe(201);
  const read = await see(service.api("GET", `/links/${codeOf(made)}`));
  expect(JSON.stringify(fieldOf(read.body, "metadata"))).toContain('"__proto__":{"polluted":1}');
  expect(read.body).toMatchObject({ metadata: { constructor: "x", toString: null } });
});

/** Two bodies for one destination; `{url}` stands for it. */
const SAME: readonly (readonly [string, string, string])[] = [
  ["the same body", '{"longUrl":"{url}"}', '{"longUrl":"{url}"}'],
  ["its defaults spelt out", '{"longUrl":"{url}"}', '{"longUrl":"{url}","title":null,"tags":[],"metadata":{}}'],
  ["more defaults spelt out", '{"longUrl":"{url}"}', '{"longUrl":"{url}","redirectStatus":302,"disabled":false}'],
  [
    "null for everything",
    '{"longUrl":"{url}"}',
    '{"longUrl":"{url}","expireAt":null,"metadata":null,"customCode":null}',
  ],
  ["unique: false", '{"longUrl":"{url}"}', '{"longUrl":"{url}","unique":false}'],
  [
    "metadata in another key order",
    '{"longUrl":"{url}","metadata":{"a":1,"b":{"c":[1],"d":2}}}',
    '{"metadata":{"b":{"d":2,"c":[1]},"a":1.0},"longUrl":"{url}"}',
  ],
  [
    "the same instant with another offset",
    '{"longUrl":"{url}","expireAt":"2031-01-01T00:00:00Z"}',
    '{"longUrl":"{url}","expireAt":"2031-01-01T01:00:00.000+01:00"}',
  ],
  ["B074: a tag twice", '{"longUrl":"{url}","tags":["x"]}', '{"longUrl":"{url}","tags":["x","x"]}'],
  ["another spelling of scheme, host and port", '{"longUrl":"{url}"}', '{"longUrl":"HTTPS://EXAMPLE.com:443{path}"}'],
  ["space around the URL", '{"longUrl":"{url}"}', '{"longUrl":"  {url}\\n"}'],
  ["dot segments", '{"longUrl":"{url}"}', '{"longUrl":"https://example.com/x/..{path}"}'],
  ["backslashes", '{"longUrl":"{url}"}', '{"longUrl":"https:\\\\\\\\example.com{path}"}'],
  ["raw and encoded letters", '{"longUrl":"{url}/é"}', '{"longUrl":"{url}/%C3%A9"}'],
  [
    "another spelling of expiredUrl",
    '{"longUrl":"{url}","expiredUrl":"https://example.com"}',
    '{"longUrl":"{url}","expiredUrl":"https://EXAMPLE.com/"}',
  ],
];

test.concurrent.for(SAME)(
  "asked again with %s, 200 answers the link that stands",
  async ([, first, second], { expect }) => {
    const url = fresh();
    const fill = (text: string): string => text.replaceAll("{url}", url).replaceAll("{path}", new URL(url).pathname);
    const made = await createText(fill(first));
    const again = await createText(fill(second));
    expect([made.status, again.status]).toEqual([201, 200]);
    expect(again.body).toEqual(made.body);
    expect(again.headers["etag"]).toBe(made.headers["etag"]);
  },
);

const DIFFERENT: readonly (readonly [string, (url: string) => Fields])[] = [
  ["B059: the case of the path", (url) => ({ longUrl: url.replace("fresh", "Fresh") })],
  ["B206: a dot behind the host", (url) => ({ longUrl: url.replace("example.com", "example.com.") })],
  ["the scheme", (url) => ({ longUrl: url.replace("https", "http") })],
  ["a slash at the end", (url) => ({ longUrl: `${url}/` })],
  ["a query", (url) => ({ longUrl: `${url}?a=1` })],
  ["a fragment", (url) => ({ longUrl: `${url}#top` })],
  ["a title", (url) => ({ longUrl: url, title: "t" })],
  ["a tag", (url) => ({ longUrl: url, tags: ["t"] })],
  ["notes", (url) => ({ longUrl: url, notes: "n" })],
  ["metadata", (url) => ({ longUrl: url, metadata: { a: null } })],
  ["the redirect's status", (url) => ({ longUrl: url, redirectStatus: 301 })],
  ["a beginning", (url) => ({ longUrl: url, validSince: "2026-01-01T00:00:00Z" })],
  ["an end", (url) => ({ longUrl: url, expireAt: "2031-01-01T00:00:00Z" })],
  ["a place to go after the end", (url) => ({ longUrl: url, expiredUrl: "https://example.com/" })],
  ["being disabled", (url) => ({ longUrl: url, disabled: true })],
];

test.concurrent.for(DIFFERENT)("%s makes another link", async ([, other], { expect }) => {
  const url = fresh();
  const [plain, different] = [await create({ longUrl: url }), await create(other(url))];
  expect([plain.status, different.status]).toEqual([201, 201]);
  expect(idOf(different)).not.toBe(idOf(plain));
  expect(codeOf(different)).not.toBe(codeOf(plain));
  expect(idOf(await create({ longUrl: url }))).toBe(idOf(plain));
});

test.for([
  ["the order of a list", { list: [1, 2] }, { list: [2, 1] }],
  ["a number and its text", { value: 1 }, { value: "1" }],
  ["null and nothing", { value: null }, {}],
  ["an empty list and an empty object", { value: [] }, { value: {} }],
] as const)("metadata is told apart by %s", async ([, first, second], { expect }) => {
  const longUrl = fresh();
  const answers = [await create({ longUrl, metadata: first }), await create({ longUrl, metadata: second })];
  expect(answers.map((seen) => seen.status)).toEqual([201, 201]);
});

test("B073: unique: true makes a new link each time", async ({ expect }) => {
  const longUrl = fresh();
  const made = [
    await create({ longUrl }),
    await create({ longUrl, unique: true }),
    await create({ longUrl, unique: true }),
  ];
  expect(made.map((seen) => seen.status)).toEqual([201, 201, 201]);
  expect(new Set(made.map(idOf)).size).toBe(3);
  for (const seen of made) expect((await visit(`/${codeOf(seen)}`)).headers["location"]).toBe(longUrl);
});

test("of 50 creations at once of one automatic link exactly one makes it, and all answer it", async ({ expect }) => {
  const longUrl = fresh();
  const answers = await Promise.all(Array.from({ length: 50 }, () => create({ longUrl, title: "race" })));
  expect(answers.filter((seen) => seen.status === 201)).toHaveLength(1);
  expect(answers.filter((seen) => seen.status === 200)).toHaveLength(49);
  expect(new Set(answers.map(idOf)).size).toBe(1);
});

test("after DELETE the same creation makes a new link with a new code", async ({ expect }) => {
  const longUrl = fresh();
  const first = await create({ longUrl });
  await service.api("DELETE", `/links/${codeOf(first)}`);
  const second = await create({ longUrl });
  expect(second.status).toBe(201);
  expect(codeOf(second)).not.toBe(codeOf(first));
});

test("B074, B075: creations at once that share tags in both orders all succeed", async ({ expect }) => {
  const answers = await Promise.all(
    Array.from({ length: 30 }, (_, round) =>
      create({ longUrl: fresh(), tags: round % 2 === 0 ? ["a", "b", "a"] : ["b", "a"] }),
    ),
  );
  expect(answers.map((seen) => seen.status)).toEqual(answers.map(() => 201));
  for (const seen of answers) expect(fieldOf(seen.body, "tags")).toHaveLength(2);
});

const CODES: readonly (readonly [string, string])[] = [
  ["B062: an ordinary word", "whatever"],
  ["one character", "x"],
  ["digits", "2026"],
  ["hyphens, underscores and dots within", "v1.2-x_y"],
  ["a hyphen at both ends", "-a-"],
  ["an underscore alone", "_"],
  ["64 characters", "a".repeat(64)],
  ["64 characters beyond the first plane", "\u{1D49C}".repeat(64)],
  ["Japanese", "小麦粉"],
  ["Cyrillic", "Привет"],
  ["Arabic", "مرحبا"],
  ["B030: accented letters in NFC", "efem\u00E9rides"],
  ["eleven characters of which one is in no generated code", "abcdefghjko"],
  ["ten characters of the generator's alphabet", "abcdefghjk"],
];

test.concurrent.for(CODES)("a custom code may be %s, and opens", async ([, customCode], { expect }) => {
  const longUrl = fresh();
  const seen = await create({ longUrl, customCode });
  expect(seen.status).toBe(201);
  expect(seen.body).toMatchObject({ type: "custom", shortCode: customCode });
  const shortUrl = new URL(String(fieldOf(seen.body, "shortUrl")));
  expect([shortUrl.host, shortUrl.pathname]).toEqual([HOST, `/${encodeURIComponent(customCode)}`]);
  expect(await visit(`/${encodeURIComponent(customCode)}`)).toMatchObject({
    status: 302,
    headers: { location: longUrl },
  });
  expect(await see(service.api("GET", `/links/${encodeURIComponent(customCode)}`))).toMatchObject({ status: 200 });
});

test("B030: a code is one code in NFC and NFD: stored in NFC, taken in both, opened by both", async ({ expect }) => {
  const longUrl = fresh();
  const made = await create({ longUrl, customCode: "cafe\u0301-noir" });
  expect(made).toMatchObject({ status: 201, body: { shortCode: "caf\u00E9-noir" } });
  expect(await create({ longUrl, customCode: "caf\u00E9-noir" })).toMatchObject({ status: 409 });
  for (const path of ["/caf%C3%A9-noir", "/cafe%CC%81-noir", "/caf%c3%a9-noir"]) {
    expect(await visit(path)).toMatchObject({ status: 302, headers: { location: longUrl } });
  }
});

test("the 64 characters are counted after NFC", async ({ expect }) => {
  const made = await create({ longUrl: fresh(), customCode: "n\u0303".repeat(64) });
  expect(made).toMatchObject({ status: 201, body: { shortCode: "\u00F1".repeat(64) } });
});

test("B057: codes that differ in case are different links", async ({ expect }) => {
  const [upper, lower] = [fresh(), fresh()];
  expect(await create({ longUrl: upper, customCode: "Promo" })).toMatchObject({ status: 201 });
  expect(await create({ longUrl: lower, customCode: "promo" })).toMatchObject({ status: 201 });
  expect((await visit("/Promo")).headers["location"]).toBe(upper);
  expect((await visit("/promo")).headers["location"]).toBe(lower);
  expect((await visit("/PROMO")).status).toBe(404);
});

test.for([
  "constructor",
  "__proto__",
  "prototype",
  "toString",
  "valueOf",
  "hasOwnProperty",
  "then",
  "null",
  "undefined",
  "true",
  "NaN",
])("B066: %s is an ordinary code: 404 before it is made, its own destination afterwards", async (word, { expect }) => {
  expect(await visit(`/${word}`)).toMatchObject({ status: 404 });
  expect(await see(service.api("GET", `/links/${word}`))).toMatchObject({ status: 404 });
  const longUrl = fresh();
  expect(await create({ longUrl, customCode: word })).toMatchObject({ status: 201, body: { shortCode: word } });
  expect(await visit(`/${word}`)).toMatchObject({ status: 302, headers: { location: longUrl } });
  expect(await see(service.api("GET", `/links/${word}`))).toMatchObject({ status: 200, body: { longUrl } });
});

test("customCode: null asks for a generated one", async ({ expect }) => {
  expect(await create({ longUrl: fresh(), customCode: null })).toMatchObject({ status: 201, body: { type: "auto" } });
});

test("409: a taken code stays with its link, also for the same destination", async ({ expect }) => {
  const longUrl = fresh();
  await create({ longUrl, customCode: "taken" });
  for (const other of [longUrl, fresh()]) {
    const seen = await create({ longUrl: other, customCode: "taken" });
    expect(seen).toMatchObject({ status: 409, body: { code: "code_taken", status: 409 } });
    expect(seen.headers["content-type"]).toMatch(/^application\/problem\+json\b/);
  }
  expect((await visit("/taken")).headers["location"]).toBe(longUrl);
});

test("B069: of 50 creations at once of one custom code exactly one wins, and everyone sees its destination", async ({
  expect,
}) => {
  const answers = await Promise.all(
    Array.from({ length: 50 }, (_, round) =>
      create({ longUrl: `https://example.com/race/${round}`, customCode: "same" }),
    ),
  );
  const won = answers.filter((seen) => seen.status === 201);
  const lost = answers.filter((seen) => seen.status === 409);
  expect([won.length, lost.length]).toEqual([1, 49]);
  expect(lost.map(wordOf)).toEqual(lost.map(() => "code_taken"));
  const longUrl = won.map((seen) => fieldOf(seen.body, "longUrl"))[0];
  expect((await visit("/same")).headers["location"]).toBe(longUrl);
  expect(fieldOf((await see(service.api("GET", "/links/same"))).body, "longUrl")).toBe(longUrl);
});

test.for([
  ["application/JSON", "application/JSON"],
  ["charset=utf-8", "application/json; charset=utf-8"],
  ["a quoted charset in capitals", 'application/json;charset="UTF-8"'],
] as const)("B213: Content-Type may be written with %s", async ([, type], { expect }) => {
  const seen = await see(service.api("POST", "/links", { longUrl: fresh() }, { "Content-Type": type }));
  expect(seen.status).toBe(201);
});

test("B034: a destination of 8,192 characters is kept to the last one", async ({ expect }) => {
  const longUrl = `https://example.com/#${"A".repeat(8192 - 21)}`;
  expect(longUrl).toHaveLength(8192);
  const seen = await create({ longUrl });
  expect(seen).toMatchObject({ status: 201, body: { longUrl } });
  expect((await visit(`/${codeOf(seen)}`)).headers["location"]).toBe(longUrl);
});

test.for([
  ["B087: the scheme without its slashes", "http:evil.example", "http://evil.example/"],
  ["a public IPv4 address in hex", "http://0x08080808/", "http://8.8.8.8/"],
  ["B207: a public IPv4 address in two parts", "http://1.0x10/", "http://1.0.0.16/"],
  ["a public IPv6 address", "https://[2606:4700:4700::1111]/", "https://[2606:4700:4700::1111]/"],
  ["a name under .example", "https://shop.example/", "https://shop.example/"],
  ["a name under .test", "https://shop.test/", "https://shop.test/"],
  ["an international name", "https://M\u00FCnchen.example/", "https://xn--mnchen-3ya.example/"],
  ["a port", "https://example.com:8443/", "https://example.com:8443/"],
  ["B206: a dot behind the host", "https://example.com./dot", "https://example.com./dot"],
  ["a host that only ends like our own", `https://not${HOST}/`, `https://not${HOST}/`],
  [
    "our own host in the path and the query",
    `https://example.com/${HOST}?u=${HOST}`,
    `https://example.com/${HOST}?u=${HOST}`,
  ],
])("a destination may have %s", async ([, longUrl, shown], { expect }) => {
  expect(await create({ longUrl })).toMatchObject({ status: 201, body: { longUrl: shown } });
});
