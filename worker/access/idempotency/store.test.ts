/**
 * Of all who claim an Idempotency-Key one gets it; a dead one's claim falls to the next after its lease, and a day ends it.
 *
 * @module
 */
import { test } from "vitest";
import { openDatabase } from "../../testing/stack.ts";
import { forgetPastAnswers } from "./retention.ts";
import { createSeal } from "./seal.ts";
import { type Claim, createIdempotencyStore, KEPT_MS } from "./store.ts";

const database = openDatabase();
const store = createIdempotencyStore(database);
const START = Date.parse("2026-12-01T08:00:00Z");
const LEASE_END = START + 60_000;

/** A claim of its own, or of the same thing by another request. */
function claimOf(same?: Claim, fingerprint = same?.fingerprint ?? "aa"): Claim {
  const holder = crypto.randomUUID();
  return { caller: same?.caller ?? crypto.randomUUID(), key: same?.key ?? "key", fingerprint, holder };
}

test("of twenty claims at once one is made, and the others see that it runs", async ({ expect }) => {
  const first = claimOf();
  const claims = await Promise.all(Array.from({ length: 20 }, () => store.claim(claimOf(first), START, LEASE_END)));
  expect(claims.filter((claim) => claim === "claimed")).toHaveLength(1);
  for (const claim of claims.filter((other) => other !== "claimed" && other !== "running")) {
    expect(claim).toEqual({ fingerprint: "aa", answer: null });
  }
});

test("what was kept is what everybody sees, of the same caller and key alone", async ({ expect }) => {
  const first = claimOf();
  expect(await store.claim(first, START, LEASE_END)).toBe("claimed");
  await store.keep(first, "c0ffee");
  const day = START + KEPT_MS;
  for (const at of [START, LEASE_END, day - 1]) {
    expect(await store.claim(claimOf(first), at, at + 1)).toEqual({ fingerprint: "aa", answer: "c0ffee" });
    expect(await store.claim(claimOf(first, "bb"), at, at + 1)).toEqual({ fingerprint: "aa", answer: "c0ffee" });
  }
  expect(await store.claim({ ...claimOf(first), key: "KEY" }, START, LEASE_END)).toBe("claimed");
  expect(await store.claim({ ...claimOf(first), caller: "another" }, START, LEASE_END)).toBe("claimed");
  expect(await store.claim(claimOf(first, "bb"), day, day + 1)).toBe("claimed");
  await database.execute("DELETE FROM idempotency_keys WHERE caller = 'another'");
});

test("a claim that was given up, or whose lease is over, falls to who asks for the same, once", async ({ expect }) => {
  const dead = claimOf();
  await store.claim(dead, START, LEASE_END);
  expect(await store.claim(claimOf(dead), LEASE_END - 1, LEASE_END + 1)).toEqual({ fingerprint: "aa", answer: null });
  expect(await store.claim(claimOf(dead, "bb"), LEASE_END, LEASE_END + 1)).toEqual({ fingerprint: "aa", answer: null });
  const heirs = Array.from({ length: 10 }, () => claimOf(dead));
  const claims = await Promise.all(heirs.map((heir) => store.claim(heir, LEASE_END, LEASE_END + 60_000)));
  expect(claims.filter((claim) => claim === "claimed")).toHaveLength(1);
  const heir = heirs[claims.indexOf("claimed")] ?? dead;

  // It was not dead but slow: what it says now counts no more.
  await store.keep(dead, "00");
  await store.release(dead);
  expect(await store.claim(claimOf(dead), LEASE_END, LEASE_END)).toEqual({ fingerprint: "aa", answer: null });
  await store.release(heir);
  expect(await store.claim(claimOf(dead, "bb"), LEASE_END, LEASE_END)).toBe("claimed");
});

test("answers of 24 hours ago are forgotten, however many statements that takes, and no others", async ({ expect }) => {
  // Before those of all other tests.
  const at = Date.parse("2020-01-01T00:00:00Z");
  const [old, young] = [claimOf(), claimOf()];
  for (const key of ["1", "2", "3", "4", "5"]) await store.claim({ ...old, key }, at, at);
  await store.claim(young, at + 1, at);
  expect(await forgetPastAnswers(store.forget, at + KEPT_MS, 2)).toBe(5);
  expect(await forgetPastAnswers(store.forget, at + KEPT_MS, 2)).toBe(0);
  expect(await store.claim(claimOf(young, "bb"), at + 1, at)).toEqual({ fingerprint: "aa", answer: null });
});

test("only the same API key opens what is sealed, under the same name, and unchanged", async ({ expect }) => {
  const [seal, again, other] = [await createSeal("one"), await createSeal("one"), await createSeal("another")];
  const sealed = await seal.close("größe", "name");
  expect(await again.open(sealed, "name")).toBe("größe");
  expect(await seal.close("größe", "name")).not.toBe(sealed);
  await expect(other.open(sealed, "name")).rejects.toThrow();
  await expect(seal.open(sealed, "another name")).rejects.toThrow();
  await expect(
    seal.open(
      sealed.replace(/..$/, (end) => (end === "00" ? "01" : "00")),
      "name",
    ),
  ).rejects.toThrow();

  const body = new TextEncoder().encode("{}");
  const prints = [
    await seal.fingerprint("host/a", body),
    await seal.fingerprint("host/b", body),
    await seal.fingerprint("host/a", new Uint8Array()),
    await other.fingerprint("host/a", body),
  ];
  expect(new Set(prints).size).toBe(4);
  expect(await again.fingerprint("host/a", body)).toBe(prints[0]);
});
