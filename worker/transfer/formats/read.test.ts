/**
 * Files as people have them: every line end, delimiter and encoding, and rows that are broken.
 *
 * @module
 */
import fc from "fast-check";
import { describe, test } from "vitest";
import { linksIn, rowsIn } from "./fixture.ts";
import { FileRefused, FORMAT_NAMES, type ImportedRow } from "./format.ts";
import { csvHeader } from "./hop.ts";
import { ROW_MAX_BYTES } from "./lines.ts";

const A = "https://example.com/a";
const B = "https://example.com/b";
const bytesOf = (...parts: readonly (string | readonly number[])[]) =>
  new Uint8Array(parts.flatMap((part) => (typeof part === "string" ? [...new TextEncoder().encode(part)] : part)));
const utf16 = (text: string) => Array.from(text).flatMap((character) => [character.charCodeAt(0), 0]);
const pairs = (rows: readonly ImportedRow[]) =>
  rows.map((row) => (row.kind === "link" ? `${row.link.longUrl} ${row.link.shortCode ?? "-"}` : `refused ${row.line}`));
const TWO = [`${A} a`, `${B} b`];

describe("a table", () => {
  test("B135: every row is read with a BOM, CRLF, CR alone, no last line end, another case, extra spaces, empty lines", async ({
    expect,
  }) => {
    const files = [
      bytesOf([0xef, 0xbb, 0xbf], `url,slug\n${A},a\n${B},b\n`),
      `url,slug\r\n${A},a\r\n${B},b\r\n`,
      `url,slug\r${A},a\r${B},b\r`,
      `url,slug\n${A},a\n${B},b`,
      `URL,Slug\n${A},a\n${B},b\n`,
      `  url  ,  slug \n${A} , a\n${B},b \n`,
      `"url" , "slug"\n"${A}", "a"\n"${B}" ,b\n`,
      `\n\nurl,slug\n\n${A},a\n,\n${B},b\n\n`,
      `url;slug\n${A};a\n${B};b\n`,
      `url\tslug\n${A}\ta\n${B}\tb\n`,
      `sep=;\r\nurl;slug\r\n${A};a\r\n${B};b\r\n`,
      `slug,title,url,unknown\na,,${A}\nb,,${B},,,\n`,
      `url,slug\r\n${A},a\n${B},b\r`,
    ];
    for (const file of files) expect(pairs(await rowsIn(file))).toEqual(TWO);
  });

  test("B135: UTF-16 and files that are no text are refused with a message that says what to do", async ({
    expect,
  }) => {
    const files = [
      [bytesOf([0xff, 0xfe], utf16(`url,slug\n${A},a\n`)), /UTF-16.*UTF-8/],
      [bytesOf([0xfe, 0xff], [0], utf16(`url,slug\n${A},a\n`)), /UTF-16.*UTF-8/],
      [bytesOf(utf16(`url,slug\n${A},a\n`)), /not text in UTF-8/],
      [bytesOf("PK", [3, 4, 20, 0]), /Excel workbook/],
      [bytesOf([0x1f, 0x8b, 8, 0]), /compressed/],
      [bytesOf("url,\xfct", [0xfc], "\n"), /not text in UTF-8/],
      [bytesOf(""), /empty/],
      [bytesOf("\n\n"), /empty/],
      [bytesOf("name,price\nx,1\n"), /no column.*name, price/],
      [bytesOf('{\n "links": [\n'), /jq/],
      [bytesOf(`url${",".repeat(1000)}\n`), /1000 columns/],
      [bytesOf("x".repeat(ROW_MAX_BYTES + 1)), /longer/],
    ] as const;
    for (const [file, message] of files) {
      for (const size of [1 << 20, 1 << 12, 1]) {
        if (size === 1 && file.length > 1000) continue;
        const refusal = await rowsIn(file, {}, [size]).catch((error: unknown) => error);
        expect(refusal).toBeInstanceOf(FileRefused);
        expect(String(refusal)).toMatch(message);
      }
    }
  });

  test("B136: as many links are read as there are rows of data, with a header, a BOM, both or neither", async ({
    expect,
  }) => {
    const bom = "\u{feff}";
    const files: readonly (readonly [string, number])[] = [
      [`url,slug\n${A},a\n${B},b\n`, 0],
      [`${bom}url,slug\n${A},a\n${B},b\n`, 0],
      [`${bom}"url","slug"\n${A},a\n${B},b\n`, 0],
      [`a,${A}\nb,${B}\n`, 1],
      [`${bom}a,${A}\nb,${B}`, 1],
      [`a;${A}\r\nb;${B}`, 1],
    ];
    for (const [file, untold] of files) {
      const links = await linksIn(file);
      expect(links.map(({ longUrl, shortCode }) => `${longUrl} ${shortCode}`)).toEqual(TWO);
      expect(links.filter(({ notes }) => notes.some((note) => /no header/.test(note)))).toHaveLength(untold);
    }
    expect(pairs(await rowsIn(`${bom}${A}\n${B}\n`))).toEqual([`${A} -`, `${B} -`]);
  });

  test("a list of URLs without a header takes no part of a URL for a code", async ({ expect }) => {
    expect(pairs(await rowsIn(`${A}\n${B},2\n"${B},2"\n`))).toEqual([`${A} -`, "refused 2", `${B},2 -`]);
    await expect(rowsIn(`a,b,${A}\n`)).rejects.toThrow(FileRefused);
  });

  test("a table of one column has whole lines, since URLs may have commas", async ({ expect }) => {
    expect(pairs(await rowsIn(`url\n${A},1;2\n"${B},2"\n`))).toEqual([`${A},1;2 -`, `${B},2 -`]);
  });

  test("B233: a chosen code wins over a random id beside it, which is told", async ({ expect }) => {
    for (const header of ["id,custom slug,url", "hash,slug,url", "id,alias,url", "ID,Custom_Slug,URL"]) {
      const [link] = await linksIn(`${header}\nx7Kq2,spring,${A}\n`);
      expect(link?.shortCode).toBe("spring");
      expect(link?.notes.join()).toContain("x7Kq2");
    }
  });

  test("B234: rows with 0, no or missing clicks are read, and what is no count is told", async ({ expect }) => {
    const links = await linksIn(`url,slug,clicks\n${A},a,0\n${A},b,\n${A},c\n${A},d,7\n${A},e,"1,234"\n${A},f,many\n`);
    expect(links.map(({ clickCount }) => clickCount)).toEqual([0, undefined, undefined, 7, 1234, undefined]);
    expect(links.at(-1)?.notes).toEqual(["clicks was left out: “many” is no count."]);
  });

  test("what a row says of names is short, however many and long they are", async ({ expect }) => {
    const names = Array.from({ length: 900 }, (_, index) => `${"x".repeat(100)}${index}`);
    const [link] = await linksIn(`url,${names.join(",")}\n${A},${names.map(() => "1").join(",")}\n`);
    expect(link?.notes).toHaveLength(1);
    expect(link?.notes[0]).toMatch(/^Hop has no place for: x{60}…, .* and 880 more\.$/);
  });

  test("a row with more columns than the header is refused, since its values may have slipped", async ({ expect }) => {
    const rows = await rowsIn(`url,title\n${A},one, two\n${B},ok\n`);
    expect(rows[0]).toMatchObject({ kind: "refused", line: 2 });
    expect(rows[1]).toMatchObject({ kind: "link", line: 3 });
  });
});

