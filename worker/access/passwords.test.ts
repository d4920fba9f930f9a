/**
 * Hashes of passwords: those of today and those of before.
 *
 * @module
 */
import { test } from "vitest";
import { toHex } from "../../shared/hex.ts";
import { MAX_ITERATIONS } from "../../shared/password.ts";
import { costs, createHashPassword, isPassword } from "./passwords.ts";

const hash = createHashPassword(1000);

test("the right password opens, in either spelling of its letters, and no other one does", async ({ expect }) => {
  const stored = await hash("Ge\u0301heim 1");
  expect(await isPassword("Géheim 1", stored)).toBe(true);
  for (const wrong of ["", "Géheim", "géheim 1", "Géheim 1 ", "Géheim 1\u0000", "x".repeat(1_000_000)])
    expect(await isPassword(wrong, stored)).toBe(false);
});

test("the same password is another hash each time, and none holds the password", async ({ expect }) => {
  const [one, other] = [await hash("hunter2"), await hash("hunter2")];
  expect(one).not.toBe(other);
  expect(one).not.toContain("hunter2");
});

test("it is PBKDF2-HMAC-SHA-256: the vectors of RFC 6070, as they are published for this hash, open", async ({
  expect,
}) => {
  const salt = toHex(new TextEncoder().encode("saltSALTsaltSALTsaltSALTsaltSALTsalt"));
  const digest = "348c89dbcbd32b2f32d814b8116e84cf2b17347ebc1800181c4e2a1fb8dd53e1";
  expect(await isPassword("passwordPASSWORDpassword", `pbkdf2-sha256$4096$${salt}$${digest}`)).toBe(true);
  expect(await isPassword("passwordPASSWORDpassword", `pbkdf2-sha256$4095$${salt}$${digest}`)).toBe(false);
});

test("a hash of another cost is checked at its own, and known to be another", async ({ expect }) => {
  const dear = await createHashPassword(MAX_ITERATIONS)("hunter2");
  expect(await isPassword("hunter2", dear)).toBe(true);
  expect([costs(dear, MAX_ITERATIONS), costs(dear, 1000)]).toEqual([true, false]);
});

test("a hash that cannot be read opens to nobody", async ({ expect }) => {
  for (const stored of ["", "hunter2", (await hash("hunter2")).replace("$1000$", "$999999$")])
    expect([await isPassword("hunter2", stored), await isPassword("", stored)]).toEqual([false, false]);
});
