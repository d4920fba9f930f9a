/**
 * `GET /api/v1/links`: pages that skip and repeat nothing, whatever is made and deleted between them, and filters that find what they say.
 *
 * @module
 */
import { neon, neonConfig } from "@neondatabase/serverless";
import { afterAll, beforeAll, inject, test } from "vitest";
import { createLink, fieldOf, type Seen, see, type Service, startService } from "./service.ts";

const HOST = "links-list.example.test";
const { databaseUrl, databaseEndpoint } = inject("stack");
/** No walk of these tests has more pages. */
const MAX_PAGES = 80;

let service: Service;
let serial = 0;

beforeAll(async () => {
  service = await startService(HOST);
});
afterAll(() => service.stop());

const ask = (query: string): Promise<Seen> => see(service.api("GET", `/links?domain=${HOST}&${query}`));
const sql = (statement: string) => {
  neonConfig.fetchEndpoint = databaseEndpoint;
  return neon(databaseUrl).query(statement);
};
/** A tag that no other test has. */
function freshTag(): string {
  serial += 1;
  return `tag-${serial}`;
}
function linksOf(seen: Seen): unknown[] {
  const links: unknown = fieldOf(seen.body, "links");
  return Array.isArray(links) ? links : [];
}
const codesOf = (seen: Seen): string[] => linksOf(seen).map((link) => String(fieldOf(link, "shortCode")));
/** The codes that a query finds, in their order. */
const found = async (query: string): Promise<string[]> => codesOf(await ask(`limit=100&${query}`));

/** Makes links of one tag, one after the other. */
async function make(tag: string, count: number, fields: Readonly<Record<string, unknown>> = {}): Promise<string[]> {
  const codes: string[] = [];
  for (let made = 0; made < count; made += 1) codes.push(await createLink(service, { tags: [tag], ...fields }));
  return codes;
}

/** Follows the cursors to the end; `between` is called after each page. */
async function walk(query: string, between: (page: number) => Promise<unknown> = async () => {}): Promise<string[]> {
  const codes: string[] = [];
  let cursor = "";
  for (let page = 0; page < MAX_PAGES; page += 1) {
    const seen = await ask(`${query}${cursor}`);
    if (seen.status !== 200) throw new Error(`a page was ${seen.status}: ${seen.text}`);
    codes.push(...codesOf(seen));
    const next = fieldOf(seen.body, "nextCursor");
    if (typeof next !== "string") return codes;
    cursor = `&cursor=${next}`;
    await between(page);
  }
  throw new Error("the walk did not end");
}

const ORDERS = ["createdAt&order=desc", "createdAt&order=asc", "clickCount&order=desc", "clickCount&order=asc"];

test("the newest come first, whole and as they are read one by one, 50 a page", async ({ expect }) => {
  const tag = freshTag();
  const codes = await make(tag, 3, { title: "listed", externalId: null });
  const seen = await ask(`tag=${tag}`);
  expect(seen).toMatchObject({ status: 200, body: { nextCursor: null }, headers: { "cache-control": "no-store" } });
  expect(codesOf(seen)).toEqual(codes.toReversed());
  for (const link of linksOf(seen)) {
    const code = String(fieldOf(link, "shortCode"));
    expect((await see(service.api("GET", `/links/${code}`))).body).toEqual(link);
  }
  expect((await see(service.api("HEAD", "/links"))).status).toBe(200);
});

test.concurrent.for(ORDERS)(
  "B174, B175: pages of one, sorted by %s, have each link once and end, also among equals",
  async (order, { expect }) => {
    const tag = freshTag();
    const codes = await make(tag, 12);
    const one = `'{${tag}}'`;
    await sql(`UPDATE short_links SET click_count = id % 3 WHERE tags = ${one}`);
    const walked = await walk(`tag=${tag}&limit=1&sort=${order}`);
    expect(walked.toSorted()).toEqual(codes.toSorted());
    expect(walked).toEqual(await found(`tag=${tag}&sort=${order}`));
  },
);

