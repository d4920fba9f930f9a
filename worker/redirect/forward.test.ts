/**
 * Whatever a visitor adds to a short URL, they go to the stored host by the stored scheme, below the stored path, with the stored
 * query in front and the stored fragment behind.
 *
 * @module
 */
import fc from "fast-check";
import { test } from "vitest";
import { forward } from "./forward.ts";

test.for([
  ["a query is added", "https://example.com/p", "", "a=1&b", "https://example.com/p?a=1&b"],
  ["nothing added changes nothing", "https://example.com?x=&#f", "", "", "https://example.com?x=&#f"],
  ["it goes in front of the fragment", "https://example.com/p#top?x", "", "a=1", "https://example.com/p?a=1#top?x"],
  [
    "B081: the destination's own names win, and the order is kept",
    "https://example.com/p?ref=x.com&b=2",
    "",
    "ref=t.co&z=1&b=3&a=2&z=0",
    "https://example.com/p?ref=x.com&b=2&z=1&a=2&z=0",
  ],
  [
    "a name is the same however it is encoded",
    "https://e.example/?a+b=1",
    "",
    "a%20b=2&%61+b=3",
    "https://e.example/?a+b=1",
  ],
  ["names differ by case", "https://e.example/?a=1", "", "A=2", "https://e.example/?a=1&A=2"],
  ["qr is ours", "https://e.example/", "", "qr&utm_source=x&qr=1&%71r", "https://e.example/?utm_source=x"],
  ["the destination may have a qr", "https://e.example/?qr=7", "", "qr", "https://e.example/?qr=7"],
  [
    "B026: nothing is encoded twice",
    "https://example.com/2025/%f0%9f%9a%80-using-x",
    "",
    "ref=nl",
    "https://example.com/2025/%f0%9f%9a%80-using-x?ref=nl",
  ],
  [
    "B019, B025: nothing is decoded",
    "https://e.example/?q=%23a+b%2525",
    "",
    "w=%27%25ad%25%27+AND+%23x&y=%2f",
    "https://e.example/?q=%23a+b%2525&w=%27%25ad%25%27+AND+%23x&y=%2f",
  ],
  [
    "B164: an encoded line break stays encoded",
    "https://e.example/p",
    "",
    "x=%0d%0aSet-Cookie:a=b",
    "https://e.example/p?x=%0d%0aSet-Cookie:a=b",
  ],
  ["an empty query is one", "https://e.example/p?", "", "a=1", "https://e.example/p?a=1"],
  ["an & at the end is enough", "https://e.example/p?x=1&", "", "a=1", "https://e.example/p?x=1&a=1"],
  ["empty pairs are dropped", "https://e.example/p", "", "&&a=1&&", "https://e.example/p?a=1"],
  ["question marks are part of a name", "https://e.example/?x=1", "", "?x=2", "https://e.example/?x=1&?x=2"],
  ["a path is added", "https://e.example/docs", "/a/b", "", "https://e.example/docs/a/b"],
  ["a slash between them is one", "https://e.example/docs/?q#f", "/a/", "x", "https://e.example/docs/a/?q&x#f"],
  ["slashes in a row are one", "https://e.example/", "//evil.example///a//", "", "https://e.example/evil.example/a/"],
  [
    "an encoded slash stays in its segment",
    "https://e.example/",
    "/@scope%2Fname",
    "",
    "https://e.example/@scope%2Fname",
  ],
  ["a percent sign may be there", "https://e.example/", "/100%25/a%20b", "", "https://e.example/100%25/a%20b"],
  [
    "letters of any script may be there",
    "https://e.example/",
    "/gr%C3%B6%C3%9Fe",
    "",
    "https://e.example/gr%C3%B6%C3%9Fe",
  ],
  [
    "dots in names may be there",
    "https://e.example/",
    "/a..b/.well-known/...",
    "",
    "https://e.example/a..b/.well-known/...",
  ],
  ["what is no web address is sent as it is", "mailto:a@e.example", "", "bcc=evil@e.example", "mailto:a@e.example"],
  ["what is no web address has no path to add to", "myapp://open", "/evil", "", undefined],
] as const)("%s", ([, longUrl, rest, query, expected], { expect }) => {
  expect(forward(longUrl, rest, query)).toBe(expected);
});

test.for([
  "/..",
  "/../x",
  "/a/../../x",
  "/%2e%2e/x",
  "/.%2E",
  "/a/..%2f..%2fx",
  "/..%5cx",
  "/a\\..\\x",
  "/%2e%2e%2fx",
  "/%252e%252e/x",
  "/%25252e%25252e%25252fx",
  // Nobody encodes so often, and nobody is to decode it to the end.
  `/%${"25".repeat(20)}41`,
  "/..;/x",
  "/%2e%2e;a=1/x",
  "/.",
  "/%2Fevil.example",
  "/a%2F%2Fevil.example",
  "/%5c%5cevil.example",
  "/a%00b",
  "/a%0d%0aLocation:%20x",
  "/a%250ab",
  "/a%7f",
  "/a\tb",
  "/%C3%28",
  "/%zz",
  "/%",
  "/%C0%AE%C0%AE/x",
])("the path %s leads nowhere", (rest, { expect }) => {
  expect(forward("https://e.example/base/", rest, "")).toBeUndefined();
});

const noise = fc
  .array(
    fc.oneof(
      fc.constantFrom(
        ..."/ \\ . .. ; : @ ? # & = % %2e %2E%2e %2f %5C %25 %0d%0a %00 // evil.example https:// //evil qr + [ ] é".split(
          " ",
        ),
      ),
      fc.stringMatching(/^[\w~!$'()*,-]{0,4}$/),
      fc.string(),
    ),
    { maxLength: 8 },
  )
  .map((pieces) => pieces.join(""));
const destinations = fc
  .oneof(
    fc.webUrl({ withFragments: true, withQueryParameters: true, validSchemes: ["http", "https"] }),
    fc.constantFrom("https://example.com", "https://example.com:8443/a/b/?a=1&&b#f", "http://xn--bcher-kva.example/a?"),
  )
  .map((text) => new URL(text).href);

test("whatever is added, scheme, host, port and the beginning of path and query are those that were stored", ({
  expect,
}) => {
  fc.assert(
    fc.property(destinations, noise, noise, fc.boolean(), (longUrl, path, search, asBrowsersSend) => {
      // As it comes: through the URL parser. And as it never should, to be safe by itself.
      const typed = new URL("https://s.example/c");
      typed.pathname = `/c/${path}`;
      typed.search = search;
      const rest = asBrowsersSend ? typed.pathname.replace(/^\/c(?=\/|$)/, "") : `/${path}`;
      const query = asBrowsersSend ? typed.search.slice(1) : search.replaceAll("#", "");
      const location = forward(longUrl, rest, query);
      if (location === undefined) return;
      const [stored, sent] = [new URL(longUrl), new URL(location)];
      expect(sent.origin).toBe(stored.origin);
      expect(sent.username + sent.password).toBe("");
      if (!asBrowsersSend) return;
      expect(sent.href).toBe(location);
      expect(sent.pathname.startsWith(stored.pathname.replace(/\/$/, ""))).toBe(true);
      expect(sent.search.slice(1).startsWith(stored.search.slice(1))).toBe(true);
      expect(sent.hash).toBe(stored.hash);
      for (const name of new Set(stored.searchParams.keys()))
        expect(sent.searchParams.getAll(name)).toEqual(stored.searchParams.getAll(name));
    }),
    { numRuns: 5000 },
  );
});
