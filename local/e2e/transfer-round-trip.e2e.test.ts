/**
 * What is exported and imported into a service that is empty is exported again as the same bytes.
 *
 * @module
 */
import { neon, neonConfig } from "@neondatabase/serverless";
import { afterAll, beforeAll, inject, test } from "vitest";
import { parseJson } from "../../shared/json.ts";
import { createLink, fieldOf, see, type Service, startService, stranger } from "./service.ts";
import { exportFile, importFile } from "./transfer-files.ts";

const HOST = "round-trip.example.test";
const OTHER = "round-trip-2.example.test";
const HERE = "https://example.com";
const LINKS = 2000;
/** On a machine that does much else. */
const PATIENCE = { timeout: 240_000 };

let service: Service;

beforeAll(async () => {
  service = await startService(HOST, { DOMAINS: `${HOST},${OTHER}` });
});
afterAll(() => service.stop());

/** Runs SQL beside the service. */
function ask(sql: string): Promise<readonly Record<string, unknown>[]> {
  const { databaseUrl, databaseEndpoint } = inject("stack");
  neonConfig.fetchEndpoint = databaseEndpoint;
  return neon(databaseUrl, { disableWarningInBrowsers: true }).query(sql);
}

const NASTY = [
  "=HYPERLINK(1)",
  "+1",
  "-1+2",
  "@SUM(A1)",
  "\tTab",
  "'quoted",
  "''=x",
  " =space",
  'a "quote", a comma',
  "two\r\nlines",
  "one\nline",
  "one\rreturn",
  "trailing ",
  "ünïcödé 🦔",
  "＝full width",
];

/** A link of some kind or other: together they have everything that a link can have. */
function bodyOf(index: number): Readonly<Record<string, unknown>> {
  const codes = [
    `größe-${index}`,
    `漢字${index}`,
    `A.b_${index}`,
    `a.b_${index}`,
    String(index).padStart(5, "0"),
    `1e${index}`,
  ];
  return {
    longUrl: `https://example.com/${index}?q=%20a+b&ü=ö#frag,"'`,
    domain: index % 5 === 0 ? OTHER : HOST,
    ...(index % 3 === 0 ? {} : { customCode: codes[index % codes.length] }),
    ...(index % 4 === 0 ? { externalId: `=id:${index}/ö` } : {}),
    ...(index % 2 === 0 ? { title: NASTY[index % NASTY.length] } : {}),
    ...(index % 7 === 0
      ? { tags: ["a,b", `=t${index % 3}`, '"q"', "[x"], notes: `${NASTY[index % NASTY.length]}\r\n\r\nend` }
      : {}),
    ...(index % 11 === 0
      ? { metadata: { z: 1, a: [null, 1.5, { __proto__x: "x", "=k": '"' }], big: 12345678901, ["__proto__"]: 1 } }
      : {}),
    ...(index % 13 === 0 ? { redirectStatus: 301, forwardQuery: true, forwardPath: true } : {}),
    ...(index % 17 === 0 ? { expireAt: "2024-01-01T00:00:00.001Z", expiredUrl: "https://example.com/over?=1" } : {}),
    ...(index % 19 === 0 ? { validSince: "2030-02-28T23:59:59.999+05:30" } : {}),
    ...(index % 23 === 0 ? { maxClicks: index + 1 } : {}),
    ...(index % 29 === 0 ? { disabled: true } : {}),
    ...(index % 401 === 0 ? { password: "open sesame" } : {}),
    // A few are the same but for their code.
    ...(index % 31 === 0 ? { longUrl: "https://example.com/same", unique: true } : {}),
  };
}

/** What a service has after some years: dates and counts that no call can set. */
async function age(): Promise<void> {
  await ask(`UPDATE short_links SET
      created_at = timestamptz '2019-03-01T00:00:00.123Z' + (id % 1000000) * interval '1 minute',
      updated_at = timestamptz '2023-03-01T00:00:00.007Z' + (id % 10000) * interval '1 minute',
      click_count = CASE WHEN id % 3 = 0 THEN 0 ELSE id % 100000 END,
      last_click_at = CASE WHEN id % 3 = 0 THEN NULL ELSE timestamptz '2025-01-01T00:00:00.5Z' END
    WHERE domain IN ('${HOST}', '${OTHER}')`);
}

/** The files of both domains, since others share the database. */
async function exportBoth(format: string): Promise<readonly string[]> {
  const files: string[] = [];
  for (const domain of [HOST, OTHER]) {
    const seen = await exportFile(service, `?format=${format}&domain=${domain}`);
    if (seen.status !== 200) throw new Error(`no export: ${seen.status}`);
    files.push(seen.text);
  }
  return files;
}

const empty = () => ask(`DELETE FROM short_links WHERE domain IN ('${HOST}', '${OTHER}')`);
const rowsOf = () =>
  ask(`SELECT short_code, type, long_url, id::text FROM short_links
    WHERE domain IN ('${HOST}', '${OTHER}') ORDER BY domain COLLATE "C", short_code COLLATE "C"`);

