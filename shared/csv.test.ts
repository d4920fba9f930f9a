/**
 * Whatever text is written as CSV can be read back, and none begins as a formula does.
 *
 * @module
 */
import fc from "fast-check";
import { test } from "vitest";
import { csvLine, harmlessText, plainText } from "./csv.ts";

test.for([
  ["=1", "'=1"],
  ["+1", "'+1"],
  ["-1", "'-1"],
  ["@A1", "'@A1"],
  [" =1", "' =1"],
  ["\t=1", "'\t=1"],
  ["\rx", "'\rx"],
  ["＝1", "'＝1"],
  ["'=1", "''=1"],
  ["'quoted'", "'quoted'"],
  ["a=1", "a=1"],
  ["", ""],
] as const)("B131: %j becomes %j, and comes back", ([text, written], { expect }) => {
  expect(harmlessText(text)).toBe(written);
  expect(plainText(written)).toBe(text);
});

test("B131: any text comes back, and another round adds nothing", ({ expect }) => {
  const start = fc.constantFrom("", "'", "''", "=", "'=", " '=", "\t", "\n'-");
  fc.assert(
    fc.property(start, fc.string({ unit: "binary" }), (begin, rest) => {
      const text = begin + rest;
      const written = harmlessText(text);
      expect(written).not.toMatch(/^\s*[=+\-@\t\r\n]/);
      expect(plainText(written)).toBe(text);
      expect(harmlessText(plainText(written))).toBe(written);
    }),
  );
});

test("B133: line breaks of any kind, quotes, delimiters and spaces at an end are quoted", ({ expect }) => {
  expect(csvLine(["a\rb", "a\nb", 'a"b', "a,b", "a;b", " lead", "trail ", "a\tb", "plain", ""])).toBe(
    '"a\rb","a\nb","a""b","a,b","a;b"," lead","trail ","a\tb",plain,\r\n',
  );
});
