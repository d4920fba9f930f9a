/**
 * `GET /api/v1/export` and `POST /api/v1/import` as files and streams: what a spreadsheet is given, what a text looks like after a round trip,
 * and what is known of a file when a backend goes away in its middle.
 *
 * @module
 */
import { neon, neonConfig } from "@neondatabase/serverless";
import { afterAll, afterEach, beforeAll, inject, test } from "vitest";
import { parseJson } from "../../shared/json.ts";
import { ADMIN_KEY, createLink, fieldOf, see, type Service, startService, stranger } from "./service.ts";
import { exportFile, importFile, sendFile } from "./transfer-files.ts";

const HOST = "export.example.test";
const AUTHORIZED = { Authorization: `Bearer ${ADMIN_KEY}` };

let service: Service;
const lifts: (() => Promise<unknown>)[] = [];

beforeAll(async () => {
  service = await startService(HOST);
});
afterAll(() => service.stop());
afterEach(async () => {
  for (const lift of lifts.splice(0)) await lift();
});

/** Runs SQL beside the service. */
function ask(sql: string): Promise<readonly Record<string, unknown>[]> {
  const { databaseUrl, databaseEndpoint } = inject("stack");
  neonConfig.fetchEndpoint = databaseEndpoint;
  return neon(databaseUrl, { disableWarningInBrowsers: true }).query(sql);
}
const empty = () => ask(`DELETE FROM short_links WHERE domain = '${HOST}'`);

/** Makes requests to a backend fail that hold a text, until the test is over or the fault is lifted. */
async function breakDown(backend: "postgres" | "redis", matching: string): Promise<() => Promise<unknown>> {
  const control = inject("stack").faultUrls[backend];
  const answer = await fetch(control, { method: "PUT", body: JSON.stringify({ kind: "html", matching }) });
  const id = Number(fieldOf(await answer.json(), "id"));
  const lift = () => fetch(`${control}/${id}`, { method: "DELETE" });
  lifts.push(lift);
  return lift;
}

const longUrl = (index: number): string => `https://example.com/${index}`;
const readTitles = async () =>
  Object.fromEntries(
    (await ask(`SELECT long_url, title FROM short_links WHERE domain = '${HOST}'`)).map((row) => [
      row["long_url"],
      row["title"],
    ]),
  );

const csvOf = (rows: readonly (readonly string[])[]): string => rows.map((row) => row.join(",")).join("\n");
const numbered = (count: number): string =>
  csvOf([
    ["url", "slug"],
    ...Array.from({ length: count }, (_, index) => [`https://example.com/${index}`, `n${index}`]),
  ]);

test("a file has a name with its day, is kept by no cache, and HEAD answers without it", async ({ expect }) => {
  await empty();
  await createLink(service, { customCode: "a" });
  for (const [format, type] of [
    ["csv", "text/csv; charset=utf-8"],
    ["jsonl", "application/x-ndjson"],
  ] as const) {
    const whole = await exportFile(service, `?format=${format}&domain=${HOST}`);
    expect(whole).toMatchObject({ status: 200, headers: { "content-type": type, "cache-control": "no-store" } });
    expect(whole.headers["content-disposition"]).toMatch(
      new RegExp(`^attachment; filename="hop-links-\\d{4}-\\d\\d-\\d\\d\\.${format}"$`),
    );
    expect(whole.text.endsWith("\n")).toBe(true);
    const head = await see(service.fetch(`/api/v1/export?format=${format}`, { method: "HEAD", headers: AUTHORIZED }));
    expect(head).toMatchObject({ status: 200, text: "", headers: { "content-type": type } });
  }
  for (const query of ["?format=xml", "?after=nowhere", "?limit=0", "?misspelt=1"]) {
    expect(await exportFile(service, query)).toMatchObject({ status: 400, body: { code: "invalid_request" } });
  }
  await empty();
  expect((await exportFile(service, `?format=jsonl&domain=${HOST}`)).text).toBe("");
  expect((await exportFile(service, `?domain=${HOST}`)).text).toMatch(/^domain,[^\n]*\r\n$/);
  expect((await importFile(service, (await exportFile(service, `?domain=${HOST}`)).text)).end).toMatchObject({
    summary: { rows: 0 },
    nextLine: null,
  });
});

