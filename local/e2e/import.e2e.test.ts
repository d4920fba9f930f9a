/**
 * `POST /api/v1/import`: every row of a file is told of, by its line, and none replaces a link that stands.
 *
 * @module
 */
import { neon, neonConfig } from "@neondatabase/serverless";
import { afterAll, beforeAll, inject, test } from "vitest";
import { createLink, fieldOf, see, type Service, startService, stranger } from "./service.ts";
import { exportFile, importFile, type Report, sendFile } from "./transfer-files.ts";

const HOST = "import.example.test";
const OTHER = "import-2.example.test";
const PATIENCE = { timeout: 30_000, interval: 100 };

let service: Service;
let serial = 0;

beforeAll(async () => {
  service = await startService(HOST, { DOMAINS: `${HOST},${OTHER}` });
});
afterAll(() => service.stop());

/** A word that no other test has. */
function fresh(): string {
  serial += 1;
  return `import-${serial}`;
}
const read = async (code: string): Promise<unknown> =>
  (await see(service.api("GET", `/links/${encodeURIComponent(code)}`))).body;
const visit = async (code: string): Promise<{ status: number; location: string | null }> => {
  const { status, headers } = await service.fetch(`/${encodeURIComponent(code)}`, { headers: stranger() });
  return { status, location: headers.get("location") };
};
const csv = (rows: readonly (readonly unknown[])[]): string => rows.map((row) => row.join(",")).join("\n");
const outcomes = ({ rows }: Report): unknown[] => rows.map(({ line, status, code }) => [line, status, code]);
const jsonl = (rows: readonly unknown[]): string => rows.map((row) => JSON.stringify(row)).join("\n");
const JSON_LINES = { "Content-Type": "application/x-ndjson" };

/** Runs SQL beside the service. */
function ask(sql: string): Promise<readonly Record<string, unknown>[]> {
  const { databaseUrl, databaseEndpoint } = inject("stack");
  neonConfig.fetchEndpoint = databaseEndpoint;
  return neon(databaseUrl, { disableWarningInBrowsers: true }).query(sql);
}

/** What is told of a row of the 250. */
function told(index: number): unknown[] {
  const line = index + 2;
  if ([99, 100, 249, 50, 51].includes(index)) return [line, "skipped", "code_taken"];
  if (index === 120) return [line, "failed", "url_not_allowed"];
  return index === 130 ? [line, "failed", "code_reserved"] : [line, "created", undefined];
}

test("B137: of 250 rows each is told of, none overwrites, no boundary loses one, and a second run creates none", async ({
  expect,
}) => {
  const word = fresh();
  const standing = [`${word}-50`, `${word}-51`];
  for (const customCode of standing) await createLink(service, { customCode, longUrl: "https://example.com/standing" });
  const rows = Array.from({ length: 250 }, (_, index) => [`${word}-${index}`, `https://example.com/${index}`]);
  // Three that repeat an earlier one, across the boundaries of a hundred and within.
  rows[99] = [`${word}-5`, "https://example.com/again"];
  rows[100] = [`${word}-98`, "https://example.com/again"];
  rows[249] = [`${word}-248`, "https://example.com/again"];
  rows[120] = [`${word}-120`, "javascript:alert(1)"];
  rows[130] = ["dashboard", "https://example.com/reserved"];
  const file = csv([["code", "url"], ...rows]);

  const dry = await importFile(service, file, "?dryRun=true");
  expect(outcomes(dry)).toEqual(rows.map((_, index) => told(index)));
  const summary = { rows: 250, created: 243, skipped: 5, failed: 2, dryRun: true };
  expect(dry.end).toEqual({ summary, nextLine: null });
  expect((await see(service.api("GET", `/links?search=${word}-1`))).body).toEqual({ links: [], nextCursor: null });

  // By hundreds, as one would on the free plan.
  const parts: Report[] = [];
  for (let line: unknown = 1; line !== null; line = parts.at(-1)?.end["nextLine"]) {
    parts.push(await importFile(service, file, `?limit=100&fromLine=${Number(line)}`));
  }
  expect(parts.map(({ end }) => end["nextLine"])).toEqual([102, 202, null]);
  expect(parts.flatMap((part) => outcomes(part))).toEqual(rows.map((_, index) => told(index)));
  const skipped = parts.flatMap((part) => part.rows).filter(({ line }) => line === 52 || line === 101);
  expect(skipped[0]).toMatchObject({
    shortCode: standing[0],
    longUrl: "https://example.com/standing",
    id: expect.any(String),
  });
  expect(skipped[1]).toMatchObject({ shortCode: `${word}-5`, longUrl: "https://example.com/5" });
  for (const [code, longUrl] of [[standing[0], "https://example.com/standing"], rows[249 - 1] ?? [], rows[5] ?? []]) {
    expect(await visit(String(code))).toEqual({ status: 302, location: longUrl });
  }

  const again = await importFile(service, file);
  expect(again.end).toMatchObject({ summary: { rows: 250, created: 0, skipped: 248, failed: 2 }, nextLine: null });
});

