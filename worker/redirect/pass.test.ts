/**
 * A pass opens the link it was given for, while its password stays, for a day, and nothing else.
 *
 * @module
 */
import { test } from "vitest";
import { isGuarded } from "../../shared/entry.ts";
import { openScope } from "../http/context.ts";
import { present } from "../testing/entries.ts";
import { hasPass, PASS_SECONDS, passCookie } from "./pass.ts";

const NOW = 1_800_000_000_000;
const hash = (digit: string) => `pbkdf2-sha256$1000$${digit.repeat(32)}$${digit.repeat(64)}`;

function guarded(passwordHash: string, linkId = "1") {
  const entry = present({ passwordHash, linkId });
  if (!isGuarded(entry)) throw new Error("it has a password");
  return entry;
}

const link = guarded(hash("a"));
const scopeOf = (address: string) => openScope(new Request(address), NOW, () => {});
const bring = (cookie: string) => new Request("https://s.example/c", { headers: { Cookie: cookie } });
const pass = async () => (await passCookie(scopeOf("https://s.example/c"), link)).split(";", 1)[0] ?? "";

test("it opens its link, also among other cookies", async ({ expect }) => {
  const cookie = await pass();
  for (const header of [cookie, `a=b; ${cookie}`, `hop_pass=1.2; ${cookie};x=y`, `${cookie}; ${cookie}`])
    expect(await hasPass(bring(header), link, NOW)).toBe(true);
  expect(await hasPass(new Request("https://s.example/c"), link, NOW)).toBe(false);
});

test("it ends with its time to the millisecond, with the password, and is no other link's", async ({ expect }) => {
  const request = bring(await pass());
  const end = NOW + PASS_SECONDS * 1000;
  expect([await hasPass(request, link, end - 1), await hasPass(request, link, end)]).toEqual([true, false]);
  expect(await hasPass(request, guarded(hash("b")), NOW)).toBe(false);
  expect(await hasPass(request, guarded(hash("a"), "2"), NOW)).toBe(false);
});

test("none that was changed or made up opens", async ({ expect }) => {
  const cookie = await pass();
  const [, until = "", mark = ""] = /=(\w+)\.(\w+)$/.exec(cookie) ?? [];
  for (const made of [
    `hop_pass=${until}z.${mark}`,
    `hop_pass=${until}.${mark.replace(/.$/, (last) => (last === "0" ? "1" : "0"))}`,
    `hop_pass=${until}.${mark}00`,
    `hop_pass=${until}.${mark.slice(2)}`,
    `hop_pass=${until}.`,
    `hop_pass=${"z".repeat(20)}.${mark}`,
    `xhop_pass=${until}.${mark}`,
    `hop_pass="${until}.${mark}"`,
    "hop_pass=",
    "hop_pass",
  ])
    expect(await hasPass(bring(made), link, NOW), made).toBe(false);
});

test("for a hash that cannot be read there is none, though anybody could sign with it", async ({ expect }) => {
  const broken = guarded("known");
  const cookie = (await passCookie(scopeOf("https://s.example/c"), broken)).split(";", 1)[0] ?? "";
  expect(await hasPass(bring(cookie), broken, NOW)).toBe(false);
  expect(await hasPass(bring(cookie), guarded(""), NOW)).toBe(false);
});

test.for([
  ["https://s.example/c", "/c", true],
  ["http://localhost:8787/c?x", "/c", false],
  ["https://s.example/c/a/b", "/c", true],
  ["https://s.example/%C3%BC/", "/%C3%BC", true],
] as const)("of %s it is for the path %s", async ([address, path, secure], { expect }) => {
  const [, ...attributes] = (await passCookie(scopeOf(address), link)).split("; ");
  expect(attributes).toEqual([
    `Path=${path}`,
    "Max-Age=86400",
    "HttpOnly",
    "SameSite=Lax",
    ...(secure ? ["Secure"] : []),
  ]);
});