describe("a broken row", () => {
  const header = "url,slug,title\n";

  test("text that is not UTF-8 spoils its row alone", async ({ expect }) => {
    const file = bytesOf(header, `${A},a,`, [0xe4, 0x20], "x\n", `${B},b,"one\n`, [0xff], `"\n${B},c,�\n`);
    for (const size of [1000, 7, 1]) {
      expect(pairs(await rowsIn(file, {}, [size]))).toEqual(["refused 2", "refused 3", `${B} c`]);
    }
  });

  test("a quote that nothing closes costs its row alone, up to the end of the file", async ({ expect }) => {
    const rows = await rowsIn(`${header}${A},a,"open\n${B},b,x\n${B},c,x\n`);
    expect(pairs(rows)).toEqual(["refused 2", `${B} b`, `${B} c`]);
    expect(rows[0]).toMatchObject({ message: expect.stringMatching(/not closed/) });
  });

  test("a quote closed rows later by another row's quote costs its row alone", async ({ expect }) => {
    const rows = await rowsIn(`${header}${A},a,"open\n${B},b,x\n${B},c,"fine"\n${B},d,"fi""ne"\n`);
    expect(pairs(rows)).toEqual(["refused 2", `${B} b`, `${B} c`, `${B} d`]);
  });

  test("a quote that stays open is given up after a limit, in a file of any size", async ({ expect }) => {
    const row = `${B},b,${"x".repeat(1000)}\n`;
    const rows = await rowsIn(`${header}${A},a,"open\n${row.repeat(3000)}`, {}, [65_536]);
    expect(rows).toHaveLength(3001);
    expect(rows.filter(({ kind }) => kind === "refused").map(({ line }) => line)).toEqual([2]);
  });

  test("a file made of quotes that never fit is read in time, and nothing is lost untold", async ({ expect }) => {
    // Each line closes the quote of the line before and opens one: reading again from each would take days.
    const lines = 600_000;
    const rows = await rowsIn(`${header}${'x","\n'.repeat(lines)}`, {}, [65_536]);
    expect(rows.every(({ kind }) => kind === "refused")).toBe(true);
    let told = 1;
    for (const row of rows) {
      expect(row.line).toBe(told + 1);
      const until = row.kind === "refused" ? /up to (\d+) were left out/.exec(row.message)?.[1] : undefined;
      told = until === undefined ? row.line : Number(until);
    }
    expect(told).toBe(lines + 1);
  });

  test("a line that is too long is refused and read past, whatever the chunks", async ({ expect }) => {
    for (const end of ["\n", "\r\n", "\r"]) {
      const long = `${A},a,${"x".repeat(ROW_MAX_BYTES)}${end}${B},b,x${end}`;
      for (const size of [1 << 22, 65_536, 8191]) {
        const rows = await rowsIn(`url,slug,title${end}${long}`, {}, [size]);
        expect(pairs(rows)).toEqual(["refused 2", `${B} b`]);
      }
    }
  });

  test("a line of JSON that is none, or no object, or has no destination, is refused alone", async ({ expect }) => {
    const rows = await rowsIn(
      `{"longUrl":"${A}"}\n{"longUrl":\n7\n\n{"title":"x"}\n{"longUrl":"${B}","shortCode":"007"}\n`,
    );
    expect(pairs(rows)).toEqual([`${A} -`, "refused 2", "refused 3", "refused 5", `${B} 007`]);
  });
});