test("a long file in one go loses no row at the boundaries of what is taken in at once", async ({ expect }) => {
  const word = fresh();
  const rows = Array.from({ length: 1701 }, (_, index) => [
    `https://example.com/${word}/${index}`,
    index % 2 === 0 ? "" : `${word}-${index}`,
  ]);
  const file = csv([["url", "slug"], ...rows]);
  const report = await importFile(service, file);
  expect(outcomes(report)).toEqual(rows.map((_, index) => [index + 2, "created", undefined]));
  expect(new Set(report.rows.map(({ shortCode }) => shortCode)).size).toBe(rows.length);
  // A row without a code is found again by the rule that a creation has.
  const again = await importFile(service, file);
  expect(again.end).toMatchObject({ summary: { created: 0, skipped: 1701 } });
  expect(again.rows.map(({ shortCode }) => shortCode)).toEqual(report.rows.map(({ shortCode }) => shortCode));
  const found = await see(service.api("POST", "/links", { longUrl: rows[0]?.[0] }));
  expect(found).toMatchObject({ status: 200, body: { shortCode: report.rows[0]?.["shortCode"] } });
});

const BOM = "\uFEFF";
const CODES = (word: string): string[] => [`${word}-a`, `${word}-b`];

test.for([
  ["a BOM", (text: string) => BOM + text],
  ["CRLF and no end", (text: string) => text.replaceAll("\n", "\r\n").trimEnd()],
  ["CR alone", (text: string) => text.replaceAll("\n", "\r")],
  ["a header in capitals and spaces", (text: string) => text.replace("url,slug", " URL , Slug ")],
  ["semicolons", (text: string) => text.replaceAll(",", ";")],
] as const)("B135: a file with %s is read whole, and its header is no row", async ([, write], { expect }) => {
  const [a = "", b = ""] = CODES(fresh());
  const file = write(`url,slug\nhttps://example.com/1,${a}\nhttps://example.com/2,${b}\n`);
  const report = await importFile(service, new TextEncoder().encode(file));
  expect(outcomes(report)).toEqual([
    [2, "created", undefined],
    [3, "created", undefined],
  ]);
  expect(await visit(b)).toEqual({ status: 302, location: "https://example.com/2" });
});

test("B135: UTF-16, a picture, JSON over several lines, an unknown header and nothing are refused as a whole", async ({
  expect,
}) => {
  const word = fresh();
  const text = `url,slug\nhttps://example.com/1,${word}\n`;
  const utf16 = new Uint8Array([0xff, 0xfe, ...Array.from(text, (unit) => [unit.charCodeAt(0), 0]).flat()]);
  const files = [utf16, new Uint8Array([0x89, 0x50, 0x4e, 0x47, 0, 1, 2, 3]), "[\n{\n", `a,b\n1,${word}\n`, ""];
  for (const file of files) {
    const seen = await sendFile(service, file);
    expect(seen).toMatchObject({ status: 400, body: { code: "invalid_request", instance: "/api/v1/import" } });
    expect(seen.headers["content-type"]).toBe("application/problem+json");
  }
  const form = await sendFile(service, text, "", { "Content-Type": "multipart/form-data; boundary=x" });
  expect(form).toMatchObject({ status: 415, body: { code: "unsupported_media_type" } });
  expect(await visit(word)).toMatchObject({ status: 404 });
});

