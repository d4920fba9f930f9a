/**
 * What an export writes, an import reads: the same link, byte for byte, and nothing that a spreadsheet runs.
 *
 * @module
 */
import fc from "fast-check";
import { describe, test } from "vitest";
import { linksIn, rowsIn } from "./fixture.ts";
import type { ExportedLink, ImportedLink } from "./format.ts";
import { csvHeader, csvRow, jsonlRow } from "./hop.ts";

const PLAIN: ExportedLink = {
  domain: "go.example.com",
  shortCode: "spring",
  longUrl: "https://example.com/landing?a=1,2#top",
  type: "custom",
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
  rules: [],
  disabled: false,
  hasPassword: false,
  clickCount: 0,
  lastClickAt: null,
  createdAt: "2026-01-02T03:04:05.006Z",
  updatedAt: "2026-01-02T03:04:05.006Z",
};

const FULL: ExportedLink = {
  ...PLAIN,
  externalId: "crm-7",
  title: "Früh, „spät“; 😀",
  tags: ["spring, sale", "a|b", '"quoted"', "[x]"],
  notes: "two\nlines\tand a tab",
  metadata: { campaign: { id: 7, list: [1, "2", null], deep: { __proto__x: "=1+1" } } },
  redirectStatus: 308,
  forwardQuery: true,
  forwardPath: true,
  validSince: "2026-02-01T00:00:00.000Z",
  expireAt: "2027-02-01T00:00:00.000Z",
  expiredUrl: "https://example.com/over",
  maxClicks: 100,
  rules: [{ if: { device: ["ios"], country: ["DE"] }, then: { longUrl: "https://apps.example.com/1" } }],
  disabled: true,
  hasPassword: true,
  passwordHash: "pbkdf2$1$c2FsdA==$aGFzaA==",
  clickCount: 1234,
  lastClickAt: "2026-03-01T12:00:00.000Z",
};

const csvOf = (...links: readonly ExportedLink[]) => csvHeader() + links.map(csvRow).join("");

/** What an import has to say of an exported link; fields at their default may be left out. */
function told(link: ExportedLink): Partial<ImportedLink> {
  const { domain, shortCode, longUrl, type, hasPassword, passwordHash, clickCount, ...others } = link;
  const { lastClickAt, createdAt, updatedAt, ...settings } = others;
  return {
    domain,
    shortCode,
    longUrl,
    type,
    hasPassword,
    passwordHash,
    clickCount,
    lastClickAt: lastClickAt === null ? undefined : Date.parse(lastClickAt),
    createdAt: Date.parse(createdAt),
    updatedAt: Date.parse(updatedAt),
    settings: Object.fromEntries(
      Object.entries(settings).filter(
        ([, value]) => value !== null && JSON.stringify(value) !== "[]" && JSON.stringify(value) !== "{}",
      ),
    ),
    notes: [],
  };
}

/** JSON has no negative zero. */
function withoutNegativeZero(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value));
}

/** The cells of one CSV line that holds no quoted line break, by a reader of a few lines that knows nothing of ours. */
function cellsOf(row: string): readonly string[] {
  return [...row.matchAll(/(?:^|,)(?:"((?:[^"]|"")*)"|([^,"\r\n]*))/g)].map(
    ([, quoted, bare]) => quoted?.replaceAll('""', '"') ?? bare ?? "",
  );
}

const FORMULAS = [
  '=HYPERLINK("http://evil.example")',
  "+1+1",
  "-2+3",
  "@SUM(A1)",
  "\t=1",
  "\r=1",
  " =1",
  "＝1",
  "+49 30 1234",
];

