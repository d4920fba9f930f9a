/**
 * `GET`, `PATCH` and `DELETE /api/v1/links/{code}`: what they answer, what they refuse, and what happens when two come at once.
 *
 * @module
 */
import { afterAll, beforeAll, inject, test } from "vitest";
import { isRecord } from "../../shared/json.ts";
import { fieldOf, type Seen, see, type Service, startService } from "./service.ts";

const HOST = "links-change.example.test";

type Fields = Readonly<Record<string, unknown>>;

let service: Service;
let serial = 0;

beforeAll(async () => {
  service = await startService(HOST);
});
afterAll(() => service.stop());

/** Makes a link with a code of its own. */
async function create(fields: Fields = {}): Promise<Seen & { readonly code: string }> {
  serial += 1;
  const customCode = `change-${serial}`;
  const longUrl = `https://example.com/change/${serial}`;
  const seen = await see(service.api("POST", "/links", { longUrl, customCode, ...fields }));
  return { ...seen, code: String(fieldOf(seen.body, "shortCode")) };
}

const read = (code: string): Promise<Seen> => see(service.api("GET", `/links/${code}`));
const change = (code: string, fields: unknown, headers?: Readonly<Record<string, string>>): Promise<Seen> =>
  see(service.api("PATCH", `/links/${code}`, fields, headers));
const remove = (code: string, headers?: Readonly<Record<string, string>>): Promise<Seen> =>
  see(service.api("DELETE", `/links/${code}`, undefined, headers));
const etagOf = (seen: Seen): string => String(seen.headers["etag"]);

/** A link as JSON without the fields that are named. */
function without(body: unknown, ...names: readonly string[]): Fields {
  return isRecord(body) ? Object.fromEntries(Object.entries(body).filter(([name]) => !names.includes(name))) : {};
}

test("GET answers the link with an ETag; HEAD the same without a body", async ({ expect }) => {
  const made = await create();
  const seen = await read(made.code);
  expect(seen.status).toBe(200);
  expect(seen.body).toEqual(made.body);
  expect(etagOf(seen)).toMatch(/^"[^"]+"$/);
  const head = await see(service.api("HEAD", `/links/${made.code}`));
  expect([head.status, head.text, etagOf(head)]).toEqual([200, "", etagOf(seen)]);
  expect(head.headers["content-type"]).toBe(seen.headers["content-type"]);
  expect((await see(service.api("GET", `/links/${made.code}?domain=${HOST}`))).body).toEqual(made.body);
});

test("B030: GET finds a code in NFC and in NFD", async ({ expect }) => {
  const made = await create({ customCode: "caf\u00E9" });
  for (const path of ["caf%C3%A9", "cafe%CC%81", "caf%c3%a9"]) expect((await read(path)).body).toEqual(made.body);
});

test.for(["GET", "HEAD", "PATCH", "DELETE"])("%s of a code that does not exist is 404", async (method, { expect }) => {
  const body = method === "PATCH" ? { title: "x" } : undefined;
  const seen = await see(service.api(method, "/links/no-such-code", body));
  expect(seen.status).toBe(404);
  expect(seen.headers["content-type"]).toBe("application/problem+json");
  if (method === "HEAD") expect(seen.text).toBe("");
  else expect(seen.body).toMatchObject({ code: "not_found", status: 404, instance: "/api/v1/links/no-such-code" });
});

const LONG = "a".repeat(3000);
// oxfmt-ignore
const BROKEN = [
  "%ZZ", "%", "%a", "%00", "a%00b", "%25", "%2525", "%C3%28", "%ED%A0%80", "%E0%A4%A", "%F0%27%22%3Cx%3D1", "%0A", "%20",
  "%2F", "a%2Fb", "%5C", "..%2F..", "%2e%2e%2f", "%FF", "'%20OR%201=1--", "%F0%9F%92%A9", "constructor", "__proto__", LONG,
];

test.concurrent.for(BROKEN.map((code) => [code.slice(0, 24), code] as const))(
  "B042, B111, B113: %s in the path is 400 or 404 for every call, never an error of the service",
  async ([, code], { expect }) => {
    const answers = [await read(code), await change(code, { title: "x" }), await remove(code)];
    for (const seen of answers) {
      expect([400, 404]).toContain(seen.status);
      expect(seen.headers["content-type"]).toBe("application/problem+json");
    }
  },
);

test.for(["%00", "a%00b", "%C3%28", "%ZZ", "x".repeat(300), "elsewhere.example", ""])(
  "B042: the domain %j in the query is refused, never an error of the service",
  async (domain, { expect }) => {
    const { code } = await create();
    const seen = await see(service.api("GET", `/links/${code}?domain=${domain}`));
    expect([400, 404]).toContain(seen.status);
    expect(seen.headers["content-type"]).toBe("application/problem+json");
  },
);

