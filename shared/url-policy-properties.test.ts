/**
 * The destinations' policy against random addresses, spellings and texts.
 *
 * @module
 */
import * as fc from "fast-check";
import { describe, test } from "vitest";
import { ADDRESS_BLOCKS, parseAddress } from "./address.ts";
import { checkUrl, type UrlPolicy } from "./url-policy.ts";

const OPEN: UrlPolicy = { schemes: ["http", "https"], allow: [], block: [], ownHosts: [] };
const APPS: UrlPolicy = { ...OPEN, schemes: ["http", "https", "mailto", "tel", "myapp", "ftp"] };

/** The reason of a refusal, or the accepted form. */
function judged(input: string, policy: UrlPolicy): string {
  const verdict = checkUrl(input, policy);
  return verdict.ok ? verdict.href : verdict.reason;
}

/** The bytes of an address inside a block: its prefix, then whatever was thrown. */
function inside(cidr: string, noise: readonly number[]): number[] {
  const [base = "", bits = ""] = cidr.split("/");
  const first = parseAddress(base.includes(":") ? `[${base}]` : base) ?? [];
  return first.map((byte, position) => {
    const free = 0xff >> Math.min(8, Math.max(0, Number(bits) - position * 8));
    return byte | ((noise[position] ?? 0) & free);
  });
}

const noise = fc.array(fc.nat({ max: 0xff }), { minLength: 16, maxLength: 16 });
const radix = fc.constantFrom(
  (value: number) => String(value),
  (value: number) => `0${value.toString(8)}`,
  (value: number) => `0x${value.toString(16)}`,
  (value: number) => `0X000${value.toString(16).toUpperCase()}`,
);

/** The inet_aton spellings: one to four parts, the last takes the bytes that are left; each part in its own radix. */
const ipv4Spelling = fc
  .tuple(fc.integer({ min: 1, max: 4 }), fc.array(radix, { minLength: 4, maxLength: 4 }), fc.constantFrom("", "."))
  .map(([parts, radixes, end]) => (bytes: readonly number[]): string => {
    const last = bytes.slice(parts - 1).reduce((sum, byte) => sum * 256 + byte, 0);
    const numbers = [...bytes.slice(0, parts - 1), last];
    return numbers.map((value, position) => radixes[position]?.(value)).join(".") + end;
  });

const embedding = fc.constantFrom(
  (v4: string) => `[::ffff:${v4}]`,
  (v4: string) => `[::ffff:0:${v4}]`,
  (v4: string) => `[0:0:0:0:0:FFFF:${v4}]`,
  (v4: string) => `[64:ff9b::${v4}]`,
  (v4: string) => `[::${v4}]`,
  (v4: string) =>
    `[2002:${v4
      .split(".")
      .map((byte) => Number(byte).toString(16).padStart(2, "0"))
      .join("")
      .replace(/^(.{4})/, "$1:")}::1]`,
);

describe("random addresses", () => {
  test("an address inside any IPv4 block is refused in decimal, octal, hex and short notation", ({ expect }) => {
    const block = fc.constantFrom(...ADDRESS_BLOCKS.filter(({ cidr }) => !cidr.includes(":")));
    fc.assert(
      fc.property(block, noise, ipv4Spelling, (each, random, spell) => {
        expect(judged(`http://${spell(inside(each.cidr, random))}/x`, OPEN)).toBe("special_address");
      }),
      { numRuns: 1000 },
    );
  });

  test("an address inside any IPv6 block is refused", ({ expect }) => {
    const block = fc.constantFrom(...ADDRESS_BLOCKS.filter(({ cidr }) => cidr.includes(":")));
    fc.assert(
      fc.property(block, noise, (each, random) => {
        const hex = inside(each.cidr, random)
          .map((byte) => byte.toString(16).padStart(2, "0"))
          .join("");
        const host = `[${hex.match(/.{4}/g)?.join(":").toUpperCase()}]`;
        expect(judged(`http://${host}:8080/`, OPEN)).toMatch(/^(special|embedded)_address$/);
      }),
      { numRuns: 1000 },
    );
  });

  test("any IPv4 address inside an IPv6 one is refused, and by its own block when it has one", ({ expect }) => {
    fc.assert(
      fc.property(noise, embedding, (random, embed) => {
        const v4 = random.slice(0, 4).join(".");
        const bare = judged(`http://${v4}/`, OPEN);
        expect(judged(`http://${embed(v4)}/`, OPEN)).toBe(
          bare === "special_address" ? "special_address" : "embedded_address",
        );
      }),
      { numRuns: 1000 },
    );
  });
});

const text = fc.string({ unit: "binary", maxLength: 40 });
const anyUrl = fc.oneof(
  fc.webUrl({ withQueryParameters: true, withFragments: true }),
  fc
    .tuple(
      fc.constantFrom(
        "https:",
        "http://",
        "https://a.example/",
        "https://a.example?",
        "https://a.example/#",
        "mailto:",
        "myapp://",
        "myapp:",
        "",
      ),
      text,
    )
    .map((parts) => parts.join("")),
);

describe("random texts", () => {
  test("what passes is the parser's own form, ASCII, and passes again unchanged", ({ expect }) => {
    fc.assert(
      fc.property(anyUrl, (input) => {
        const verdict = checkUrl(input, APPS);
        if (!verdict.ok) return;
        expect(verdict.href).toBe(new URL(input).href);
        expect(verdict.href).toMatch(/^[ -~]+$/);
        expect(checkUrl(verdict.href, APPS)).toEqual(verdict);
      }),
      { numRuns: 3000 },
    );
  });

  test("an ordinary web address passes", ({ expect }) => {
    const parts = fc.tuple(fc.domain(), fc.webPath(), fc.webQueryParameters(), fc.webFragments());
    fc.assert(
      fc.property(parts, ([domain, path, query, fragment]) => {
        // Under .com, since a random top-level name may happen to be a private one.
        const input = `https://${domain}.com${path}?${query}#${fragment}`;
        expect(judged(input, OPEN)).toBe(new URL(input).href);
      }),
      { numRuns: 1000 },
    );
  });
});
