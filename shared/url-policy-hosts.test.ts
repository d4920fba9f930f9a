/**
 * What an installation sets: its own domains, its lists of hosts and its schemes.
 *
 * @module
 */
import { describe, test } from "vitest";
import {
  checkUrl,
  hostKey,
  judgeListed,
  judgeResolved,
  nameToResolve,
  parseHostPatterns,
  type HostPattern,
  type UrlPolicy,
} from "./url-policy.ts";
import { FORBIDDEN_SCHEMES } from "./scheme.ts";

const OPEN: UrlPolicy = { schemes: ["http", "https"], allow: [], block: [], ownHosts: [] };
const OWN: UrlPolicy = { ...OPEN, ownHosts: ["go.example", "second.example"] };
const APPS: UrlPolicy = { ...OPEN, schemes: ["http", "https", "mailto", "tel", "myapp", "ftp"] };

/** The reason of a refusal, or the accepted form. */
function judged(input: string, policy: UrlPolicy): string {
  const verdict = checkUrl(input, policy);
  return verdict.ok ? verdict.href : verdict.reason;
}

function patterns(text: string): readonly HostPattern[] {
  const read = parseHostPatterns(text);
  if (!read.ok) throw new Error(read.message);
  return read.patterns;
}

describe("the service's own domains", () => {
  test.for([
    ["B086", "https://go.example/abc"],
    ["B086", "https://GO.EXAMPLE./abc"],
    ["B086", "http://go.example:80/abc"],
    ["B086", "https://www.go.example"],
    ["B086", "https://second.example/"],
    ["B188", "https://second.example/a"],
    ["B192", "HTTP://go.example/abc"],
    ["B192", "https://go.example:443/abc"],
    ["B192", "https://go%2Eexample/abc"],
    ["any port", "https://go.example:8443/"],
  ] as const)("%s: %s is refused as a loop", ([, input], { expect }) => {
    expect(judged(input, OWN)).toBe("own_domain");
  });

  test("B086, B192: with a user name, or without a scheme, it is refused as well", ({ expect }) => {
    expect(judged("https://user@go.example/", OWN)).toBe("user_info");
    expect(judged("go.example/abc", OWN)).toBe("no_scheme");
  });

  test("other names around them may be linked to", ({ expect }) => {
    for (const host of ["blog.go.example", "notgo.example", "go.example.com"]) {
      expect(judged(`https://${host}/`, OWN)).toBe(`https://${host}/`);
    }
  });

  test("they may be configured in any spelling, with a port, or as an address", ({ expect }) => {
    const policy = { ...OPEN, ownHosts: ["GO.Example.:8787", "bücher.example", "1.1.1.1"] };
    for (const url of ["https://go.example/", "https://xn--bcher-kva.example/", "https://0x01010101/"]) {
      expect(judged(url, policy)).toBe("own_domain");
    }
  });
});

describe("lists of hosts", () => {
  test("B206: a blocked host stays blocked with a dot at its end, another case or a port", ({ expect }) => {
    const policy = { ...OPEN, block: patterns("evil.example") };
    expect(judged("https://evil.example./", policy)).toBe("blocked");
    expect(judged("https://EVIL.example:8443/", policy)).toBe("blocked");
    expect(judged("https://sub.evil.example/", policy)).toBe("https://sub.evil.example/");
  });

  test("*. means every name below, at any depth, and not the name itself", ({ expect }) => {
    const policy = { ...OPEN, block: patterns("*.evil.example") };
    expect(judged("https://a.evil.example/", policy)).toBe("blocked");
    expect(judged("https://a.b.evil.example/", policy)).toBe("blocked");
    expect(judged("https://evil.example/", policy)).toBe("https://evil.example/");
    expect(judged("https://notevil.example/", policy)).toBe("https://notevil.example/");
  });

  test("an allow-list admits its hosts only, the block-list wins, and neither lifts another rule", ({ expect }) => {
    const policy = { ...OWN, allow: patterns("*.example, 10.0.0.1, localhost"), block: patterns("bad.example") };
    expect(judged("https://good.example/", policy)).toBe("https://good.example/");
    expect(judged("https://good.example.com/", policy)).toBe("not_on_allowlist");
    expect(judged("https://bad.example/", policy)).toBe("blocked");
    expect(judged("https://go.example/", policy)).toBe("own_domain");
    expect(judged("https://10.0.0.1/", policy)).toBe("special_address");
    expect(judged("https://localhost/", policy)).toBe("local_name");
  });

  test("patterns are read in any case, in Unicode, as addresses, with blanks and empty places between commas", ({
    expect,
  }) => {
    expect(patterns(" Example.COM. ,, *.Bücher.example,[2606:4700::1111] ,0x08.8.8.8,*.zip,")).toEqual([
      { host: "example.com", subdomains: false },
      { host: "xn--bcher-kva.example", subdomains: true },
      { host: "[2606:4700::1111]", subdomains: false },
      { host: "8.8.8.8", subdomains: false },
      { host: "zip", subdomains: true },
    ]);
    expect(patterns(" ")).toEqual([]);
  });

  test.for([
    "https://example.com",
    "example.com:80",
    "example.com:",
    "example.com/x",
    "user@example.com",
    "*",
    "*.",
    "a.*.b",
    ".example.com",
    "a..b",
    "*.1.2.3.4",
    "::1",
    "a b",
    "a?b",
    "a#b",
    "256.1.1.1",
  ])("%j is no pattern, and the message names it", (pattern, { expect }) => {
    const read = parseHostPatterns(`example.com, ${pattern}`);
    expect(read).toMatchObject({ ok: false, pattern });
    expect(read.ok ? "" : read.message).toContain(`"${pattern}"`);
  });
});

