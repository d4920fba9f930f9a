/**
 * Which destinations pass under an open policy, which are refused and why.
 *
 * @module
 */
import { describe, test } from "vitest";
import { checkUrl, MAX_URL_CHARACTERS, type UrlPolicy } from "./url-policy.ts";

const OPEN: UrlPolicy = { schemes: ["http", "https"], allow: [], block: [], ownHosts: [] };

/** The reason of a refusal, or the accepted form. */
function judged(input: string, policy: UrlPolicy = OPEN): string {
  const verdict = checkUrl(input, policy);
  return verdict.ok ? verdict.href : verdict.reason;
}

/** What an owner may give, and the form in which it is kept. */
const PASSES: readonly (readonly [name: string, input: string, href: string])[] = [
  [
    "B018",
    "https://example.com/s?artist=AC%2FDC&song=Back%20in%20Black",
    "https://example.com/s?artist=AC%2FDC&song=Back%20in%20Black",
  ],
  ["B019", "https://example.com/q?w=%27%25admin%25%27+AND+x", "https://example.com/q?w=%27%25admin%25%27+AND+x"],
  ["B021", "https://example.com/bad%20space/", "https://example.com/bad%20space/"],
  ["B021", "https://example.com/good space/", "https://example.com/good%20space/"],
  ["B022", "https://example.com/s?q='a'&b=x/y&c=<z>", "https://example.com/s?q=%27a%27&b=x/y&c=%3Cz%3E"],
  ["B025", "https://example.com/content/all?q=%23Eurovision", "https://example.com/content/all?q=%23Eurovision"],
  ["B026", "https://example.com/2025/%f0%9f%9a%80-using-x", "https://example.com/2025/%f0%9f%9a%80-using-x"],
  ["B031", "https://example.com/ünïts/Ω", "https://example.com/%C3%BCn%C3%AFts/%CE%A9"],
  [
    "B036",
    "https://example.com/l.aspx?g=&region=Dallas%20%2F%20Fort%20Worth area&sub=817756,109",
    "https://example.com/l.aspx?g=&region=Dallas%20%2F%20Fort%20Worth%20area&sub=817756,109",
  ],
  ["B059", "https://EXAMPLE.com/TeSt", "https://example.com/TeSt"],
  ["B059", "https://example.com/test", "https://example.com/test"],
  ["B108", "https://ja.wikipedia.org/wiki/小麦粉", "https://ja.wikipedia.org/wiki/%E5%B0%8F%E9%BA%A6%E7%B2%89"],
  ["B109", "https://example.com/é/ÿ/小/%C3%A9", "https://example.com/%C3%A9/%C3%BF/%E5%B0%8F/%C3%A9"],
  ["B162", "https://example.com/a\r\nSet-Cookie: x=1", "https://example.com/aSet-Cookie:%20x=1"],
  ["B162", "https://example.com/a\nb\tc", "https://example.com/abc"],
  ["B162", "https://example.com/a\u2028b%0d%0ac", "https://example.com/a%E2%80%A8b%0d%0ac"],
  ["B206", "https://example.com./a", "https://example.com./a"],
  ["spaces around", "  https://example.com/ \n", "https://example.com/"],
  ["an empty user name", "https://@example.com/", "https://example.com/"],
  ["a Unicode host", "https://bücher.example/", "https://xn--bcher-kva.example/"],
  ["a public address", "https://1.1.1.1/dns", "https://1.1.1.1/dns"],
  ["a public address in octal", "https://01.01.01.01/", "https://1.1.1.1/"],
  ["a public IPv6 address", "https://[2606:4700:4700:0:0:0:0:1111]:8443/", "https://[2606:4700:4700::1111]:8443/"],
  ["a default port", "http://example.com:80/", "http://example.com/"],
  ["a name for documentation", "https://www.example/", "https://www.example/"],
  ["a name for tests", "https://a.test/", "https://a.test/"],
  ["a name under .onion", "https://abc.onion/", "https://abc.onion/"],
  [
    "a name that only contains a private one",
    "https://localhost.example.com/internal.local",
    "https://localhost.example.com/internal.local",
  ],
  ["a name that only ends like one", "https://mylocalhost.notlocal/", "https://mylocalhost.notlocal/"],
  [
    "a public name that resolves to a private address (B091)",
    "http://127.0.0.1.nip.io:8080/hook",
    "http://127.0.0.1.nip.io:8080/hook",
  ],
];

describe("what passes comes back as the URL parser writes it", () => {
  test.for(PASSES)("%s: %j becomes %j", ([, input, href], { expect }) => {
    expect(judged(input)).toBe(href);
  });

  test("B034: a fragment of 6,000 characters stays whole", ({ expect }) => {
    const long = `https://example.com/#${"A".repeat(6000)}`;
    expect(judged(long)).toBe(long);
  });
});

