/**
 * What is shown equals what came, but for its placeholders: every other difference is found.
 *
 * @module
 */
import { describe, test } from "vitest";
import { differenceOf } from "./answer.ts";

const HTTP =
  "HTTP/1.1 302 Found\r\nContent-Length: 0\r\nLocation: https://example.com/?a=1\r\nX-Request-Id: 7f-1\r\n\r\n";
const HTTP_JSON = 'HTTP/1.1 410 Gone\r\nContent-Type: application/problem+json\r\n\r\n{"status":410,"code":"gone"}';

const SAME: readonly (readonly [language: string, shown: string, real: string])[] = [
  ["text", "201", "201\n"],
  ["text", "", ""],
  ["text", "a … c\nd", "a b c\r\nd\r\n"],
  ["text", "…\nready (1)\n…", "one\ntwo\nready (1)\nmore\n"],
  ["text", "a\n…\nb", "a\nb\n"],
  ["json", '{ "id": "…", "n": 1, "tags": ["a"] }', '{"tags":["a"],"n":1,"id":"42"}'],
  ["json", '{ "at": "…", "…": "…" }', '{"at":null,"x":1,"y":{}}'],
  ["json", '{ "url": "http://h/…" }', '{"url":"http://h/3Bz"}'],
  ["http", "HTTP/1.1 302 Found\nlocation: https://example.com/?a=1\n…", HTTP],
  ["http", "HTTP/1.1 302 Found\nX-Request-Id: …\nLocation: https://example.com/?a=1\nContent-Length: 0", HTTP],
  ["http", 'HTTP/1.1 410 Gone\n…\n\n{ "code": "gone", "…": "…" }', HTTP_JSON],
];

const DIFFERENT: readonly (readonly [language: string, shown: string, real: string, difference: string])[] = [
  ["text", "201", "200\n", "200"],
  ["text", "a", "a\nb\n", "b"],
  ["text", "a.c", "abc", "abc"],
  ["text", "a …", "b c", "b c"],
  ["json", '{ "n": 1 }', '{"n":2}', ".n is 2, not 1."],
  ["json", '{ "n": 1 }', '{"n":"1"}', '.n is "1", not 1.'],
  ["json", '{ "n": 1 }', '{"n":1,"m":2}', ".m is not shown."],
  ["json", '{ "n": 1, "…": "…" }', '{"m":2}', ".n is not there."],
  ["json", '{ "id": "…" }', "{}", ".id is not there."],
  ["json", '{ "l": [{ "a": 1 }] }', '{"l":[{"a":2}]}', ".l[0].a is 2, not 1."],
  ["json", "[1]", "[1,2]", "2 items"],
  ["json", '{ "url": "http://h/…" }', '{"url":"https://h/3Bz"}', "http"],
  ["json", "{}", "<html>", "did not answer JSON"],
  ["json", "{", "{}", "not JSON"],
  ["http", "HTTP/1.1 301 Moved\n…", HTTP, "302 Found"],
  ["http", "HTTP/1.1 302 Found\nLocation: https://example.com/\n…", HTTP, "is not there"],
  ["http", "HTTP/1.1 302 Found\nLocation: https://example.com/?a=1", HTTP, '"Content-Length: 0" is not shown'],
  ["http", "HTTP/1.1 302 Found\n…\n\nhello", HTTP, "It answered"],
  ["http", "HTTP/1.1 410 Gone\n…", HTTP_JSON, "gone"],
  ["http", 'HTTP/1.1 410 Gone\n…\n\n{ "code": "not_found", "status": 410 }', HTTP_JSON, '.code is "gone"'],
];

describe("an answer", () => {
  test.for(SAME)("in %s, shown as %j, may be %j", ([language, shown, real], { expect }) => {
    expect(differenceOf(language, shown, real)).toBeUndefined();
  });

  test.for(DIFFERENT)("in %s, shown as %j, may not be %j", ([language, shown, real, difference], { expect }) => {
    expect(differenceOf(language, shown, real)).toContain(difference);
  });

  test("is shown in a language that can be compared", ({ expect }) => {
    expect(() => differenceOf("yaml", "", "")).toThrow('"yaml"');
  });
});