/** Each field that may be set, with what is sent, what is shown, and what `null` makes of it. */
const SETTABLE: readonly (readonly [string, unknown, unknown, unknown])[] = [
  ["title", "A title", "A title", null],
  ["tags", ["b", "a", "b"], ["b", "a"], []],
  ["notes", "Some\nnotes", "Some\nnotes", null],
  ["metadata", { a: [1, { b: null }] }, { a: [1, { b: null }] }, {}],
  ["redirectStatus", 308, 308, 302],
  ["validSince", "2026-01-01T01:00:00+01:00", "2026-01-01T00:00:00.000Z", null],
  ["expireAt", "2031-01-01T00:00:00Z", "2031-01-01T00:00:00.000Z", null],
  ["expiredUrl", "https://EXAMPLE.com", "https://example.com/", null],
  ["disabled", true, true, false],
];

test.concurrent.for(SETTABLE)(
  "PATCH sets %s, and null sets it back",
  async ([name, sent, shown, fallback], { expect }) => {
    const made = await create();
    const changed = await change(made.code, { [name]: sent });
    expect(changed.status).toBe(200);
    expect(fieldOf(changed.body, name)).toEqual(shown);
    expect(without(changed.body, name, "updatedAt")).toEqual(without(made.body, name, "updatedAt"));
    expect(etagOf(changed)).not.toBe(etagOf(made));
    expect((await read(made.code)).body).toEqual(changed.body);

    const back = await change(made.code, { [name]: null });
    expect(back.status).toBe(200);
    expect(fieldOf(back.body, name)).toEqual(fallback);
    expect(without(back.body, "updatedAt")).toEqual(without(made.body, "updatedAt"));
  },
);

test("PATCH sets longUrl in its serialised form; updatedAt moves on and createdAt stays", async ({ expect }) => {
  const made = await create();
  await new Promise((resolve) => setTimeout(resolve, 5));
  const changed = await change(made.code, { longUrl: "HTTPS://Example.com/a b" });
  expect(changed).toMatchObject({ status: 200, body: { longUrl: "https://example.com/a%20b" } });
  expect(fieldOf(changed.body, "createdAt")).toBe(fieldOf(made.body, "createdAt"));
  expect(String(fieldOf(changed.body, "updatedAt")) > String(fieldOf(made.body, "updatedAt"))).toBe(true);
});

test("PATCH of everything at once stands as a whole", async ({ expect }) => {
  const { code } = await create();
  const changed = await change(code, Object.fromEntries(SETTABLE.map(([name, sent]) => [name, sent])));
  expect(changed.body).toMatchObject(Object.fromEntries(SETTABLE.map(([name, , shown]) => [name, shown])));
});

test("B215: PATCH {} answers 200 and changes nothing", async ({ expect }) => {
  const made = await create({ title: "stays", tags: ["stays"] });
  const seen = await change(made.code, {});
  expect(seen.status).toBe(200);
  expect(without(seen.body, "updatedAt")).toEqual(without(made.body, "updatedAt"));
});

test.for([
  ["an empty body", "", 400],
  ["white space", "  ", 400],
  ["half an object", "{", 400],
  ["a list", "[]", 400],
  ["null", "null", 400],
  ["a body of 170 KB", JSON.stringify({ notes: "x".repeat(170 * 1024) }), 413],
] as const)("B215: PATCH with %s is refused", async ([, body, status], { expect }) => {
  const made = await create();
  const headers = { Authorization: "Bearer test-admin-key", "Content-Type": "application/json" };
  const seen = await see(service.fetch(`/api/v1/links/${made.code}`, { method: "PATCH", headers, body }));
  expect(seen.status).toBe(status);
  expect(seen.headers["content-type"]).toBe("application/problem+json");
  expect((await read(made.code)).body).toEqual(made.body);
});

test("PATCH refuses what is sent as anything but JSON", async ({ expect }) => {
  const { code } = await create();
  expect((await change(code, { title: "x" }, { "Content-Type": "text/plain" })).status).toBe(415);
});

