/**
 * Where a visit goes depends on the entry and the time alone, to the millisecond.
 *
 * @module
 */
import { test } from "vitest";
import { absent, present } from "../testing/entries.ts";
import { destinationOf } from "./destination.ts";

const now = 1_800_000_000_000;
const expiredUrl = "https://example.org/over";

test.for([
  [
    "a living link redirects",
    present(),
    { kind: "redirect", location: present().longUrl, status: 302, linkId: present().linkId },
  ],
  ["the owner's status is used", present({ redirectStatus: 308 }), { kind: "redirect", status: 308 }],
  ["an unknown code is not found", absent(), { kind: "not_found" }],
  ["a deleted link is not found", absent({ version: 9 }), { kind: "not_found" }],
  ["a disabled link is not found", present({ disabled: true }), { kind: "not_found" }],
  ["a link is not found a millisecond before it begins", present({ validSince: now + 1 }), { kind: "not_found" }],
  ["a link redirects at the millisecond in which it begins", present({ validSince: now }), { kind: "redirect" }],
  ["a link redirects a millisecond before its end", present({ expireAt: now + 1 }), { kind: "redirect" }],
  ["B014: a link is over at the millisecond of its end", present({ expireAt: now }), { kind: "expired" }],
  [
    "an expired link leads where its owner said",
    present({ expireAt: now, expiredUrl }),
    { kind: "expired_elsewhere", location: expiredUrl },
  ],
  [
    "a disabled link is not found even when it is over",
    present({ disabled: true, expireAt: 1, expiredUrl }),
    { kind: "not_found" },
  ],
] as const)("%s", ([, entry, expected], { expect }) => {
  expect(destinationOf(entry, { now, url: new URL("https://s.example/c?a=2") }, "")).toMatchObject(expected);
});

const at = (rest: string, query = "") => ({ now, url: new URL(`https://s.example/c${rest}${query}`) });

test("only a link that forwards paths has anything behind its code", ({ expect }) => {
  const longUrl = "https://example.com/docs";
  expect(destinationOf(present({ longUrl }), at("/x"), "/x")).toEqual({ kind: "not_found" });
  expect(destinationOf(present({ longUrl, forwardQuery: true }), at("/x"), "/x")).toEqual({ kind: "not_found" });
  const link = present({ longUrl, forwardPath: true });
  expect(destinationOf(link, at("/x", "?a=1"), "/x")).toMatchObject({
    location: "https://example.com/docs/x",
    longUrl,
  });
  expect(destinationOf(link, at("/x"), "/%2e%2e%2fx")).toEqual({ kind: "not_found" });
});

test("B080: only a link that forwards queries adds one, and the destination that is counted is the stored one", ({
  expect,
}) => {
  const longUrl = "https://example.com/?b=1#top";
  const visit = at("", "?mc_cid=1");
  expect(destinationOf(present({ longUrl }), visit, "")).toMatchObject({ location: longUrl });
  expect(destinationOf(present({ longUrl, forwardPath: true }), visit, "")).toMatchObject({ location: longUrl });
  expect(destinationOf(present({ longUrl, forwardQuery: true }), visit, "")).toMatchObject({
    location: "https://example.com/?b=1&mc_cid=1#top",
    longUrl,
  });
});

test("nothing is forwarded to where an expired link leads", ({ expect }) => {
  const link = present({ expireAt: now, expiredUrl, forwardQuery: true, forwardPath: true });
  expect(destinationOf(link, at("/x", "?a=1"), "/x")).toEqual({ kind: "expired_elsewhere", location: expiredUrl });
});

test("for a link that forwards nothing the address is not even read", ({ expect }) => {
  const visit = {
    now,
    get url(): URL {
      throw new Error("read");
    },
  };
  expect(destinationOf(present(), visit, "")).toMatchObject({ kind: "redirect" });
});

test("a link with rules says that it depends on the visitor", ({ expect }) => {
  const rules = [{ if: {}, then: { longUrl: "https://example.org/" } }];
  expect(destinationOf(present(), at(""), "")).toMatchObject({ depends: false });
  expect(destinationOf(present({ rules }), at(""), "")).toMatchObject({ depends: true });
});