test.for([
  ["", 1],
  [BOM, 1],
] as const)("B136: without a header %j every line is a row", async ([start, first], { expect }) => {
  const [a = "", b = ""] = CODES(fresh());
  const report = await importFile(service, `${start}${a},https://example.com/1\n${b},https://example.com/2\n`);
  expect(outcomes(report)).toEqual([
    [first, "created", undefined],
    [first + 1, "created", undefined],
  ]);
  expect(report.end).toMatchObject({ summary: { rows: 2, created: 2 } });
  expect(report.rows[0]?.["notes"]).toEqual([expect.stringContaining("no header")]);
  expect(await visit(a)).toEqual({ status: 302, location: "https://example.com/1" });
});

test("B138: the keywords 0, 007 and 1e3 of YOURLS stay text, and so do titles", async ({ expect }) => {
  const file = [
    "keyword,url,title,timestamp,ip,clicks",
    '0,https://example.com/zero,"A ""title"", quoted",2020-01-02 03:04:05,192.0.2.1,7',
    "007,https://example.com/bond,007,2020-01-02 03:04:05,192.0.2.1,0",
    "1e3,https://example.com/e,1e3,2020-01-02 03:04:05,192.0.2.1,1",
  ].join("\n");
  const report = await importFile(service, file, `?format=yourls&domain=${OTHER}`);
  expect(report.rows.map(({ shortCode, status }) => [shortCode, status])).toEqual([
    ["0", "created"],
    ["007", "created"],
    ["1e3", "created"],
  ]);
  for (const [code, title, clickCount] of [
    ["0", 'A "title", quoted', 7],
    ["007", "007", 0],
    ["1e3", "1e3", 1],
  ]) {
    const { body } = await see(service.api("GET", `/links/${String(code)}?domain=${OTHER}`));
    expect(body).toMatchObject({ shortCode: code, title, clickCount, createdAt: expect.stringMatching(/^2020-01-0/) });
  }
});

test("B233: of a row with a random and a chosen code the chosen one is used, and the other is told of", async ({
  expect,
}) => {
  const word = fresh();
  const file = csv([
    ["title", "long_url", "link", "custom_bitlinks"],
    ["A", "https://example.com/a", "https://bit.ly/3abcDEF", `https://bit.ly/${word}`],
    ["B", "https://example.com/b", `https://bit.ly/3${word}`, ""],
  ]);
  const report = await importFile(service, file, `?format=bitly&domain=${HOST}`);
  expect(report.rows).toMatchObject([
    { status: "created", domain: HOST, shortCode: word, notes: [expect.stringContaining("3abcDEF")] },
    { status: "created", domain: HOST, shortCode: `3${word}` },
  ]);
  expect(await visit(word)).toEqual({ status: 302, location: "https://example.com/a" });
  expect(await read("3abcDEF")).toMatchObject({ code: "not_found" });
});

test("B234: rows with 0 clicks, none told and an empty cell are links like others, and their figures are empty", async ({
  expect,
}) => {
  const word = fresh();
  const file = csv([
    ["shortCode", "longUrl", "clickCount"],
    [`${word}-a`, "https://example.com/", 0],
    [`${word}-b`, "https://example.com/", ""],
    [`${word}-c`, "https://example.com/"],
    [`${word}-d`, "https://example.com/", 12],
  ]);
  expect((await importFile(service, file)).end).toMatchObject({ summary: { created: 4 } });
  for (const [end, clickCount] of [
    ["a", 0],
    ["b", 0],
    ["c", 0],
    ["d", 12],
  ] as const) {
    expect(await read(`${word}-${end}`)).toMatchObject({ clickCount });
    const clicks = await see(service.api("GET", `/links/${word}-${end}/clicks`));
    expect(clicks).toMatchObject({ status: 200, body: { clicks: [], nextCursor: null } });
    // What another service counted has no day here.
    const stats = await see(service.api("GET", `/links/${word}-${end}/stats`));
    expect(stats).toMatchObject({ status: 200, body: { totals: { clicks: 0 } } });
  }
});