/** What an owner may not give, and why; beside it the near ones that are allowed. */
const REFUSED: readonly (readonly [name: string, input: string, outcome: string])[] = [
  ["B087", "javascript:alert(1)", "scheme"],
  ["B087", " JaVaScRiPt:alert(1)", "scheme"],
  ["B087", "java\tscript:alert(1)", "scheme"],
  ["B087", "\u0001javascript:alert(1)", "control_character"],
  ["B087", "data:text/html,<b>x", "scheme"],
  ["B087", "vbscript:x", "scheme"],
  ["B087", "blob:https://x/y", "scheme"],
  ["B087", "view-source:http://x", "scheme"],
  ["B087", "file:///etc/passwd", "scheme"],
  ["B087", "//evil.example", "no_scheme"],
  ["B087", "\\\\evil.example", "no_scheme"],
  ["B087", "/relative", "no_scheme"],
  ["B087: allowed in its parsed form", "http:evil.example", "http://evil.example/"],
  ["B158", "/\\evil.example", "no_scheme"],
  ["B158", "\\evil.example", "no_scheme"],
  ["B158: allowed in its parsed form", "http:/evil.example", "http://evil.example/"],
  ["B158", "/%5Cevil.example", "no_scheme"],
  ["B158", "/../x", "no_scheme"],
  ["B161", "javascript:alert(1)//https://example.com/", "scheme"],
  ["B088", "http://[::1]/", "special_address"],
  ["B088", "http://[::ffff:127.0.0.1]/", "special_address"],
  ["B088", "http://[::ffff:7f00:1]/", "special_address"],
  ["B088", "http://[::ffff:0:127.0.0.1]/", "special_address"],
  ["B088", "http://[64:ff9b::7f00:1]/", "special_address"],
  ["B088", "http://[fe80::1]/", "special_address"],
  ["B088", "http://[fc00::1]/", "special_address"],
  ["B088", "http://[::]/", "special_address"],
  ["B091", "http://metadata.google.internal/", "local_name"],
  ["B091", "http://localhost.", "local_name"],
  ["B091", "http://0/", "special_address"],
  ["B091", "http://0x7f.1/", "special_address"],
  ["B091", "http://2130706433/", "special_address"],
  ["B091", "http://017700000001/", "special_address"],
  ["B091", "http://１２７.０.０.１/", "special_address"],
  ["B205", "http://127.0.0.127.1/", "unreadable"],
  ["B205", "http://foo.0/", "unreadable"],
  ["B205", "http://1.2.3.4.5/", "unreadable"],
  ["B205", "http://256.256.256.256/", "unreadable"],
  ["B205", "http://127.1/", "special_address"],
  ["B205", "http://0x7f.0.0.1/", "special_address"],
  ["B205", "http://127.0.0.1./", "special_address"],
  ["B205", "http://127.0.0.1../", "empty_label"],
  ["B206", "https://localhost./", "local_name"],
  ["B207", "http://0177.0.0.1/", "special_address"],
  ["B207", "http://0300.0250.1.1/", "special_address"],
  ["B207", "http://192.168.257/", "special_address"],
  ["B207", "http://3232235777/", "special_address"],
  ["B207: 1.0.0.16, which is public", "http://1.0x10/", "http://1.0.0.16/"],
  ["a public address in NAT64", "http://[64:ff9b::8.8.8.8]/", "embedded_address"],
  ["a public address in 6to4", "http://[2002:808:808::1]/", "embedded_address"],
  ["a public address, mapped", "http://[::ffff:8.8.8.8]/", "embedded_address"],
  ["an address with a port", "http://10.0.0.1:8080/", "special_address"],
  ["an address with a zone", "http://[fe80::1%25eth0]/", "unreadable"],
  ["a name below localhost", "http://App.LocalHost:3000/", "local_name"],
  ["home.arpa", "http://nas.home.arpa/", "local_name"],
  ["a name for reverse look-ups", "http://1.0.0.10.in-addr.arpa/", "local_name"],
  ["a router's name", "http://router.lan/", "local_name"],
  ["a top-level name never delegated", "http://wiki.corp/", "local_name"],
  ["an ideographic full stop", "http://printer。local/", "local_name"],
  ["a percent-encoded host", "http://%6cocalhost/", "local_name"],
  ["a single label", "http://intranet-wiki/", "single_label"],
  ["a top-level name alone", "https://ai./", "single_label"],
  ["an empty label", "http://a..example/", "empty_label"],
  ["an empty label in front", "http://.example.com/", "empty_label"],
  ["a dot alone", "http://./", "empty_label"],
  ["a user name", "https://user@example.com/", "user_info"],
  ["a password alone", "https://:pw@example.com/", "user_info"],
  ["a scheme that is not configured", "mailto:someone@example.com", "scheme"],
  ["a NUL", "https://example.com/\0", "control_character"],
  ["an escape character", "https://example.com/\u001b[2J", "control_character"],
  ["a lone surrogate", "https://example.com/\ud800", "lone_surrogate"],
  ["nothing", "", "no_scheme"],
  ["a scheme alone", "https://", "unreadable"],
  ["a port that is none", "https://example.com:99999/", "unreadable"],
];

describe("what is refused says why", () => {
  test.for(REFUSED)("%s: %j gives %s", ([, input, outcome], { expect }) => {
    expect(judged(input)).toBe(outcome);
  });

  test("at most 8,192 characters pass, counted in the input and in the encoded form", ({ expect }) => {
    const base = "https://example.com/";
    const longest = base + "a".repeat(MAX_URL_CHARACTERS - base.length);
    expect(judged(longest)).toBe(longest);
    expect(judged(`${longest}a`)).toBe("too_long");
    expect(judged(longest.slice(0, -1) + "é")).toBe("too_long");
    expect(judged(base + " ".repeat(MAX_URL_CHARACTERS))).toBe("too_long");
  });

  test("a message names the part it is about, and quotes at most 100 characters of it", ({ expect }) => {
    expect(checkUrl("http://[::ffff:10.0.0.1]/", OPEN)).toEqual({
      ok: false,
      reason: "special_address",
      message:
        "The address 10.0.0.1 inside [::ffff:a00:1] (private use: 10.0.0.0/8, RFC 1918) cannot be reached from the public internet. Use a public host.",
    });
    const verdict = checkUrl(`http://${"a".repeat(5000)}/`, OPEN);
    expect(verdict.ok ? "" : verdict.message).toMatch(/^The host "a{100}…" has no dot/);
  });

  test("a refused password is not repeated in the message", ({ expect }) => {
    expect(JSON.stringify(checkUrl("https://user:hunter2@example.com/", OPEN))).not.toContain("hunter2");
  });
});
