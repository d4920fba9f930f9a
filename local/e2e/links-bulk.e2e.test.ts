/**
 * `POST /api/v1/links/bulk`: up to 1,000 links with a handful of requests to the backends, each answered as if it had come alone.
 *
 * @module
 */
import { afterAll, afterEach, beforeAll, inject, test } from "vitest";
import { parseJson } from "../../shared/json.ts";
import { createLink, fieldOf, type Seen, see, type Service, startService, stranger } from "./service.ts";

const HOST = "links-bulk.example.test";
const FREE_PLAN_SUBREQUESTS = 50;

type Fields = Readonly<Record<string, unknown>>;

let service: Service;
let serial = 0;
const lifts: (() => Promise<unknown>)[] = [];

beforeAll(async () => {
  service = await startService(HOST);
});
afterAll(() => service.stop());
afterEach(async () => {
  for (const lift of lifts.splice(0)) await lift();
});

/** A word that no other test has. */
function fresh(): string {
  serial += 1;
  return `bulk-${serial}`;
}
const post = (links: unknown): Promise<Seen> => see(service.api("POST", "/links/bulk", { links }));
function resultsOf(seen: Seen): unknown[] {
  const results: unknown = fieldOf(seen.body, "results");
  return Array.isArray(results) ? results : [];
}
const statusesOf = (seen: Seen): unknown[] => resultsOf(seen).map((result) => fieldOf(result, "status"));
const linksOf = (seen: Seen): unknown[] => resultsOf(seen).map((result) => fieldOf(result, "link"));
const codesOf = (seen: Seen): string[] => linksOf(seen).map((link) => String(fieldOf(link, "shortCode")));
const visit = async (code: string): Promise<string | null> =>
  (await service.fetch(`/${code}`, { headers: stranger() })).headers.get("location");
const BACKENDS = ["postgres", "redis"] as const;

/** How many requests to a backend hold a text. */
async function count(backend: (typeof BACKENDS)[number], matching: string): Promise<number> {
  const answer = await fetch(`${inject("stack").faultUrls[backend]}/count?matching=${encodeURIComponent(matching)}`);
  return Number(fieldOf(await answer.json(), "count"));
}

/** Makes requests to a backend fail that hold a text, until the test is over. */
async function breakDown(backend: (typeof BACKENDS)[number], matching: string): Promise<void> {
  const control = inject("stack").faultUrls[backend];
  const answer = await fetch(control, { method: "PUT", body: JSON.stringify({ kind: "html", matching }) });
  const id = Number(fieldOf(await answer.json(), "id"));
  lifts.push(() => fetch(`${control}/${id}`, { method: "DELETE" }));
}

test("1,000 rows are made with a handful of requests, answered in their order, and found again", async ({ expect }) => {
  const word = fresh();
  const rows = Array.from({ length: 1000 }, (_, index) => ({
    longUrl: `https://example.com/${word}/${index}`,
    ...(index % 4 === 0 ? { customCode: `${word}-${index}` } : {}),
    ...(index % 3 === 0 ? { externalId: `${word}:${index}` } : {}),
  }));
  const seen = await post(rows);
  expect(seen.status).toBe(200);
  expect(new Set(statusesOf(seen))).toEqual(new Set([201]));
  expect(linksOf(seen).map((link) => fieldOf(link, "longUrl"))).toEqual(rows.map(({ longUrl }) => longUrl));
  expect(new Set(codesOf(seen)).size).toBe(1000);
  // One statement inserts them all, and one command publishes the codes that were chosen.
  expect([await count("postgres", `/${word}/999`), await count("redis", `${word}-996`)]).toEqual([1, 1]);
  const codes = codesOf(seen);
  for (const index of [0, 1, 500, 999]) expect(await visit(codes[index] ?? "")).toBe(rows[index]?.longUrl);

  const again = await post(rows);
  expect(statusesOf(again)).toEqual(rows.map((_, index) => (index % 4 === 0 ? 409 : 200)));
  for (const [index, link] of linksOf(again).entries()) if (index % 4 !== 0) expect(link).toEqual(linksOf(seen)[index]);
});

