/**
 * The last tier tells a link that does not exist from a database that cannot be asked, whatever goes wrong at the wire.
 *
 * @module
 */
import { afterEach, test } from "vitest";
import type { Rule } from "../../../shared/rules.ts";
import { shortLinks } from "../../backends/schema.ts";
import { liftFaults, openDatabase, setFault } from "../../testing/stack.ts";
import { createEntryStore } from "../store.ts";
import { freshKey } from "../tier.contract.ts";
import { createPostgresTier } from "./postgres.ts";

const LIMIT_MS = 700;
const NOW = 1_800_000_000_000;
const database = openDatabase(LIMIT_MS);
const tier = createPostgresTier(async () => createEntryStore(database));

afterEach(liftFaults);

let serial = 0n;
async function insert(fields: Partial<typeof shortLinks.$inferInsert> = {}) {
  serial += 1n;
  const key = freshKey("stored");
  const id = String((BigInt(Date.now()) << 20n) + (1n << 19n) + serial);
  await openDatabase()
    .insert(shortLinks)
    .values({
      id,
      domain: key.domain,
      shortCode: key.code,
      longUrl: "https://example.com/",
      type: "custom",
      version: 3,
      ...fields,
    });
  return { key, id };
}

test("a row becomes an entry that is vouched for now", async ({ expect }) => {
  const expireAt = new Date(NOW + 1);
  const rules: readonly Rule[] = [
    { if: { country: ["DE"], before: NOW }, then: { longUrl: "https://example.com/de" } },
    { split: [{ longUrl: "https://example.com/a", weight: 1 }] },
  ];
  const { key, id } = await insert({
    redirectStatus: 301,
    expireAt,
    expiredUrl: "https://example.org/",
    disabled: true,
    maxClicks: 9,
    forwardPath: true,
    passwordHash: "x",
    rules,
  });
  expect(await tier.lookup(key, NOW)).toEqual({
    kind: "entry",
    entry: {
      kind: "present",
      version: 3,
      vouchedAt: NOW,
      linkId: id,
      longUrl: "https://example.com/",
      redirectStatus: 301,
      validSince: null,
      expireAt: NOW + 1,
      expiredUrl: "https://example.org/",
      disabled: true,
      maxClicks: 9,
      forwardQuery: false,
      forwardPath: true,
      passwordHash: "x",
      rules,
    },
  });
});

test("what is not in the table is absent", async ({ expect }) => {
  expect(await tier.lookup(freshKey(), NOW)).toEqual({
    kind: "entry",
    entry: { kind: "absent", version: (NOW - 60_000) * 1000, vouchedAt: NOW, tombstone: false },
  });
});

test("B108: a destination that was stored raw is sent in its serialised form", async ({ expect }) => {
  const { key } = await insert({ longUrl: "https://ja.wikipedia.org/wiki/小麦粉" });
  expect(await tier.lookup(key, NOW)).toMatchObject({
    entry: { longUrl: "https://ja.wikipedia.org/wiki/%E5%B0%8F%E9%BA%A6%E7%B2%89" },
  });
});

test("B158, B161: a row that would run code is no destination", async ({ expect }) => {
  for (const longUrl of ["javascript:alert(1)", "//evil.example", "data:text/html,x"]) {
    const { key } = await insert({ longUrl });
    expect(await tier.lookup(key, NOW), longUrl).toMatchObject({ entry: { kind: "absent" } });
  }
});

test("a rule's destination that was stored raw is sent in its serialised form", async ({ expect }) => {
  const { key } = await insert({ rules: [{ if: {}, then: { longUrl: "https://example.com/é" } }] });
  expect(await tier.lookup(key, NOW)).toMatchObject({
    entry: { rules: [{ then: { longUrl: "https://example.com/%C3%A9" } }] },
  });
});

test.for([
  ["would run code", [{ if: {}, then: { longUrl: "javascript:alert(1)" } }]],
  ["has a condition of tomorrow", [{ if: { weekday: ["monday"] }, then: { longUrl: "https://example.com/" } }]],
  ["is no rule", ["DE"]],
  ["is no list", { if: {} }],
] as const)("a row of which a rule %s leads nowhere", async ([, rules], { expect }) => {
  const { key } = await insert({ rules });
  expect(await tier.lookup(key, NOW)).toMatchObject({ entry: { kind: "absent" } });
});

test.for(["refuse", "hang", "cut", "html", "unauthorized", "too_many", "garbage"] as const)(
  "a database that answers with %s is down, never a link that is absent",
  async (kind, { expect }) => {
    const { key } = await insert();
    await setFault("postgres", { kind, matching: key.domain });
    expect(await tier.lookup(key, NOW)).toMatchObject({ kind: "down" });
    await liftFaults();
    expect(await tier.lookup(key, NOW)).toMatchObject({ kind: "entry", entry: { kind: "present" } });
  },
);