test("each row that cannot be is told why, in the words of the API, and the others are made", async ({ expect }) => {
  const word = fresh();
  const taken = await createLink(service, { customCode: fresh(), externalId: `taken-${word}` });
  const long = "https://example.com/";
  const rows: readonly (readonly [unknown, string | undefined])[] = [
    ["no object", "invalid_request"],
    [{ longUrl: "http://10.0.0.1/", shortCode: `${word}-1` }, "url_not_allowed"],
    [{ longUrl: `https://${OTHER}/loop`, shortCode: `${word}-2` }, "url_not_allowed"],
    [{ longUrl: long, shortCode: `${word}-3`, expiredUrl: "ftp://example.com/" }, "url_not_allowed"],
    [{ longUrl: long, shortCode: "a b" }, "invalid_code"],
    [{ longUrl: long, shortCode: "🦔" }, "invalid_code"],
    [{ longUrl: long, shortCode: "x".repeat(65) }, "invalid_code"],
    [{ longUrl: long, shortCode: "ext_1" }, "code_reserved"],
    [{ longUrl: long, shortCode: "API" }, "code_reserved"],
    [{ longUrl: long, shortCode: taken }, "code_taken"],
    [{ longUrl: long, shortCode: `${word}-4`, externalId: `taken-${word}` }, "external_id_taken"],
    [{ longUrl: long, shortCode: `${word}-5`, domain: "elsewhere.example.test" }, "invalid_request"],
    [{ longUrl: long, shortCode: `${word}-6`, redirectStatus: 303 }, "invalid_request"],
    [{ longUrl: long, shortCode: `${word}-7`, hasPassword: true }, "invalid_request"],
    [{ longUrl: long, shortCode: `${word}-8`, domain: OTHER, createdAt: "2001-02-03T04:05:06.789+01:00" }, undefined],
    [{ longUrl: long, shortCode: `${word}-8` }, undefined],
    [{ shortCode: `${word}-9` }, "invalid_request"],
  ];
  const report = await importFile(service, jsonl(rows.map(([row]) => row)), "?format=hop", JSON_LINES);
  expect(report.rows.map(({ line, code }) => [line, code])).toEqual(rows.map(([, code], index) => [index + 1, code]));
  for (const { status, detail, code } of report.rows.filter((row) => row["code"] !== undefined)) {
    expect([status, detail]).toEqual([code === "code_taken" ? "skipped" : "failed", expect.any(String)]);
  }
  expect(report.rows[5]).toMatchObject({
    shortCode: "🦔",
    errors: [{ path: "shortCode", message: expect.any(String) }],
  });
  expect(report.rows[13]).toMatchObject({ errors: [{ path: "password" }] });
  for (const end of [4, 5, 6, 7]) expect((await visit(`${word}-${end}`)).status).toBe(404);
  const { body } = await see(service.api("GET", `/links/${word}-8?domain=${OTHER}`));
  expect(body).toMatchObject({ createdAt: "2001-02-03T03:05:06.789Z", updatedAt: "2001-02-03T03:05:06.789Z" });
  // With a domain for what has none of ours, that row is one of it.
  const mapped = await importFile(service, jsonl([rows[11]?.[0]]), `?domain=${OTHER}`, JSON_LINES);
  expect(mapped.rows).toMatchObject([{ status: "created", domain: OTHER, shortCode: `${word}-5` }]);
  expect(await sendFile(service, jsonl([]), "?domain=elsewhere.example.test")).toMatchObject({ status: 400 });
});