async function fill(): Promise<void> {
  const bodies = Array.from({ length: LINKS }, (_, index) => bodyOf(index + 1));
  for (let from = 0; from < LINKS; from += 800) {
    const seen = await see(service.api("POST", "/links/bulk", bodies.slice(from, from + 800)));
    const results: unknown = fieldOf(seen.body, "results");
    const failed = Array.isArray(results) ? results.filter((one) => fieldOf(one, "status") !== 201) : [seen.text];
    if (failed.length > 0) throw new Error(`not made: ${JSON.stringify(failed.slice(0, 3))}`);
  }
  await age();
}

test.for(["csv", "jsonl"])(
  "B133, B138: as %s, thousands of links of every kind come back as the same bytes, and lead where they led",
  PATIENCE,
  async (format, { expect }) => {
    await empty();
    await fill();
    const rows = await rowsOf();
    const files = await exportBoth(format);
    expect(files.flatMap((file) => file.match(format === "csv" ? /^round-trip/gm : /^\{/gm) ?? [])).toHaveLength(LINKS);

    await empty();
    const headers = { "Content-Type": format === "csv" ? "text/csv; charset=utf-8" : "application/x-ndjson" };
    const created: unknown[] = [];
    for (const file of files) {
      const { rows: told, end } = await importFile(service, file, "", headers);
      expect(told.filter(({ status, notes }) => status !== "created" || notes !== undefined)).toEqual([]);
      expect(end).toMatchObject({ summary: { rows: told.length, created: told.length }, nextLine: null });
      created.push(...told);
    }
    expect(created).toHaveLength(LINKS);
    const second = await exportBoth(format);
    expect(second.map((file, index) => file === files[index])).toEqual([true, true]);

    // Automatic links keep their ids, which their codes are made of; the others have new ones.
    const after = await rowsOf();
    expect(after.map(({ short_code, type }) => [short_code, type])).toEqual(
      rows.map(({ short_code, type }) => [short_code, type]),
    );
    for (const [index, row] of after.entries()) {
      if (row["type"] === "auto") expect(row["id"]).toBe(rows[index]?.["id"]);
    }
    for (const index of [1, 6]) {
      const { short_code: code } = after.find(({ long_url: url }) => String(url).startsWith(`${HERE}/${index}?`)) ?? {};
      const visit = await service.fetch(`/${encodeURIComponent(String(code))}`, { headers: stranger() });
      expect([visit.status, visit.headers.get("location")?.startsWith(`${HERE}/${index}?`)]).toEqual([302, true]);
    }

    for (const file of second) {
      const { end } = await importFile(service, file, "", headers);
      expect(end).toMatchObject({ summary: { created: 0, failed: 0 }, nextLine: null });
    }
    const third = await exportBoth(format);
    expect(third.map((file, index) => file === files[index])).toEqual([true, true]);
  },
);

test("an automatic link that was imported is the one that a creation with the same settings finds", async ({
  expect,
}) => {
  await empty();
  const longUrl = "https://example.com/found-again";
  const code = await createLink(service, { longUrl, unique: false });
  const { text } = await exportFile(service, `?domain=${HOST}`);
  await empty();
  expect((await importFile(service, text)).end).toMatchObject({ summary: { created: 1 } });
  const found = await see(service.api("POST", "/links", { longUrl }));
  expect(found).toMatchObject({ status: 200, body: { shortCode: code } });
});

test(
  "an export that was cut off goes on behind the last link that arrived, and one of a limit ends there",
  PATIENCE,
  async ({ expect }) => {
    await empty();
    await fill();
    const whole = await exportFile(service, `?format=jsonl&domain=${HOST.toUpperCase()}`);
    const lines = whole.text.split("\n").slice(0, -1);
    const parts: string[] = [];
    for (let after = ""; ;) {
      const part = await exportFile(service, `?format=jsonl&domain=${HOST}&limit=700${after}`);
      if (part.text === "") break;
      parts.push(part.text);
      const last = parseJson(part.text.split("\n").at(-2) ?? "");
      after = `&after=${encodeURIComponent(`${HOST}/${String(fieldOf(last, "shortCode"))}`)}`;
    }
    expect(parts.map((part) => part.split("\n").length - 1)).toEqual([700, 700, 200]);
    expect(parts.join("") === whole.text).toBe(true);

    const csv = await exportFile(service, `?domain=${HOST}`);
    const rest = await exportFile(service, `?domain=${HOST}&after=${HOST}/a`);
    expect(rest.text.startsWith(HOST)).toBe(true);
    expect(csv.text.endsWith(rest.text)).toBe(true);
    const tags = `tag=${encodeURIComponent("a,b")}&tag=${encodeURIComponent("=t1")}`;
    const tagged = await exportFile(service, `?format=jsonl&domain=${HOST}&${tags}`);
    expect(tagged.text).toBe(`${lines.filter((line) => line.includes('["a,b","=t1"')).join("\n")}\n`);
  },
);
