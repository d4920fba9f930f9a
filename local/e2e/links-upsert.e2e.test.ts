/**
 * `PUT /api/v1/links`: whoever comes first creates, all others replace, and what everyone sees in the end is what one of them asked for.
 *
 * @module
 */
import { afterAll, beforeAll, test } from "vitest";
import { fieldOf, type Seen, see, type Service, startService, stranger } from "./service.ts";

const HOST = "links-upsert.example.test";

type Fields = Readonly<Record<string, unknown>>;

let service: Service;
let serial = 0;

beforeAll(async () => {
  service = await startService(HOST);
});
afterAll(() => service.stop());

const put = (fields: Fields): Promise<Seen> =>
  see(service.api("PUT", "/links", { longUrl: "https://example.com/put", ...fields }));
const read = (name: string): Promise<Seen> => see(service.api("GET", `/links/${name}`));
const codeOf = (seen: Seen): string => String(fieldOf(seen.body, "shortCode"));
const visit = async (code: string): Promise<string | null> =>
  (await service.fetch(`/${code}`, { headers: stranger() })).headers.get("location");
/** A name that no other test has. */
function fresh(): string {
  serial += 1;
  return `name-${serial}`;
}

/** The two ways of naming a link. */
const NAMES = ["externalId", "customCode"] as const;

test.for(NAMES)("by %s: 201 makes it, 200 replaces it, and visitors go where it leads now", async (by, { expect }) => {
  const name = fresh();
  const made = await put({ [by]: name, title: "first", tags: ["a"], expireAt: "2031-01-01T00:00:00Z" });
  const code = codeOf(made);
  expect(made).toMatchObject({
    status: 201,
    body: { [by === "externalId" ? "externalId" : "shortCode"]: name, title: "first" },
    headers: { location: `/api/v1/links/${code}` },
  });
  expect(await visit(code)).toBe("https://example.com/put");
  const again = await put({ [by]: name, longUrl: "https://example.com/put/2", notes: "second" });
  expect(again).toMatchObject({
    status: 200,
    body: { id: fieldOf(made.body, "id"), shortCode: code, notes: "second", title: null, tags: [], expireAt: null },
  });
  expect(again.headers["etag"]).not.toBe(made.headers["etag"]);
  expect(await visit(code)).toBe("https://example.com/put/2");
  expect((await read(code)).body).toEqual(again.body);
});

test.for(NAMES)("by %s: the same again changes nothing, not even the ETag", async (by, { expect }) => {
  const body = { [by]: fresh(), title: "same", metadata: { a: 1, b: [2] } };
  const made = await put(body);
  expect(await put(body)).toMatchObject({
    status: 200,
    body: made.body,
    headers: { etag: String(made.headers["etag"]) },
  });
});

test.for(NAMES)("by %s: 50 at once with one body make one row", async (by, { expect }) => {
  const body = { [by]: fresh() };
  const answers = await Promise.all(Array.from({ length: 50 }, () => put(body)));
  expect(answers.filter(({ status }) => status === 201)).toHaveLength(1);
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(49);
  expect(new Set(answers.map(({ body: link }) => String(fieldOf(link, "id")))).size).toBe(1);
});

test.for(NAMES)(
  "B172: by %s: 50 at once with 50 destinations make one row that leads to one of them, in caches as in the database",
  async (by, { expect }) => {
    const name = fresh();
    const urls = Array.from({ length: 50 }, (_, index) => `https://example.com/put/${name}/${index}`);
    const answers = await Promise.all(urls.map((longUrl) => put({ [by]: name, longUrl, title: longUrl })));
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(1);
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(49);
    const codes = new Set(answers.map(codeOf));
    expect(codes.size).toBe(1);
    for (const [index, { body }] of answers.entries()) expect(body).toMatchObject({ longUrl: urls[index] });
    const [code = ""] = codes;
    const { body } = await read(code);
    const longUrl = String(fieldOf(body, "longUrl"));
    expect(urls).toContain(longUrl);
    expect(fieldOf(body, "title")).toBe(longUrl);
    expect(await visit(code)).toBe(longUrl);
    const found = await see(service.api("GET", `/links?domain=${HOST}&search=${name}/`));
    expect(fieldOf(found.body, "links")).toHaveLength(1);
  },
);

