/**
 * Clicks travel unharmed, within a message's bounds, and nothing that is no message is taken for one.
 *
 * @module
 */
import fc from "fast-check";
import { describe, test } from "vitest";
import { type Click, cleanText, MESSAGE_MAX_BYTES, MESSAGE_MAX_CLICKS, packMessages, unpackMessage } from "./click.ts";

const text = fc.option(fc.string({ unit: "binary", maxLength: 20 }).map((value) => cleanText(value, 20)));
const clicks: fc.Arbitrary<Click> = fc.record({
  id: fc.uuid(),
  linkId: fc.bigInt({ min: 0n, max: 2n ** 63n - 1n }).map(String),
  at: fc.integer({ min: 1_700_000_000_000, max: 1_900_000_000_000 }),
  country: fc.option(fc.constantFrom("DE", "T1", "XX")),
  region: text,
  city: text,
  referrer: text,
  language: text,
  userAgent: text,
  ip: text,
  utmSource: text,
  utmMedium: text,
  utmCampaign: text,
  utmTerm: text,
  utmContent: text,
  destination: text,
  trigger: fc.constantFrom("link", "qr"),
  visitor: fc.constantFrom(null, "0123456789abcdef"),
  untracked: fc.boolean(),
});

describe("a message", () => {
  test("gives back the clicks that were packed", ({ expect }) => {
    fc.assert(
      fc.property(fc.array(clicks, { minLength: 1, maxLength: 100 }), (list) => {
        expect(packMessages(list).map(({ body }) => unpackMessage(body))).toEqual([{ ok: true, clicks: list }]);
      }),
    );
  });

  test("stays under its bounds, however long and wide the texts are, and no click is lost or moved", ({ expect }) => {
    const wide: Click = {
      id: "0f0e0d0c-0b0a-4908-8706-050403020100",
      linkId: "9223372036854775807",
      at: 1_800_000_000_000,
      country: "DE",
      region: "\u{10ffff}".repeat(64),
      city: "小".repeat(128),
      referrer: "x".repeat(253),
      language: "de",
      userAgent: '"\\'.repeat(256),
      ip: "2001:db8::",
      utmSource: "小".repeat(100),
      utmMedium: "小".repeat(100),
      utmCampaign: "小".repeat(100),
      utmTerm: "小".repeat(100),
      utmContent: "小".repeat(100),
      destination: `https://example.com/${"x".repeat(492)}`,
      trigger: "qr",
      visitor: "0123456789abcdef",
      untracked: false,
    };
    const widest: Click = { ...wide, userAgent: "小".repeat(512) };
    fc.assert(
      fc.property(fc.array(fc.constantFrom(nothing, wide, widest), { maxLength: 250 }), (kinds) => {
        const list = kinds.map((click, at) => ({ ...click, at: 1_800_000_000_000 + at }));
        const arrived: Click[] = [];
        for (const { body, clicks: count } of packMessages(list)) {
          const message = unpackMessage(body);
          if (message.ok) arrived.push(...message.clicks);
          expect(message).toMatchObject({ ok: true, clicks: { length: count } });
          expect(count).toBeLessThanOrEqual(MESSAGE_MAX_CLICKS);
          expect(new TextEncoder().encode(body).length).toBeLessThanOrEqual(MESSAGE_MAX_BYTES);
        }
        expect(arrived).toEqual(list);
      }),
    );
    expect(packMessages([])).toEqual([]);
    expect(packMessages(Array.from({ length: MESSAGE_MAX_CLICKS }, () => nothing))).toHaveLength(1);
    expect(packMessages(Array.from({ length: MESSAGE_MAX_CLICKS }, () => widest)).length).toBeLessThanOrEqual(16);
  });

  test("that is none is refused with a reason and never throws", ({ expect }) => {
    fc.assert(
      fc.property(fc.anything(), (body) => {
        expect(unpackMessage(body).ok).toBe(false);
      }),
    );
    const click = packMessages([{ ...nothing, id: "not-a-uuid" }])[0]?.body;
    for (const body of [
      "",
      "null",
      "[]",
      "{}",
      '{"v":3,"clicks":[]}',
      '{"v":1,"clicks":{}}',
      '{"v":1,"clicks":[null]}',
      click,
    ]) {
      expect(unpackMessage(body), body).toMatchObject({ ok: false });
    }
  });

  test("of the version before is read, and what it does not tell is null", ({ expect }) => {
    const {
      trigger: _trigger,
      untracked: _untracked,
      utmSource: _utmSource,
      destination: _destination,
      ...old
    } = nothing;
    expect(unpackMessage(JSON.stringify({ v: 1, clicks: [old] }))).toEqual({ ok: true, clicks: [nothing] });
  });

  test("B044: control characters, NUL and lone surrogates never reach the database", ({ expect }) => {
    const dirty = `{"v":1,"clicks":[${JSON.stringify({ ...nothing, userAgent: "a\u0000b\u0007c\ud800d\r\n", city: "\u0000" })}]}`;
    expect(unpackMessage(dirty)).toMatchObject({ ok: true, clicks: [{ userAgent: "abc\u{fffd}d", city: null }] });
  });
});

describe("a click's text", () => {
  test("is cut to its limit and never in the middle of a character", ({ expect }) => {
    expect(cleanText("abc😀", 4)).toBe("abc");
    expect(cleanText("abc😀", 5)).toBe("abc😀");
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), fc.integer({ min: 1, max: 30 }), (raw, limit) => {
        const clean = cleanText(raw, limit);
        if (clean === null) return;
        expect(clean.length).toBeLessThanOrEqual(limit);
        expect(clean.isWellFormed()).toBe(true);
        expect(clean).not.toMatch(/\p{Cc}/u);
      }),
    );
  });
});

const nothing: Click = {
  id: "0f0e0d0c-0b0a-4908-8706-050403020100",
  linkId: "1",
  at: 1_800_000_000_000,
  country: null,
  region: null,
  city: null,
  referrer: null,
  language: null,
  userAgent: null,
  ip: null,
  utmSource: null,
  utmMedium: null,
  utmCampaign: null,
  utmTerm: null,
  utmContent: null,
  destination: null,
  trigger: "link",
  visitor: null,
  untracked: false,
};