test("B173: links of one millisecond are each seen once, in every order and at every size of a page", async ({
  expect,
}) => {
  const tag = freshTag();
  const codes = await make(tag, 15);
  await sql(`UPDATE short_links SET created_at = '2026-01-01T00:00:00.123Z' WHERE tags = '{${tag}}'`);
  for (const order of ORDERS) {
    for (const limit of [1, 4, 5, 14, 15, 16]) {
      const walked = await walk(`tag=${tag}&limit=${limit}&sort=${order}`);
      expect(walked.toSorted()).toEqual(codes.toSorted());
    }
  }
});

test.concurrent.for(ORDERS)(
  "B173: sorted by %s, links that stay are seen once while others are made and deleted between the pages",
  async (order, { expect }) => {
    const tag = freshTag();
    const staying = await make(tag, 20);
    const leaving = await make(tag, 10);
    // Made before, between and after those that stay.
    const coming: string[] = [];
    await sql(`UPDATE short_links SET click_count = id % 4 WHERE tags = '{${tag}}'`);
    const walked = await walk(`tag=${tag}&limit=3&sort=${order}`, async (page) => {
      const gone = leaving[page];
      if (gone !== undefined) await service.api("DELETE", `/links/${gone}`);
      const [code = ""] = await make(tag, 1);
      coming.push(code);
      await sql(`UPDATE short_links SET created_at = created_at - interval '${page} seconds', click_count = ${page % 4}
        WHERE domain = '${HOST}' AND short_code = '${code}'`);
    });
    expect(walked.filter((code) => staying.includes(code)).toSorted()).toEqual(staying.toSorted());
    expect(new Set(walked).size).toBe(walked.length);
    expect(coming.length).toBeGreaterThan(5);
  },
);

test("sorted by clicks, a link that is clicked meanwhile moves, and takes no other one along", async ({ expect }) => {
  const tag = freshTag();
  const codes = await make(tag, 12);
  const [moving = ""] = codes;
  const walked = await walk(`tag=${tag}&limit=2&sort=clickCount`, () =>
    sql(`UPDATE short_links SET click_count = click_count + 1 WHERE domain = '${HOST}' AND short_code = '${moving}'`),
  );
  expect(walked.filter((code) => code !== moving).toSorted()).toEqual(codes.slice(1).toSorted());
});

test("search finds part of a code, of the URL or of the title, in any case, and takes no sign for a wild card", async ({
  expect,
}) => {
  const tag = freshTag();
  const [byCode, byUrl, byTitle, other] = [
    await createLink(service, { tags: [tag], customCode: "Needle-Code" }),
    await createLink(service, { tags: [tag], longUrl: "https://needle.example.com/a?b=Needle#c" }),
    await createLink(service, { tags: [tag], title: 'The needle: 100%_sure \\ "quoted" \u{1F680}' }),
    await createLink(service, { tags: [tag], title: "hay" }),
  ];
  const searched = (text: string): Promise<string[]> =>
    found(`tag=${tag}&order=asc&search=${encodeURIComponent(text)}`);
  for (const text of ["needle", "NEEDLE", "eedl"]) expect(await searched(text)).toEqual([byCode, byUrl, byTitle]);
  expect(await searched("e-c")).toEqual([byCode]);
  expect(await searched("?b=needle#")).toEqual([byUrl]);
  for (const text of ["100%_", "_sure \\", '"quoted"', "\u{1F680}"]) expect(await searched(text)).toEqual([byTitle]);
  for (const text of ["n%e", "n_edle", "hay needle", "' OR 1=1 --"]) expect(await searched(text)).toEqual([]);
  expect(await searched("a")).toContain(other);
});