test("an external id and a code together: both are given, and neither moves to another link", async ({ expect }) => {
  const [externalId, customCode, other] = [fresh(), fresh(), fresh()];
  expect(await put({ externalId, customCode })).toMatchObject({
    status: 201,
    body: { externalId, shortCode: customCode },
  });
  expect(await put({ externalId, customCode, title: "x" })).toMatchObject({ status: 200, body: { title: "x" } });
  expect(await put({ externalId, customCode: other })).toMatchObject({
    status: 409,
    body: { code: "external_id_taken" },
  });
  expect(await put({ externalId: fresh(), customCode })).toMatchObject({ status: 409, body: { code: "code_taken" } });
  const races = await Promise.all(
    Array.from({ length: 20 }, () => put({ externalId: `${other}-x`, customCode: other })),
  );
  expect(races.filter(({ status }) => status === 201)).toHaveLength(1);
  expect(races.filter(({ status }) => status === 200)).toHaveLength(19);
});

test("named by its code, a link keeps its external id until null takes it away", async ({ expect }) => {
  const [externalId, customCode] = [fresh(), fresh()];
  await put({ externalId, customCode });
  expect(await put({ customCode, title: "kept" })).toMatchObject({ status: 200, body: { externalId, title: "kept" } });
  expect(await put({ customCode, externalId: null })).toMatchObject({ status: 200, body: { externalId: null } });
  expect((await read(`ext_${externalId}`)).status).toBe(404);
});

test("a link that was made otherwise is replaced as well, and one that was deleted is made anew", async ({
  expect,
}) => {
  const customCode = fresh();
  const posted = await see(
    service.api("POST", "/links", { longUrl: "https://example.com/posted", customCode, externalId: customCode }),
  );
  expect(posted.status).toBe(201);
  expect(await put({ externalId: customCode })).toMatchObject({ status: 200, body: { shortCode: customCode } });
  expect((await see(service.api("DELETE", `/links/${customCode}`))).status).toBe(204);
  expect(await visit(customCode)).toBeNull();
  const made = await put({ customCode });
  expect(made.status).toBe(201);
  expect(await visit(customCode)).toBe("https://example.com/put");
});

test("a limit that is set later counts the visits before it", async ({ expect }) => {
  const externalId = fresh();
  const code = codeOf(await put({ externalId, maxClicks: 1 }));
  expect(await visit(code)).toBe("https://example.com/put");
  expect((await put({ externalId })).status).toBe(200);
  expect((await put({ externalId, maxClicks: 1, title: "again" })).status).toBe(200);
  expect((await service.fetch(`/${code}`, { headers: stranger() })).status).toBe(410);
});

test.for([
  ["neither name", {}, "externalId", "invalid_request"],
  ["null for both names", { externalId: null, customCode: null }, "externalId", "invalid_request"],
  ["unique, which has no sense here", { externalId: "x", unique: true }, "unique", "invalid_request"],
  ["a code of the service's own", { customCode: "api" }, "customCode", "code_reserved"],
  ["a code like an external id", { customCode: "ext_1" }, "customCode", "code_reserved"],
  ["a code that cannot be had", { customCode: "a b" }, "customCode", "invalid_code"],
  ["B041: a NUL in the code", { customCode: "a\u0000b" }, "customCode", "invalid_code"],
  [
    "B188: a destination on our own host",
    { externalId: "x", longUrl: `https://${HOST}/a` },
    "longUrl",
    "url_not_allowed",
  ],
] as const)("%s is 400", async ([, fields, path, code], { expect }) => {
  expect(await put(fields)).toMatchObject({ status: 400, body: { code, errors: [{ path }] } });
});

test("B188: replacing judges the destination like creating", async ({ expect }) => {
  const externalId = fresh();
  await put({ externalId });
  for (const longUrl of [`https://${HOST}/loop`, "http://127.0.0.1/", "javascript:alert(1)"]) {
    expect(await put({ externalId, longUrl })).toMatchObject({ status: 400, body: { code: "url_not_allowed" } });
  }
  expect((await read(`ext_${externalId}`)).body).toMatchObject({ longUrl: "https://example.com/put" });
});