test("a code of our own generator stays automatic with its id; one that no key of ours made is refused", async ({
  expect,
}) => {
  const longUrl = `https://example.com/${fresh()}`;
  const code = await createLink(service, { longUrl });
  const link = await read(code);
  await see(service.api("DELETE", `/links/${code}`));
  const made = Array.from(code).toReversed().join("");
  const file = jsonl([
    { longUrl, shortCode: code },
    { longUrl, shortCode: made },
    // On another domain the id is had already.
    { longUrl, shortCode: code, domain: OTHER, maxClicks: 5, clickCount: 4 },
  ]);
  const report = await importFile(service, file, "?format=hop", JSON_LINES);
  expect(report.rows).toMatchObject([
    { status: "created", id: fieldOf(link, "id") },
    { status: "failed", code: "invalid_code", detail: expect.stringContaining("CODE_KEYS") },
    { status: "created", domain: OTHER, shortCode: code },
  ]);
  expect(report.rows[2]?.["id"]).not.toBe(fieldOf(link, "id"));
  expect(await read(code)).toMatchObject({ type: "auto", id: fieldOf(link, "id") });
  // It was deleted a moment ago: the tombstone in the caches must not outlive its return.
  expect(await visit(code)).toEqual({ status: 302, location: longUrl });
});

test("a custom code that was deleted a moment ago leads again as soon as it is imported", async ({ expect }) => {
  const customCode = fresh();
  await createLink(service, { customCode });
  expect((await visit(customCode)).status).toBe(302);
  await see(service.api("DELETE", `/links/${customCode}`));
  expect((await visit(customCode)).status).toBe(404);
  await importFile(
    service,
    csv([
      ["url", "slug"],
      ["https://example.com/back", customCode],
    ]),
  );
  expect(await visit(customCode)).toEqual({ status: 302, location: "https://example.com/back" });
});

test("counts go on from where they were, also towards a limit, and erasing clicks takes only those that were here", async ({
  expect,
}) => {
  const [a = "", b = ""] = CODES(fresh());
  const file = jsonl([
    { longUrl: "https://example.com/", shortCode: a, clickCount: 100, lastClickAt: "2024-05-06T07:08:09Z" },
    { longUrl: "https://example.com/", shortCode: b, clickCount: 2, maxClicks: 3 },
  ]);
  await importFile(service, file, "", JSON_LINES);
  expect(await read(a)).toMatchObject({ clickCount: 100, lastClickAt: "2024-05-06T07:08:09.000Z" });
  expect((await visit(b)).status).toBe(302);
  expect((await visit(b)).status).toBe(410);
  await visit(a);
  await expect.poll(() => read(a), PATIENCE).toMatchObject({ clickCount: 101 });
  expect(await see(service.api("DELETE", `/links/${a}/clicks`))).toMatchObject({ status: 200, body: { erased: 1 } });
  expect(await read(a)).toMatchObject({ clickCount: 100 });
});

