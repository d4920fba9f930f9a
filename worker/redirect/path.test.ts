/**
 * The code in a path is read once and decoded once; what is broken is broken, never an exception.
 *
 * @module
 */
import { test } from "vitest";
import { codeOf } from "./path.ts";

test.for([
  ["a plain code", "/abc", "abc"],
  ["one slash at the end is the same code", "/abc/", "abc"],
  ["B032: needlessly encoded letters are decoded once", "/%71uick%2dstart", "quick-start"],
  ["B032, B113: what is decoded is not decoded again", "/%2571", "%71"],
  ["B113: an encoded percent sign is a percent sign", "/%25", "%"],
  ["an encoded slash does not end the segment", "/a%2Fb", "a/b"],
  [
    "what is behind a code stays as it is",
    "/%61/b%20/",
    { kind: "segment", segment: "a", wish: "visit", rest: "/b%20/" },
  ],
  ["two slashes are more than a code", "/abc//", { kind: "segment", segment: "abc", wish: "visit", rest: "//" }],
  ["the QR code is wanted of a code", "/%C3%BCn%C3%AF/qr/", { kind: "segment", segment: "ünï", wish: "qr", rest: "" }],
  ["a preview is wanted of a code", "/abc+", { kind: "segment", segment: "abc", wish: "preview", rest: "" }],
  [
    "an encoded plus sign asks for a preview too",
    "/abc%2B/",
    { kind: "segment", segment: "abc", wish: "preview", rest: "" },
  ],
  [
    "one plus sign is taken away, and no code has one",
    "/abc++",
    { kind: "segment", segment: "abc+", wish: "preview", rest: "" },
  ],
  [
    "what has a plus sign and a QR code is no code",
    "/abc+/qr",
    { kind: "segment", segment: "abc+", wish: "qr", rest: "" },
  ],
  [
    "what is behind the QR code is a path",
    "/abc/qr/x",
    { kind: "segment", segment: "abc", wish: "visit", rest: "/qr/x" },
  ],
  ["B043, B111: broken UTF-8", "/%C3%28", { kind: "broken" }],
  ["B043: an encoded surrogate", "/%ED%A0%80", { kind: "broken" }],
  ["B043, B111: an unfinished escape", "/%E0%A4%A", { kind: "broken" }],
  ["B111: bytes that are no UTF-8", "/%A4%A2", { kind: "broken" }],
  ["B111: a lone percent sign", "/%", { kind: "broken" }],
  ["an over-long code", `/${"a".repeat(769)}/qr`, { kind: "broken" }],
  ["an over-long path", `/${"a".repeat(5000)}`, { kind: "broken" }],
  ["an over-long path behind a code", `/a${"/b".repeat(1025)}`, { kind: "broken" }],
  ["B042: an encoded control character", "/a%00b", { kind: "broken" }],
  ["letters of any script", "/%C3%BCn%C3%AF", "ünï"],
] as const)("%s: %s", ([, path, expected], { expect }) => {
  const read = codeOf(path);
  expect(read).toEqual(
    typeof expected === "string" ? { kind: "segment", segment: expected, wish: "visit", rest: "" } : expected,
  );
});