describe("a list on one line", () => {
  test("counts as its objects, all on that line, up to a thousand", async ({ expect }) => {
    const object = { longUrl: A };
    const rows = await rowsIn(`${JSON.stringify([object, object])}\n${JSON.stringify({ links: [object] })}\n[]\n`);
    expect(rows.map(({ kind, line }) => `${kind} ${line}`)).toEqual(["link 1", "link 1", "link 2"]);
    const many = await rowsIn(JSON.stringify(Array.from({ length: 1001 }, () => object)));
    expect(many).toMatchObject([{ kind: "refused", line: 1, message: expect.stringMatching(/jq/) }]);
  });
});

describe("chunks", () => {
  const file = `\u{feff}url;slug;title\r\n${A};a;"ä😀""\r\n\r;"\r\n\r\n${B};b;\r'\n"x`;

  test("a file cut anywhere is the same file", async ({ expect }) => {
    const whole = await rowsIn(file);
    expect(pairs(whole)).toEqual([`${A} a`, `${B} b`, "' -", "refused 8"]);
    const { length } = new TextEncoder().encode(file);
    for (let cut = 1; cut < length; cut += 1) expect(await rowsIn(file, {}, [cut, length])).toEqual(whole);
    for (const size of [1, 2, 3, 5]) expect(await rowsIn(file, {}, [size])).toEqual(whole);
  });

  test("whatever the bytes, a file is read or refused with a message", async ({ expect }) => {
    const heads = ["url,slug\n", "keyword\turl\n", csvHeader(), '{"longUrl":"https://example.com/"}\n', "[", ""];
    const bytes = fc.oneof(fc.uint8Array({ maxLength: 200 }), fc.string({ unit: "binary", maxLength: 100 }));
    const json = fc.dictionary(
      fc.constantFrom("url", "longUrl", "tags", "meta", "geo", "target", "keyword"),
      fc.jsonValue(),
    );
    const body = fc.oneof(
      bytes,
      fc.array(json).map((objects) => objects.map((object) => JSON.stringify(object)).join("\n")),
    );
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...heads),
        body,
        fc.option(fc.constantFrom(...FORMAT_NAMES)),
        async (head, rest, format) => {
          const sent = bytesOf(head, typeof rest === "string" ? rest : [...rest]);
          const outcome = await rowsIn(sent, { format: format ?? undefined }).catch((error: unknown) => error);
          if (!Array.isArray(outcome)) expect(outcome).toBeInstanceOf(FileRefused);
        },
      ),
      { numRuns: 500 },
    );
  });

  test("any text cut in any places is read the same, and every line that is not empty is told of", async ({
    expect,
  }) => {
    const text = fc.string({ unit: fc.constantFrom(...Array.from("\"'\r\n,; a=ä😀\u{feff}"), A), maxLength: 60 });
    await fc.assert(
      fc.asyncProperty(text, fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1 }), async (body, sizes) => {
        const rows = await rowsIn(`url,slug\n${body}`, {}, [1 << 20]);
        expect(await rowsIn(`url,slug\n${body}`, {}, sizes)).toEqual(rows);
        const lines = rows.map(({ line }) => line);
        expect(lines).toEqual([...new Set(lines)].toSorted((a, b) => a - b));
      }),
    );
  });
});