test("B131: no cell is a formula, of links and of clicks, and another round adds no quote", async ({ expect }) => {
  await empty();
  const titles = ["=HYPERLINK(1)", "+1+1", "-2+3", "@SUM(A1)", "\t=1", "'=already"];
  for (const title of titles) await createLink(service, { title, notes: title, tags: [title.trim()] });
  const first = (await exportFile(service, `?domain=${HOST}`)).text;
  expect(first).not.toMatch(/(?:^|,)"?[=+\-@\t]/m);
  await empty();
  await importFile(service, first);
  expect((await exportFile(service, `?domain=${HOST}`)).text).toBe(first);

  const code = await createLink(service);
  const query = new URLSearchParams({ utm_source: "=1+1", utm_campaign: "+SUM(A1)" }).toString();
  await service.fetch(`/${code}?${query}`, { headers: { ...stranger(), "User-Agent": "=cmd|' /C calc'!A0" } });
  const clicks = () => see(service.api("GET", `/links/${code}/clicks?format=csv`));
  await expect.poll(async () => (await clicks()).text, { timeout: 30_000 }).toContain("1+1");
  expect((await clicks()).text).toMatch(/,'=1\+1,.*,'\+SUM\(A1\),.*,'=cmd/);
});

test("B133: titles with any line break, quotes, commas and spaces are the same after a round trip", async ({
  expect,
}) => {
  await empty();
  const titles = ["a\rb", "a\r\nb", "a\nb", 'a"b', '"', "a,b", " lead", "trail ", "\r\n", "a;b\tc", null];
  for (const [index, title] of titles.entries()) {
    // A carriage return on its own is what the API takes for no text: it came by SQL.
    const code = await createLink(service, { longUrl: longUrl(index), title: title?.replaceAll("\r", "~") });
    await ask(
      `UPDATE short_links SET title = replace(title, '~', E'\\r') WHERE domain = '${HOST}' AND short_code = '${code}'`,
    );
  }
  const before = await readTitles();
  expect(before).toEqual(Object.fromEntries(titles.map((title, index) => [longUrl(index), title])));
  for (const format of ["csv", "jsonl"]) {
    const { text } = await exportFile(service, `?format=${format}&domain=${HOST}`);
    await empty();
    expect((await importFile(service, text, "?format=hop")).end).toMatchObject({ summary: { created: titles.length } });
    expect(await readTitles()).toEqual(before);
  }
});

test("an export that loses its database in the middle is cut off, and is 503 where it has not begun", async ({
  expect,
}) => {
  await empty();
  await importFile(service, numbered(2100));
  const whole = await exportFile(service, `?domain=${HOST}`);
  // What the second page begins behind, in the order of bytes.
  const codes = Array.from({ length: 2100 }, (_, index) => `n${index}`).toSorted();
  const lift = await breakDown("postgres", String(codes[999]));
  await expect(exportFile(service, `?domain=${HOST}`)).rejects.toThrow();
  await lift();
  expect((await exportFile(service, `?domain=${HOST}`)).text).toBe(whole.text);
  await breakDown("postgres", HOST);
  const away = await exportFile(service, `?domain=${HOST}`);
  expect(away).toMatchObject({ status: 503, headers: { "retry-after": "5" }, body: { code: "unavailable" } });
});

test("an import that loses its database says where to go on, and going on there makes the rest", async ({ expect }) => {
  await empty();
  const file = numbered(1300);
  // In the second five hundred.
  const lift = await breakDown("postgres", "https://example.com/777");
  const cut = await importFile(service, file);
  expect(cut.end).toMatchObject({
    summary: { rows: 500, created: 500 },
    nextLine: 502,
    code: "unavailable",
    retryAfter: expect.any(Number),
  });
  expect(cut.rows).toHaveLength(500);
  await lift();
  const rest = await importFile(service, file, "?fromLine=502");
  expect(rest.end).toMatchObject({ summary: { rows: 800, created: 800 }, nextLine: null });
  expect((await exportFile(service, `?format=jsonl&domain=${HOST}`)).text.trim().split("\n")).toHaveLength(1300);
});

test("without Redis no custom code is imported, since no redirect might find it", async ({ expect }) => {
  await empty();
  const lost = await startService(HOST, { UPSTASH_REDIS_REST_URL: "http://127.0.0.1:9" });
  try {
    const cut = await importFile(lost, numbered(3));
    expect(cut.rows).toEqual([]);
    expect(cut.end).toMatchObject({ summary: { rows: 0 }, nextLine: 2, code: "unavailable" });
  } finally {
    await lost.stop();
  }
  expect((await importFile(service, numbered(3))).end).toMatchObject({ summary: { created: 3 } });
});

test("a file that cannot be read on is told of at its end, and what came before stands", async ({ expect }) => {
  await empty();
  const start = new TextEncoder().encode(`${numbered(3)}\n`);
  const broken = new Uint8Array([...start, 0xff, 0xfe, 0x2c, 0x61, 0x0a]);
  const seen = await sendFile(service, broken);
  const lines = seen.text.trim().split("\n").map(parseJson);
  expect(lines.slice(0, 3)).toMatchObject([{ status: "created" }, { status: "created" }, { status: "created" }]);
  expect(lines[3]).toMatchObject({ line: 5, status: "failed", code: "invalid_request" });
});

test("an answer that was lost is found again: the rows that were made are skipped", async ({ expect }) => {
  await empty();
  const control = inject("stack").faultUrls.postgres;
  const file = csvOf([
    ["url", "slug"],
    ["https://example.com/lost-answer", "lost-answer"],
  ]);
  const answer = await fetch(control, {
    method: "PUT",
    body: JSON.stringify({ kind: "cut", matching: "https://example.com/lost-answer", times: 1 }),
  });
  const id = Number(fieldOf(await answer.json(), "id"));
  lifts.push(() => fetch(`${control}/${id}`, { method: "DELETE" }));
  const cut = await importFile(service, file);
  expect(cut.end).toMatchObject({ nextLine: 2, code: "unavailable" });
  const again = await importFile(service, file, "?fromLine=2");
  expect(again.rows).toMatchObject([{ line: 2, shortCode: "lost-answer" }]);
  expect(await see(service.fetch("/lost-answer", { headers: stranger() }))).toMatchObject({ status: 302 });
});
