/**
 * A request may tell anything or nothing of its visitor: what is kept is clean, cut to size, and never throws.
 *
 * @module
 */
import { test } from "vitest";
import type { IpMode } from "../../shared/click.ts";
import { describeVisitor, isPrefetch, sight, type Visitor } from "./visitor.ts";

const asked = (headers: Record<string, string>, cf?: object): Request => {
  const request = new Request("https://go.example/abc", { headers });
  return cf === undefined ? request : new Request(request, { cf: { ...cf } });
};

const visitor = (request: Request, ipMode: IpMode): Visitor => describeVisitor(sight(request), ipMode);

test("B046: a request without any place has none, and an odd one is kept as it is named", ({ expect }) => {
  expect(visitor(asked({}), "truncated")).toMatchObject({ country: null, region: null, city: null });
  expect(visitor(asked({}, { country: "T1", city: "東京", region: 5 }), "truncated")).toMatchObject({
    country: "T1",
    city: "東京",
    region: null,
  });
});

test("B050, B248: the country is the visitor's, not the data centre's", ({ expect }) => {
  expect(visitor(asked({}, { colo: "FRA", country: "TR" }), "none")).toMatchObject({ country: "TR" });
  // The exit of a relay: an address of a database would place it elsewhere.
  const relayed = asked({ "CF-Connecting-IP": "172.224.226.5" }, { country: "GB", city: "London" });
  expect(visitor(relayed, "none")).toMatchObject({ country: "GB", city: "London" });
});

test.for([
  ["https://news.example.com:8443/a?secret=1#x", "news.example.com"],
  ["android-app://com.twitter.android", "com.twitter.android"],
  ["about:blank", null],
  ["not a url", null],
  ["", null],
] as const)("B204: of the referrer %s only the host is kept", ([referrer, host], { expect }) => {
  expect(visitor(asked({ Referer: referrer }), "none").referrer).toBe(host);
});

test.for([
  ["de-DE,de;q=0.9,en;q=0.8", "de-DE"],
  ["fr;q=0.5", "fr"],
  ["*", null],
  ["<script>", null],
  ["", null],
] as const)("of the languages %s the first is kept", ([header, language], { expect }) => {
  expect(visitor(asked({ "Accept-Language": header }), "none").language).toBe(language);
});

test("the campaign stands in the short link's own address, and so does that it was a QR code", ({ expect }) => {
  const address =
    "https://go.example/abc?utm_source=news+letter&utm_medium=e%2Dmail&utm_campaign=%00&utm_term=a&utm_term=b&qr=1";
  expect(visitor(new Request(address), "none")).toMatchObject({
    utmSource: "news letter",
    utmMedium: "e-mail",
    utmCampaign: null,
    utmTerm: "a",
    utmContent: null,
    trigger: "qr",
  });
  expect(visitor(new Request("https://go.example/abc?%ZZ&="), "none")).toMatchObject({
    utmSource: null,
    trigger: "link",
  });
});

test("a user agent is cut to its limit", ({ expect }) => {
  expect(visitor(asked({ "User-Agent": "x".repeat(5000) }), "none").userAgent).toHaveLength(512);
});

test("the address is that of CF-Connecting-IP and never the client's own word", ({ expect }) => {
  const headers = { "CF-Connecting-IP": "203.0.113.7", "X-Forwarded-For": "198.51.100.1" };
  expect(visitor(asked(headers), "full").ip).toBe("203.0.113.7");
  expect(visitor(asked({ "X-Forwarded-For": "198.51.100.1" }), "full").ip).toBeNull();
});

test.for(["Sec-GPC", "DNT"])(
  "of a visitor who sends %s: 1 nothing is kept, and of one who sends 0 all",
  (header, { expect }) => {
    const told = { "User-Agent": "Browser/1", Referer: "https://a.example/", "CF-Connecting-IP": "203.0.113.7" };
    const kept = visitor(asked({ ...told, [header]: "1" }, { country: "DE", city: "Berlin" }), "full");
    const { trigger, untracked, ...texts } = kept;
    expect(new Set(Object.values(texts))).toEqual(new Set([null]));
    expect({ trigger, untracked }).toEqual({ trigger: "link", untracked: true });
    expect(visitor(asked({ ...told, [header]: "0" }, { country: "DE" }), "full")).toMatchObject({
      country: "DE",
      referrer: "a.example",
      userAgent: "Browser/1",
      ip: "203.0.113.7",
    });
  },
);

test("a browser that asks ahead of its visitor is known", ({ expect }) => {
  expect(isPrefetch(asked({ "Sec-Purpose": "prefetch;prerender" }))).toBe(true);
  expect(isPrefetch(asked({ Purpose: "prefetch" }))).toBe(true);
  expect(isPrefetch(asked({}))).toBe(false);
});
