/**
 * What may be a password, and the stored form of its hash.
 *
 * @module
 */
import fc from "fast-check";
import { test } from "vitest";
import {
  MAX_ITERATIONS,
  MAX_PASSWORD_BYTES,
  parsePasswordHash,
  passwordBytes,
  passwordFault,
  writePasswordHash,
} from "./password.ts";

test.for(["x", " ", " two  words ", "пароль", "🔑", "a".repeat(MAX_PASSWORD_BYTES), "é".repeat(128)])(
  "%j can be a password",
  (password, { expect }) => {
    expect(passwordFault(password)).toBeUndefined();
  },
);

test.for([
  ["", "empty"],
  ["a".repeat(MAX_PASSWORD_BYTES + 1), "256 bytes"],
  ["é".repeat(129), "256 bytes"],
  ["a\nb", "control"],
  ["a\u0000", "control"],
  ["\ud800", "surrogate"],
] as const)("%j cannot, and is told why", ([password, why], { expect }) => {
  expect(passwordFault(password)).toContain(why);
});

test("a letter is the same however a keyboard composes it, and its length is that of the short form", ({ expect }) => {
  expect(passwordBytes("e\u0301")).toEqual(passwordBytes("é"));
  expect(passwordFault("e\u0301".repeat(128))).toBeUndefined();
  expect(passwordBytes("É")).not.toEqual(passwordBytes("é"));
  expect(passwordBytes("x ")).not.toEqual(passwordBytes("x"));
});

test("a hash is read as it was written, whatever its cost", ({ expect }) => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: MAX_ITERATIONS }),
      fc.uint8Array({ minLength: 16, maxLength: 16 }),
      fc.uint8Array({ minLength: 32, maxLength: 32 }),
      (iterations, salt, digest) => {
        const hash = { iterations, salt: Uint8Array.from(salt), digest: Uint8Array.from(digest) };
        expect(parsePasswordHash(writePasswordHash(hash))).toEqual(hash);
      },
    ),
  );
});

test("what is no hash, and what the runtime would refuse to check, is undefined", ({ expect }) => {
  const [salt, digest] = ["00".repeat(16), "ff".repeat(32)];
  expect(parsePasswordHash(`pbkdf2-sha256$100000$${salt}$${digest}`)).toBeDefined();
  for (const stored of [
    "",
    "hunter2",
    `pbkdf2-sha256$100001$${salt}$${digest}`,
    `pbkdf2-sha256$0$${salt}$${digest}`,
    `pbkdf2-sha256$1e3$${salt}$${digest}`,
    `pbkdf2-sha1$1000$${salt}$${digest}`,
    `pbkdf2-sha256$1000$$${digest}`,
    `pbkdf2-sha256$1000$${salt}$${digest}00`,
    `pbkdf2-sha256$1000$${salt}$${digest}\n`,
  ])
    expect(parsePasswordHash(stored), stored).toBeUndefined();
});