describe("a formula", () => {
  test("B131: formula cells are neutralised, and come back without the quote", async ({ expect }) => {
    const links = FORMULAS.map((title) => ({ ...PLAIN, title, notes: title }));
    for (const link of links) {
      const cells = cellsOf(csvRow(link));
      expect(cells.filter((cell) => /^\s*[=+\-@＝\t\r]/.test(cell))).toEqual([]);
      expect(cells).toContain(`'${link.title}`);
    }
    expect((await linksIn(csvOf(...links))).map(({ settings }) => settings["title"])).toEqual(FORMULAS);
  });

  test("B131: the quote does not grow over five exports and imports, and a quote of one's own stays", async ({
    expect,
  }) => {
    const titles = [...FORMULAS, ...FORMULAS.map((title) => `'${title}`), "''=1", "'plain", "'", "''"];
    let links: readonly ExportedLink[] = titles.map((title) => ({ ...PLAIN, title }));
    const first = csvOf(...links);
    for (let round = 0; round < 5; round += 1) {
      const read = await linksIn(csvOf(...links));
      links = read.map(({ settings }) => ({ ...PLAIN, title: String(settings["title"]) }));
      expect(csvOf(...links)).toBe(first);
    }
    expect(links.map(({ title }) => title)).toEqual(titles);
  });

  test("codes that look like numbers or formulas stay text", async ({ expect }) => {
    const codes = ["0", "007", "1e3", "-x", "1-2", "TRUE", "null"];
    const read = await linksIn(csvOf(...codes.map((shortCode) => ({ ...PLAIN, shortCode }))));
    expect(read.map(({ shortCode }) => shortCode)).toEqual(codes);
  });
});

describe("a round trip", () => {
  test("B133: titles with every kind of line break, quotes and spaces are identical", async ({ expect }) => {
    const titles = ["a\rb", "a\r\nb", "a\nb", 'a"b', "a,b", " lead", "trail ", "a;b", "a\tb", "", "\n", '"'];
    const links = titles.map((title) => ({ ...PLAIN, title: title === "" ? null : title }));
    const read = await linksIn(csvOf(...links));
    expect(read.map(({ settings }) => settings["title"] ?? "")).toEqual(titles);
  });

  test("a link with nothing set, and one with everything set, come back whole from CSV and JSON Lines", async ({
    expect,
  }) => {
    for (const link of [PLAIN, FULL]) {
      expect(await linksIn(csvOf(link))).toEqual([told(link)]);
      expect(await linksIn(jsonlRow(link), { contentType: "application/jsonl" })).toEqual([told(link)]);
    }
  });

  test("any text in any field comes back from CSV and JSON Lines", async ({ expect }) => {
    const text = fc.string({
      unit: fc.constantFrom(...Array.from(`'"=+-@,;|\t\r\n a[{}]\\é😀＝`)),
      minLength: 1,
      maxLength: 12,
    });
    const link = fc
      .record({
        title: fc.option(text),
        notes: fc.option(text),
        externalId: fc.option(text),
        tags: fc.uniqueArray(text, { maxLength: 3 }),
        metadata: fc.dictionary(text, fc.jsonValue({ maxDepth: 2 }).map(withoutNegativeZero), { maxKeys: 3 }),
        maxClicks: fc.option(fc.integer({ min: 1, max: 2 ** 31 - 1 })),
        disabled: fc.boolean(),
      })
      .map((fields) => ({ ...PLAIN, ...fields }));
    await fc.assert(
      fc.asyncProperty(fc.array(link, { minLength: 1, maxLength: 4 }), async (links) => {
        const wanted = links.map(told);
        expect(await linksIn(csvOf(...links))).toEqual(wanted);
        expect(await linksIn(links.map(jsonlRow).join(""))).toEqual(wanted);
      }),
    );
  });

  test("an answer of GET /links is read, and fields that Hop does not know are told", async ({ expect }) => {
    const answer = {
      links: [{ ...FULL, id: "1", shortUrl: "https://go.example.com/spring", colour: "red" }],
      nextCursor: null,
    };
    const [row] = await rowsIn(JSON.stringify(answer));
    expect(row).toMatchObject({
      kind: "link",
      line: 1,
      link: { shortCode: "spring", notes: ["Hop has no place for: colour."] },
    });
  });
});