test("a list without the object around it is taken as well", async ({ expect }) => {
  const seen = await see(service.api("POST", "/links/bulk", [{ longUrl: "https://example.com/list" }]));
  expect(seen).toMatchObject({ status: 200, body: { results: [{ status: 201 }] } });
  expect(await see(service.api("GET", `/links/${codesOf(seen)[0] ?? ""}`))).toMatchObject({ body: linksOf(seen)[0] });
});

test("B188: every row that is bad fails alone, with a problem document as if it had come alone", async ({ expect }) => {
  const taken = await createLink(service, { customCode: fresh(), externalId: `ext-${fresh()}` });
  const externalId = fieldOf((await see(service.api("GET", `/links/${taken}`))).body, "externalId");
  const good = { longUrl: `https://example.com/${fresh()}` };
  const bad: readonly unknown[] = [
    null,
    "https://example.com/",
    {},
    { longUrl: 7 },
    { ...good, misspelt: 1 },
    { ...good, title: "a\u0000b" },
    { longUrl: "javascript:alert(1)" },
    { longUrl: `https://${HOST}/loop` },
    { ...good, domain: "elsewhere.example.test" },
    { ...good, customCode: "api" },
    { ...good, customCode: "a b" },
    { ...good, customCode: "ext_1" },
    { ...good, customCode: taken },
    { ...good, externalId },
  ];
  const rows = bad.flatMap((row, index) => [row, { longUrl: `${good.longUrl}/${index}` }]);
  const seen = await post(rows);
  expect(seen.status).toBe(200);
  for (const [index, result] of resultsOf(seen).entries()) {
    if (index % 2 === 1)
      expect(result).toMatchObject({ status: 201, link: { longUrl: `${good.longUrl}/${(index - 1) / 2}` } });
    else {
      const alone = await see(service.api("POST", "/links", rows[index]));
      // Alone, a code that cannot be had is answered with one that can; in a list that would cost a look-up for each.
      const problem = parseJson(alone.text.replaceAll(/ Try \\"[^"]*\\"\./g, ""));
      expect(result).toEqual({ status: alone.status, error: { ...Object(problem), instance: "/api/v1/links/bulk" } });
    }
  }
});

test("within one list the same link is one, and of two with one name the first wins", async ({ expect }) => {
  const [url, code, externalId] = [`https://example.com/${fresh()}`, fresh(), fresh()];
  const seen = await post([
    { longUrl: url },
    { longUrl: url, title: null },
    { longUrl: url, unique: true },
    { longUrl: url, customCode: code },
    { longUrl: `${url}/other`, customCode: code },
    { longUrl: `${url}/1`, externalId },
    { longUrl: `${url}/1`, externalId },
    { longUrl: `${url}/2`, externalId },
  ]);
  expect(statusesOf(seen)).toEqual([201, 200, 201, 201, 409, 201, 200, 409]);
  const [first, second, third] = codesOf(seen);
  expect([second, third === first]).toEqual([first, false]);
  expect(resultsOf(seen)[4]).toMatchObject({ error: { code: "code_taken" } });
  expect(resultsOf(seen)[7]).toMatchObject({ error: { code: "external_id_taken" } });
  expect(await visit(code)).toBe(url);
});

test("ten lists at once, each in another order: every name is given once, the same link is one", async ({ expect }) => {
  const word = fresh();
  const numbers = Array.from({ length: 60 }, (_, index) => index);
  const row = (index: number): Fields => ({
    longUrl: `https://example.com/${word}/${index}`,
    ...(index % 3 === 1 ? { customCode: `${word}-${index}` } : {}),
    ...(index % 3 === 2 ? { externalId: `${word}-${index}` } : {}),
  });
  const orders = numbers.slice(0, 10).map((turn) => numbers.map((index) => (index * 7 + turn * 11) % 60));
  const answers = await Promise.all(orders.map((order) => post(order.map(row))));
  const statuses = numbers.map((index) =>
    answers.map((seen, list) => statusesOf(seen)[orders[list]?.indexOf(index) ?? -1]),
  );
  for (const [index, got] of statuses.entries()) {
    expect(got.filter((status) => status === 201)).toHaveLength(1);
    expect(got.filter((status) => status === (index % 3 === 1 ? 409 : 200))).toHaveLength(9);
  }
  const listed = await see(service.api("GET", `/links?limit=100&domain=${HOST}&search=${word}/`));
  expect(fieldOf(listed.body, "links")).toHaveLength(60);
});

test("a code that was asked for in vain, or was deleted, opens as soon as its list is answered", async ({ expect }) => {
  const [unknown, deleted] = [fresh(), await createLink(service, { customCode: fresh() })];
  expect(await visit(deleted)).toBe("https://example.com/");
  await service.api("DELETE", `/links/${deleted}`);
  expect([await visit(unknown), await visit(deleted)]).toEqual([null, null]);
  const seen = await post([unknown, deleted].map((customCode) => ({ longUrl: "https://example.com/now", customCode })));
  expect(statusesOf(seen)).toEqual([201, 201]);
  expect([await visit(unknown), await visit(deleted)]).toEqual(["https://example.com/now", "https://example.com/now"]);
});

test("while the filter is away, rows with codes of their own wait, and the others are made", async ({ expect }) => {
  const word = fresh();
  await breakDown("redis", "SETBIT");
  const seen = await post([
    { longUrl: `https://example.com/${word}` },
    { longUrl: `https://example.com/${word}`, customCode: word },
  ]);
  expect(seen).toMatchObject({ status: 200, body: { results: [{ status: 201 }, { error: { code: "unavailable" } }] } });
  expect(statusesOf(seen)).toEqual([201, 503]);
});

test("while Postgres is away the whole list is 503, and made when it is sent again", async ({ expect }) => {
  const rows = [{ longUrl: `https://example.com/${fresh()}` }];
  await breakDown("postgres", HOST);
  const refused = await post(rows);
  expect(refused).toMatchObject({ status: 503, body: { code: "unavailable" } });
  expect(refused.headers["retry-after"]).toMatch(/^\d+$/);
  await lifts.pop()?.();
  expect(statusesOf(await post(rows))).toEqual([201]);
});

test("links of 8,000 characters with codes of their own stay within the requests of the free plan", async ({
  expect,
}) => {
  const word = fresh();
  const padding = "x".repeat(8000);
  const rows = Array.from({ length: 400 }, (_, index) => ({
    longUrl: `https://example.com/${word}/${index}#${padding}`,
    customCode: `${word}-${index}`,
  }));
  const seen = await post(rows);
  expect(new Set(statusesOf(seen))).toEqual(new Set([201]));
  expect((await count("redis", `${word}-`)) + (await count("postgres", `${word}-`))).toBeLessThan(
    FREE_PLAN_SUBREQUESTS,
  );
  expect(await visit(`${word}-399`)).toBe(rows[399]?.longUrl);
});

test.for([
  ["an empty list", { links: [] }, 400, "invalid_request"],
  ["more than 1,000", { links: Array.from({ length: 1001 }, () => ({})) }, 400, "invalid_request"],
  ["no list", { links: {} }, 400, "invalid_request"],
  ["a field beside the list", { links: [{}], other: 1 }, 400, "invalid_request"],
  ["null", null, 400, "invalid_request"],
  ["more than 4 MiB", { links: [{ longUrl: "x".repeat(4 * 1024 * 1024) }] }, 413, "payload_too_large"],
] as const)("%s is refused as a whole", async ([, body, status, code], { expect }) => {
  expect(await see(service.api("POST", "/links/bulk", body))).toMatchObject({ status, body: { code } });
});

test("the word is no code's: a link called bulk is read, and other methods than POST are about it", async ({
  expect,
}) => {
  await createLink(service, { customCode: "bulk" });
  expect((await service.api("GET", "/links/bulk")).status).toBe(200);
  expect((await service.api("DELETE", "/links/bulk")).status).toBe(204);
  expect((await service.fetch("/api/v1/links/bulk", { method: "POST" })).status).toBe(401);
});

test("the OpenAPI document describes the list by the body of a single creation", async ({ expect }) => {
  const { body } = await see(service.fetch("/api/openapi.json"));
  expect(fieldOf(fieldOf(body, "paths"), "/api/v1/links/bulk")).toMatchObject({
    post: {
      requestBody: { content: { "application/json": { schema: { $ref: "#/components/schemas/CreateLinks" } } } },
    },
  });
  expect(fieldOf(fieldOf(fieldOf(body, "components"), "schemas"), "CreateLinks")).toMatchObject({
    properties: { links: { items: { $ref: "#/components/schemas/CreateLink" } } },
  });
});
