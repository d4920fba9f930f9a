/**
 * What Cloudflare and the browser tell of a visitor decides, and nothing is asked for where no rule does.
 *
 * @module
 */
import { test } from "vitest";
import type { Conditions } from "../../shared/rules.ts";
import { absent, present } from "../testing/entries.ts";
import { entryFor } from "./rules.ts";

const NOW = 1_800_000_000_000;
const there = "https://example.org/there";
const link = (conditions: Conditions) => present({ rules: [{ if: conditions, then: { longUrl: there } }] });
const arm = (at: number) => ({ longUrl: `https://example.org/${at}`, weight: 1 });
const asked = (headers: Record<string, string>, cf: object = {}) =>
  new Request(new Request("https://s.example/c", { headers }), { cf: { ...cf } });

test("the country is Cloudflare's word, never a header's", ({ expect }) => {
  const of = link({ country: ["DE"] });
  expect(entryFor(of, asked({}, { country: "DE" }), NOW)).toEqual({ ...of, longUrl: there });
  for (const request of [
    asked({ "CF-IPCountry": "DE", "X-Country": "DE" }),
    asked({}, { country: "FR" }),
    asked({}, { country: ["DE"] }),
    new Request("https://s.example/c"),
  ])
    expect(entryFor(of, request, NOW)).toBe(of);
});

test("device and language are the browser's", ({ expect }) => {
  const of = link({ device: ["android"], language: ["fr"] });
  const phone = { "User-Agent": "Mozilla/5.0 (Android 15; Mobile; rv:143.0)", "Accept-Language": "fr-CA,en;q=0.5" };
  expect(entryFor(of, asked(phone), NOW)).toMatchObject({ longUrl: there });
  expect(entryFor(of, asked({ ...phone, "Accept-Language": "en" }), NOW)).toBe(of);
});

test("the time is that of the request", ({ expect }) => {
  expect(entryFor(link({ after: NOW }), asked({}), NOW)).toMatchObject({ longUrl: there });
  expect(entryFor(link({ before: NOW }), asked({}), NOW)).toMatchObject({ longUrl: present().longUrl });
});

test("a visitor's address is that of the connection, as Cloudflare saw it", ({ expect }) => {
  const of = present({ rules: [{ split: [arm(0), ...Array.from({ length: 9 }, (_, at) => arm(at + 1))] }] });
  const headers = { "CF-Connecting-IP": "198.51.100.7", "X-Forwarded-For": "198.51.100.8" };
  const here = entryFor(of, asked(headers), NOW);
  for (let at = 0; at < 20; at += 1)
    expect(entryFor(of, asked({ ...headers, "X-Forwarded-For": `198.51.100.${at}` }), NOW)).toEqual(here);
  const others = Array.from({ length: 20 }, (_, at) =>
    JSON.stringify(entryFor(of, asked({ ...headers, "CF-Connecting-IP": `198.51.100.${at}` }), NOW)),
  );
  expect(new Set(others).size).toBeGreaterThan(3);
});

test("an entry without rules is answered as it is, without a look at the request", ({ expect }) => {
  const unread = new Proxy(new Request("https://s.example/c"), {
    get: () => {
      throw new Error("read");
    },
  });
  for (const entry of [present(), absent()]) expect(entryFor(entry, unread, NOW)).toBe(entry);
});
