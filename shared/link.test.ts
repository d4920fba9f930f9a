/**
 * The text that tells settings apart stays what it was when settings come that most links do not have, since its hash is stored.
 *
 * @module
 */
import { test } from "vitest";
import { LINK_DEFAULTS, type LinkSettings, qrUrlAt, settingsText } from "./link.ts";
import type { Rule } from "./rules.ts";

const split: Rule = {
  split: [
    { longUrl: "https://a.example/", weight: 1 },
    { longUrl: "https://b.example/", weight: 2 },
  ],
};
const plain: LinkSettings = { ...LINK_DEFAULTS, longUrl: "https://example.com/" };

test("links from before there were forwarding and rules have the text that was hashed then", ({ expect }) => {
  expect(settingsText(plain)).toBe('["https://example.com/",null,[],null,{"pairs":[]},302,null,null,null,null,false]');
});

test("forwarding, external ids and rules tell links apart", ({ expect }) => {
  const texts = [
    plain,
    { ...plain, forwardQuery: true },
    { ...plain, forwardPath: true },
    { ...plain, forwardQuery: true, forwardPath: true },
    { ...plain, externalId: "true" },
    { ...plain, passwordHash: "true" },
    { ...plain, passwordHash: "true", externalId: "true" },
    { ...plain, externalId: "[true,false]" },
    { ...plain, externalId: "true", forwardQuery: true },
    { ...plain, rules: [split] },
    { ...plain, rules: [{ if: {}, then: split }] },
    { ...plain, rules: [{ if: { country: ["DE"] }, then: split }] },
    { ...plain, rules: [split], forwardPath: true },
  ].map(settingsText);
  expect(new Set(texts).size).toBe(texts.length);
});

test("a QR code holds the short URL, percent-encoded, and says what it is", ({ expect }) => {
  expect(qrUrlAt("https://go.example.com", "größe")).toBe("https://go.example.com/gr%C3%B6%C3%9Fe?qr");
});