const REFUSED: readonly (readonly [string, Fields, string, string])[] = [
  ["B036: an unknown field", { longurl: "https://example.com/" }, "invalid_request", "longurl"],
  ["the id", { id: "1" }, "invalid_request", "id"],
  ["the domain", { domain: "other.example" }, "invalid_request", "domain"],
  ["the domain, also as it is", { domain: HOST }, "invalid_request", "domain"],
  ["B070: the code", { shortCode: "other" }, "invalid_request", "shortCode"],
  ["B070: the code under its name of creation", { customCode: "other" }, "invalid_request", "customCode"],
  ["the type", { type: "auto" }, "invalid_request", "type"],
  ["the clicks", { clickCount: 5 }, "invalid_request", "clickCount"],
  ["the time of creation", { createdAt: "2020-01-01T00:00:00Z" }, "invalid_request", "createdAt"],
  ["the short URL", { shortUrl: "https://other.example/x" }, "invalid_request", "shortUrl"],
  ["longUrl: null", { longUrl: null }, "invalid_request", "longUrl"],
  ["a number as longUrl", { longUrl: 5 }, "invalid_request", "longUrl"],
  ["a status that is no redirect", { redirectStatus: 200 }, "invalid_request", "redirectStatus"],
  ["an impossible date", { expireAt: "2027-02-30T00:00:00Z" }, "invalid_request", "expireAt"],
  ["B041: NUL in the title", { title: "a\u0000b" }, "invalid_request", "title"],
  ["B043: half a surrogate pair in the notes", { notes: "a\ud800" }, "invalid_request", "notes"],
  ["B041: NUL within metadata", { metadata: { a: ["\u0000"] } }, "invalid_request", "metadata"],
  ["B188: our own domain", { longUrl: `https://${HOST}/a` }, "url_not_allowed", "longUrl"],
  ["B188: our own domain in another spelling", { longUrl: `http://WWW.${HOST}.:80/` }, "url_not_allowed", "longUrl"],
  ["B188: our own domain after the end", { expiredUrl: `https://${HOST}/a` }, "url_not_allowed", "expiredUrl"],
  ["B087: a script", { longUrl: "javascript:alert(1)" }, "url_not_allowed", "longUrl"],
  ["a private address", { longUrl: "http://0x7f.1/" }, "url_not_allowed", "longUrl"],
  ["8,193 characters", { longUrl: `https://example.com/${"a".repeat(8173)}` }, "url_not_allowed", "longUrl"],
];

test.concurrent.for(REFUSED)(
  "PATCH refuses %s, names it and changes nothing",
  async ([, fields, word, name], { expect }) => {
    const made = await create();
    const seen = await change(made.code, { title: "not to be set", ...fields });
    expect(seen).toMatchObject({ status: 400, body: { code: word, status: 400 } });
    expect(JSON.stringify(fieldOf(seen.body, "errors"))).toContain(name);
    const after = await read(made.code);
    expect(after.body).toEqual(made.body);
    expect(etagOf(after)).toBe(etagOf(made));
  },
);

test("If-Match: a link that changed since is left alone with 412; *, the right tag and a list with it pass", async ({
  expect,
}) => {
  const made = await create();
  const second = await change(made.code, { title: "second" }, { "If-Match": etagOf(made) });
  expect(second.status).toBe(200);
  for (const stale of [etagOf(made), '"nonsense"', `${etagOf(made)}, "nonsense"`]) {
    expect(await change(made.code, { title: "lost" }, { "If-Match": stale })).toMatchObject({
      status: 412,
      headers: { "content-type": "application/problem+json" },
      body: { status: 412 },
    });
    expect((await remove(made.code, { "If-Match": stale })).status).toBe(412);
  }
  expect((await read(made.code)).body).toEqual(second.body);
  const spellings = [(): string => "*", (tag: string): string => tag, (tag: string): string => `"nonsense", ${tag}`];
  for (const spell of spellings) {
    const right = spell(etagOf(await read(made.code)));
    expect((await change(made.code, { notes: right }, { "If-Match": right })).status).toBe(200);
  }
});

test("If-Match compares strongly: a weak tag never matches", async ({ expect }) => {
  const made = await create();
  expect((await change(made.code, { title: "x" }, { "If-Match": `W/${etagOf(made)}` })).status).toBe(412);
});

test("DELETE honours If-Match: the right tag, and *", async ({ expect }) => {
  const [first, second] = [await create(), await create()];
  expect((await remove(first.code, { "If-Match": etagOf(first) })).status).toBe(204);
  expect((await remove(second.code, { "If-Match": "*" })).status).toBe(204);
});

test("the tag of a deleted link does not match the one that has its code now", async ({ expect }) => {
  const made = await create();
  await remove(made.code);
  await create({ customCode: made.code });
  expect((await change(made.code, { title: "x" }, { "If-Match": etagOf(made) })).status).toBe(412);
  expect((await remove(made.code, { "If-Match": etagOf(made) })).status).toBe(412);
});

test("DELETE answers 204 without a body, and from then on 404", async ({ expect }) => {
  const { code } = await create();
  const seen = await remove(code);
  expect([seen.status, seen.text]).toEqual([204, ""]);
  expect(seen.headers["x-request-id"]).toMatch(/./);
  const answers = [await read(code), await change(code, { title: "x" }), await remove(code)];
  expect(answers.map(({ status }) => status)).toEqual([404, 404, 404]);
});