test("a search knows what a link is now: changed, replaced or deleted", async ({ expect }) => {
  const tag = freshTag();
  const code = await createLink(service, { tags: [tag], title: "before" });
  await service.api("PATCH", `/links/${code}`, { title: "after", longUrl: "https://example.com/moved" });
  expect(await found(`tag=${tag}&search=before`)).toEqual([]);
  for (const text of ["after", "/moved"]) expect(await found(`tag=${tag}&search=${text}`)).toEqual([code]);
  await service.api("DELETE", `/links/${code}`);
  expect(await found(`tag=${tag}&search=after`)).toEqual([]);
  expect(await sql(`SELECT 1 FROM link_texts WHERE searched LIKE '${code}%'`)).toEqual([]);
});

test("tags are all asked for, and each filter narrows what the others leave", async ({ expect }) => {
  const [a, b] = [freshTag(), freshTag()];
  const soon = new Date(Date.now() + 60 * 60 * 1000).toISOString();
  const both = await createLink(service, { tags: [a, b], expireAt: soon });
  const onlyA = await createLink(service, { tags: [a], customCode: "only-a" });
  const expired = await createLink(service, { tags: [a], expireAt: "2026-01-01T00:00:00Z" });
  const disabled = await createLink(service, { tags: [a], expireAt: "2026-01-01T00:00:00Z", disabled: true });
  const all = [both, onlyA, expired, disabled];
  expect(await found(`tag=${a}&order=asc`)).toEqual(all);
  expect(await found(`tag=${a}&tag=${b}`)).toEqual([both]);
  expect(await found(`tag=${b}&tag=${freshTag()}`)).toEqual([]);
  expect(await found(`tag=${a}&type=custom`)).toEqual([onlyA]);
  expect(await found(`tag=${a}&type=auto&order=asc`)).toEqual([both, expired, disabled]);
  expect(await found(`tag=${a}&status=active&order=asc`)).toEqual([both, onlyA]);
  expect(await found(`tag=${a}&status=expired`)).toEqual([expired]);
  expect(await found(`tag=${a}&status=disabled`)).toEqual([disabled]);
  expect(codesOf(await see(service.api("GET", `/links?tag=${a}&domain=${HOST.toUpperCase()}&order=asc`)))).toEqual(all);
  expect(codesOf(await see(service.api("GET", `/links?tag=${a}&domain=elsewhere.example.test`)))).toEqual([]);
  expect(codesOf(await see(service.api("GET", `/links?tag=${a}&order=asc`)))).toEqual(all);
});

test.for([
  "limit=0",
  "limit=-1",
  "limit=101",
  "limit=1e9",
  "limit=abc",
  "limit=1.5",
  "limit=",
  "cursor=",
  "cursor=%00",
  "cursor=abc",
  "cursor=a%00b",
  "search=",
  "search=%00",
  "search=a%00b",
  "search=a%01b",
  "tag=%00",
  "tag=",
  "tag=a&tag=%00",
  "type=other",
  "status=gone",
  "sort=title",
  "order=up",
])("B041, B042, B175: %s is 400 and names the parameter", async (query, { expect }) => {
  const seen = await see(service.api("GET", `/links?${query}`));
  expect(seen).toMatchObject({ status: 400, body: { code: "invalid_request" } });
  expect(seen.text).toContain(`"path":"${query.split("=")[0] ?? ""}`);
});

test("B175: a cursor of one order is refused by another, and bytes that are no UTF-8 are never an error of ours", async ({
  expect,
}) => {
  const tag = freshTag();
  await make(tag, 2);
  const seen = await ask(`tag=${tag}&limit=1`);
  const cursor = String(fieldOf(seen.body, "nextCursor"));
  expect((await ask(`tag=${tag}&cursor=${cursor}`)).status).toBe(200);
  for (const order of ["sort=clickCount", "order=asc"]) {
    expect((await ask(`tag=${tag}&cursor=${cursor}&${order}`)).status).toBe(400);
  }
  for (const text of ["%C3%28", "%ED%A0%80", "%E0%A4%A", "%"]) {
    expect((await ask(`search=${text}&tag=${text}`)).status).toBeLessThan(500);
  }
});

test("without a key it is 401", async ({ expect }) => {
  expect((await service.fetch("/api/v1/links")).status).toBe(401);
});
