/**
 * The hosts of one network are one source; a host that only looks like one is not.
 *
 * @module
 */
import { test } from "vitest";
import { sourceOf } from "./referrer.ts";

test.for([
  ["t.co", "X"],
  ["com.twitter.android", "X"],
  ["l.facebook.com", "Facebook"],
  ["m.facebook.com", "Facebook"],
  ["out.reddit.com", "Reddit"],
  ["www.google.co.uk", "Google"],
  ["google.com", "Google"],
  ["encrypted.google.com", "Google"],
  ["mail.google.com", "Gmail"],
  ["www.example.com", "example.com"],
  ["news.example.com", "news.example.com"],
  ["notfacebook.com", "notfacebook.com"],
  ["google.com.evil.example", "google.com.evil.example"],
  ["[2001:db8::1]", "[2001:db8::1]"],
  ["localhost", "localhost"],
] as const)("B204: %s is %s", ([host, source], { expect }) => {
  expect(sourceOf(host)).toBe(source);
});
