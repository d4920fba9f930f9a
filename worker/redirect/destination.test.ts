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
  expect(destinationOf(entry, now)).toMatchObject(expected);
});