test("of 10 deletions at once exactly one is answered 204", async ({ expect }) => {
  const { code } = await create();
  const answers = await Promise.all(Array.from({ length: 10 }, () => remove(code)));
  expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([
    204,
    ...Array.from({ length: 9 }, () => 404),
  ]);
});

test("changes at once of different fields all stand", async ({ expect }) => {
  for (let round = 0; round < 5; round += 1) {
    const { code } = await create();
    const fields = { title: "t", notes: "n", tags: ["x"], metadata: { a: 1 } };
    const answers = await Promise.all(Object.entries(fields).map(([name, value]) => change(code, { [name]: value })));
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
    expect((await read(code)).body).toMatchObject(fields);
  }
});

test("of 10 changes at once with one If-Match exactly one passes, and it is what stands", async ({ expect }) => {
  const made = await create();
  const answers = await Promise.all(
    Array.from({ length: 10 }, (_, round) => change(made.code, { title: `t${round}` }, { "If-Match": etagOf(made) })),
  );
  const passed = answers.filter(({ status }) => status === 200);
  expect(answers.filter(({ status }) => status === 412)).toHaveLength(9);
  expect(passed.map(({ body }) => body)).toEqual([(await read(made.code)).body]);
});

test("a creation finds an automatic link by what it was changed to, not by what it was", async ({ expect }) => {
  const [was, is] = [`https://example.com/was/${Date.now()}`, `https://example.com/is/${Date.now()}`];
  const made = await see(service.api("POST", "/links", { longUrl: was }));
  await change(String(fieldOf(made.body, "shortCode")), { longUrl: is });
  const [again, found] = [
    await see(service.api("POST", "/links", { longUrl: was })),
    await see(service.api("POST", "/links", { longUrl: is })),
  ];
  expect([again.status, found.status]).toEqual([201, 200]);
  expect(fieldOf(found.body, "id")).toBe(fieldOf(made.body, "id"));
  expect(fieldOf(again.body, "id")).not.toBe(fieldOf(made.body, "id"));
});

test("an automatic link may be changed to what another one has already; both stand", async ({ expect }) => {
  const [one, other] = [`https://example.com/one/${Date.now()}`, `https://example.com/other/${Date.now()}`];
  await service.api("POST", "/links", { longUrl: one });
  const second = await see(service.api("POST", "/links", { longUrl: other }));
  const code = String(fieldOf(second.body, "shortCode"));
  expect(await change(code, { longUrl: one })).toMatchObject({ status: 200, body: { longUrl: one } });
  expect((await see(service.api("POST", "/links", { longUrl: one }))).status).toBe(200);
  expect(await change(code, { longUrl: other })).toMatchObject({ status: 200, body: { longUrl: other } });
});

test("a field that takes null says so in the OpenAPI document, and no other does", async ({ expect }) => {
  const { body } = await see(service.fetch("/api/openapi.json"));
  const schema = ["components", "schemas", "ChangeLink", "properties"].reduce(fieldOf, body);
  const properties = isRecord(schema) ? Object.entries(schema) : [];
  expect(properties.length).toBeGreaterThan(10);
  const { code } = await create();
  for (const [name, property] of properties) {
    const isSaid = JSON.stringify(property).includes('"null"');
    expect([name, (await change(code, { [name]: null })).status]).toEqual([name, isSaid ? 200 : 400]);
  }
});

test("a database that goes away between the two statements of a change is away, and no fault of the service", async ({
  expect,
}) => {
  const settings = { longUrl: "https://example.com/twice", expiredUrl: `https://example.com/${crypto.randomUUID()}` };
  const [first, second] = [
    await see(service.api("POST", "/links", settings)),
    await see(service.api("POST", "/links", { ...settings, longUrl: "https://example.com/once" })),
  ];
  expect([first.status, second.status]).toEqual([201, 201]);
  // The first statement has a fingerprint where the second has null, since another link has it.
  const matching = `"${settings.expiredUrl}","false",null,"false","false",null`;
  const control = inject("stack").faultUrls.postgres;
  const fault = await fetch(control, { method: "PUT", body: JSON.stringify({ kind: "refuse", matching }) });
  const id = String(fieldOf(await fault.json(), "id"));
  const code = String(fieldOf(second.body, "shortCode"));
  const refused = await change(code, { longUrl: settings.longUrl });
  await fetch(`${control}/${id}`, { method: "DELETE" });
  expect(refused).toMatchObject({ status: 503, body: { code: "unavailable" } });
  expect((await change(code, { longUrl: settings.longUrl })).status).toBe(200);
});
