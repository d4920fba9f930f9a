/**
 * Keys have one form, whatever the dice say.
 *
 * @module
 */
import fc from "fast-check";
import { test } from "vitest";
import { hasKeyForm, hintOf, isScope, KEY_BYTES, SCOPES, writeKey } from "./api-key.ts";

test("every 32 bytes make a key of the form, and no two the same", ({ expect }) => {
  const bytes = fc.uint8Array({ minLength: KEY_BYTES, maxLength: KEY_BYTES });
  fc.assert(
    fc.property(bytes, bytes, (one, other) => {
      expect(hasKeyForm(writeKey(one))).toBe(true);
      expect(writeKey(one) === writeKey(other)).toBe(one.join() === other.join());
    }),
  );
  expect(writeKey(new Uint8Array(KEY_BYTES))).toBe(`hop_${"0".repeat(43)}`);
  // 2^256 - 1 in base 62.
  expect(writeKey(new Uint8Array(KEY_BYTES).fill(255))).toBe("hop_yhjskwdA6OZ1AL1YmHWZWm8LLG7HjnuCA2j5rOw8Xp1");
});

test("what is no key is not looked up, and a hint gives little away", ({ expect }) => {
  const key = writeKey(new Uint8Array(KEY_BYTES).fill(7));
  for (const other of [
    "",
    "hop_",
    "wrong-key",
    key.slice(1),
    key.slice(0, -1),
    `${key}0`,
    `${key}\n`,
    key.replace("hop", "HOP"),
  ]) {
    expect([other, hasKeyForm(other)]).toEqual([other, false]);
  }
  expect(hintOf(key)).toBe(key.slice(0, 8));
});

test("a scope is one of four words", ({ expect }) => {
  expect(SCOPES.every((scope) => isScope(scope))).toBe(true);
  for (const word of ["", "links", "links:delete", "ADMIN", "constructor"]) expect(isScope(word)).toBe(false);
});
