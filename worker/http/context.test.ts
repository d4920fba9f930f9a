/**
 * What is read of an address without the URL parser is what the parser would have read.
 *
 * @module
 */
import fc from "fast-check";
import { test } from "vitest";
import { openScope, type RequestScope } from "./context.ts";

const scopeOf = (request: Request): RequestScope => openScope(request, 0, () => {});

/** `Request` has parsed the address itself, so it stands in its normal form, as it does on Workers. */
function expectedOf(url: URL): { host: string; path: string } {
  return { host: url.hostname.replace(/\.$/, ""), path: url.pathname };
}

const label = fc.oneof(
  fc.stringMatching(/^[a-z0-9-]{1,8}$/),
  fc.constantFrom("xn--bcher-kva", "xn--", "EXAMPLE", "0x7f", "1", "127", "b\u00fccher", "a_b", "-a", ""),
);
const host = fc.oneof(
  fc.array(label, { minLength: 1, maxLength: 4 }).map((labels) => labels.join(".")),
  fc.constantFrom("127.0.0.1", "[::1]", "2130706433", "localhost", "go.example.", "1.2.3.0x4"),
);
const port = fc.constantFrom("", ":80", ":443", ":8787", ":65535", ":0");
const path = fc.oneof(
  fc.stringMatching(/^[\w-]{0,12}$/),
  fc.constantFrom("a/b", "a/", "%41", "a.b", "..", "./x", "a;b", "\u00fc", "a b", "a\\b", "~", "a:b", "a@b"),
);
const query = fc.constantFrom("", "?", "?a=1", "?a=/x#y", "#x", "?x=http://other.example/y");
const addresses = fc
  .tuple(fc.constantFrom("http", "https", "HTTP"), host, port, path, query)
  .map(([scheme, name, number, rest, end]) => `${scheme}://${name}${number}/${rest}${end}`);

test("host and path are those of the URL, for addresses of every kind", ({ expect }) => {
  fc.assert(
    fc.property(addresses, (address) => {
      if (!URL.canParse(address)) return;
      const request = new Request(address);
      // The second time its origin is known from the first.
      for (const { host: found, path: read } of [scopeOf(request), scopeOf(request)]) {
        expect({ host: found, path: read }, address).toEqual(expectedOf(new URL(request.url)));
      }
    }),
    { numRuns: 5000 },
  );
});

test("a host that begins like the one before is another host", ({ expect }) => {
  const hosts = ["go.example", "go.example.com", "go.example", "go.example-b.com", "go.exampl"];
  for (const name of hosts) expect(scopeOf(new Request(`https://${name}/a`)).host).toBe(name);
  expect(scopeOf(new Request("https://go.example:8443/a")).host).toBe("go.example");
});

test("the whole URL is there for who needs it", ({ expect }) => {
  const scope = scopeOf(new Request("https://go.example:8443/abc?x=1"));
  expect(scope.url.href).toBe("https://go.example:8443/abc?x=1");
  expect(scope.url).toBe(scope.url);
});