describe("configured schemes", () => {
  test.for([
    ["mailto:someone@example.com?subject=a%20b", "mailto:someone@example.com?subject=a%20b"],
    ["TEL:+49-30-1234", "tel:+49-30-1234"],
    ["myapp://profile/7", "myapp://profile/7"],
    ["myapp:open", "myapp:open"],
    ["myapp:///path", "myapp:///path"],
    ["ftp://files.example/a", "ftp://files.example/a"],
    ["ftp://files/a", "single_label"],
    ["myapp://LOCALHOST/", "local_name"],
    ["myapp://%6cocalhost/", "local_name"],
    ["myapp://%256cocalhost/", "unreadable"],
    ["myapp://0x7f.1/", "special_address"],
    ["myapp://2130706433/", "special_address"],
    ["myapp://[::1]/", "special_address"],
    ["myapp://127.0.0.1../", "empty_label"],
    ["myapp://user@host/", "user_info"],
  ] as const)("%j gives %j", ([input, outcome], { expect }) => {
    expect(judged(input, APPS)).toBe(outcome);
  });

  test("lists and own domains hold for their hosts, in whatever spelling", ({ expect }) => {
    const policy = { ...APPS, ownHosts: ["go.example"], block: patterns("bücher.example") };
    expect(judged("myapp://GO%2eexample./", policy)).toBe("own_domain");
    expect(judged("myapp://B%C3%BCcher.example/", policy)).toBe("blocked");
  });

  test("those that run code or read files are refused even when configured", ({ expect }) => {
    const policy = { ...OPEN, schemes: [...FORBIDDEN_SCHEMES] };
    for (const scheme of FORBIDDEN_SCHEMES) expect(judged(`${scheme}:x`, policy)).toBe("scheme");
    expect([...FORBIDDEN_SCHEMES]).toEqual(expect.arrayContaining(["javascript", "data", "vbscript", "blob", "file"]));
  });
});

describe("hostKey", () => {
  test("is the same for every spelling of one host, and null for what is none", ({ expect }) => {
    expect(["Example.com", "example.com.", "example.com:8443", "ex%61mple.com", "ｅxample.com"].map(hostKey)).toEqual(
      Array.from({ length: 5 }, () => "example.com"),
    );
    expect(["", "a/b", "a@b", "a?b", "a#b", "a\\b", "a b", "1.2.3.4.5", "::1"].map(hostKey)).toEqual(
      Array.from({ length: 9 }, () => null),
    );
  });
});

describe("what others are asked", () => {
  test.for([
    ["https://Bücher.example./x", "xn--bcher-kva.example"],
    ["http://7f000001.nip.io:8080/", "7f000001.nip.io"],
    ["ftp://files.example/", "files.example"],
    ["https://1.1.1.1/", null],
    ["https://[2606:4700::1111]/", null],
    ["https://abc.onion/", null],
    ["myapp://profile.example/7", null],
    ["mailto:a@b.example", null],
    ["nonsense", null],
  ] as const)("of %j the name %j is looked up", ([href, name], { expect }) => {
    expect(nameToResolve(href)).toBe(name);
  });

  test("one address that is not public is enough, and the refusal names it however long the name is", ({ expect }) => {
    const six = Array.from({ length: 16 }, (_, at) => (at === 0 ? 0x26 : at));
    expect(judgeResolved("a.example", [[1, 1, 1, 1], six])).toBeNull();
    expect(judgeResolved("a.example", [])).toBeNull();
    const name = `${"a".repeat(60)}.${"b".repeat(60)}.example`;
    const refused = judgeResolved(name, [
      [1, 1, 1, 1],
      [0xfe, 0x80, ...Array.from({ length: 13 }, () => 0), 1],
    ]);
    expect(refused?.reason).toBe("resolves_to_special_address");
    expect(refused?.message).toContain("[fe80::1] (link-local: fe80::/10, RFC 4291)");
  });

  test("a URL that is on a list is refused, one on none is not", ({ expect }) => {
    expect(judgeListed([])).toBeNull();
    expect(judgeListed(["MALWARE", "X"])).toMatchObject({ ok: false, reason: "listed_as_dangerous" });
    expect(judgeListed(["MALWARE", "X"])?.message).toContain("(MALWARE, X)");
  });
});