test("a password is brought along as its hash, by who may do everything, and no link is open that had one", async ({
  expect,
}) => {
  const tag = fresh();
  const code = await createLink(service, { customCode: `${tag}-secret`, password: "open sesame", tags: [tag] });
  const made = await see(service.api("POST", "/keys", { name: "reads", scopes: ["links:read"] }));
  const asReader = { Authorization: `Bearer ${String(fieldOf(made.body, "key"))}` };
  const files: string[] = [];
  for (const format of ["csv", "jsonl"]) {
    const query = `/api/v1/export?format=${format}&tag=${tag}`;
    const blind = await see(service.fetch(query, { headers: asReader }));
    expect(blind.status).toBe(200);
    expect(blind.text).not.toContain("pbkdf2");
    files.push(blind.text, (await exportFile(service, `?format=${format}&tag=${tag}`)).text);
  }
  await see(service.api("DELETE", `/links/${code}`));
  for (const [index, file] of files.entries()) {
    const report = await importFile(service, file, "?format=hop");
    if (index % 2 === 0) expect(report.rows).toMatchObject([{ status: "failed", errors: [{ path: "password" }] }]);
    else {
      expect(file).toContain("pbkdf2-sha256$");
      expect(report.rows).toMatchObject([{ status: "created", shortCode: code }]);
      expect(await read(code)).toMatchObject({ hasPassword: true });
      // Nobody is let through who is not asked first.
      expect(await visit(code)).toEqual({ status: 200, location: null });
      await see(service.api("DELETE", `/links/${code}`));
    }
  }
  const longUrl = "https://example.com/";
  const rows = [
    { longUrl, shortCode: `${tag}-1`, passwordHash: "$2b$12$bcrypt", hasPassword: true },
    { longUrl, shortCode: `${tag}-2`, password: "in clear" },
  ];
  const report = await importFile(service, jsonl(rows), "?format=hop", JSON_LINES);
  expect(report.rows).toMatchObject([{ status: "failed", errors: [{ path: "passwordHash" }] }, { status: "created" }]);
  expect(await read(`${tag}-2`)).toMatchObject({ hasPassword: true });
});

test("webhooks are told of no imported link, and of all that happens to it later", async ({ expect }) => {
  const hook = { url: "https://receiver.example.com/", events: ["link.created", "link.deleted"], domain: OTHER };
  const made = await see(service.api("POST", "/webhooks", hook));
  const id = String(fieldOf(made.body, "id"));
  const toldOf = () => ask(`SELECT type FROM webhook_deliveries WHERE webhook_id = '${id}' ORDER BY occurred_at`);
  try {
    const code = fresh();
    await importFile(
      service,
      csv([
        ["url", "slug"],
        ["https://example.com/", code],
      ]),
      `?domain=${OTHER}`,
    );
    expect(await toldOf()).toEqual([]);
    await createLink(service, { customCode: `${code}-2`, domain: OTHER });
    await see(service.api("DELETE", `/links/${code}?domain=${OTHER}`));
    expect(await toldOf()).toEqual([{ type: "link.created" }, { type: "link.deleted" }]);
  } finally {
    await see(service.api("DELETE", `/webhooks/${id}`));
  }
});

test("an Idempotency-Key is of no effect: nothing is held in memory or kept, and codes see to the rest", async ({
  expect,
}) => {
  const code = fresh();
  const headers = { "Idempotency-Key": `key-${code}` };
  const file = csv([
    ["url", "slug"],
    ["https://example.com/", code],
  ]);
  expect((await importFile(service, file, "", headers)).end).toMatchObject({ summary: { created: 1 } });
  expect((await importFile(service, file, "", headers)).end).toMatchObject({ summary: { skipped: 1 } });
  expect(await ask(`SELECT key FROM idempotency_keys WHERE key = 'key-${code}'`)).toEqual([]);
  // Larger than what is read ahead for a key; and what was passed over is not in the report.
  const large = `${file}\n${`https://example.com/${"x".repeat(1000)},${code}\n`.repeat(18_000)}`;
  const seen = await importFile(service, large, "?fromLine=18001", headers);
  expect(seen.rows).toMatchObject([
    { line: 18_001, status: "skipped" },
    { line: 18_002, status: "skipped" },
  ]);
});

test.for([
  ["POST", "/export", 405, "GET"],
  ["GET", "/import", 405, "POST"],
  ["POST", "/import?dryRun=1", 400, undefined],
  ["POST", "/import?fromLine=0", 400, undefined],
  ["POST", "/import?limit=50001", 400, undefined],
  ["POST", "/import?format=html", 400, undefined],
  ["POST", "/import?misspelt=1", 400, undefined],
] as const)("%s %s is %i", async ([method, path, status, allow], { expect }) => {
  const seen = await see(service.api(method, path, method === "POST" ? {} : undefined));
  expect(seen).toMatchObject({ status, headers: { "content-type": "application/problem+json" } });
  if (allow !== undefined) expect(seen.headers["allow"]).toContain(allow);
});
