/**
 * The memory tier keeps to the tiers' contract and to its bounds.
 *
 * @module
 */
import { test } from "vitest";
import { absent, present } from "../../testing/entries.ts";
import { describeTier, freshKey } from "../tier.contract.ts";
import { createMemoryTier, MEMORY_BOUNDS, MEMORY_KEPT_MS } from "./memory.ts";

const NOW = 1_800_000_000_000;

type MemoryTier = ReturnType<typeof createMemoryTier>;

const build = (bounds = MEMORY_BOUNDS): MemoryTier => createMemoryTier(() => NOW, bounds);

describeTier("memory", build);

test("a flood of codes that do not exist pushes no link out", ({ expect }) => {
  const tier = build({ ...MEMORY_BOUNDS, absentEntries: 10 });
  const key = freshKey();
  tier.fill(key, present());
  for (let made = 0; made < 1000; made += 1) tier.fill(freshKey(`made-up-${made}`), absent());
  expect(tier.lookup(key, NOW)).toMatchObject({ kind: "entry" });
});

test("links take no more bytes than allowed, however long their URLs are", ({ expect }) => {
  const tier = build({ ...MEMORY_BOUNDS, presentBytes: 100_000 });
  const keys = Array.from({ length: 50 }, () => freshKey());
  for (const key of keys) tier.fill(key, present({ longUrl: `https://example.com/${"a".repeat(8000)}` }));
  const found = keys.filter((key) => tier.lookup(key, NOW).kind === "entry");
  expect(found.length).toBeGreaterThan(0);
  expect(found.length).toBeLessThan(8);
});

test("nor do links with rules, which are counted as well", ({ expect }) => {
  const tier = build({ ...MEMORY_BOUNDS, presentBytes: 100_000 });
  const rules = [{ if: {}, then: { longUrl: `https://example.com/${"a".repeat(8000)}` } }];
  const keys = Array.from({ length: 50 }, () => freshKey());
  for (const key of keys) tier.fill(key, present({ rules }));
  const found = keys.filter((key) => tier.lookup(key, NOW).kind === "entry");
  expect(found.length).toBeGreaterThan(0);
  expect(found.length).toBeLessThan(8);
});

test("what is filled cannot be changed by whoever filled it", ({ expect }) => {
  const tier = build();
  const key = freshKey();
  const entry = { ...present() };
  tier.fill(key, entry);
  entry.longUrl = "https://evil.example/";
  expect(tier.lookup(key, NOW)).toMatchObject({ entry: { longUrl: present().longUrl } });
});

test("what an isolate has held for five seconds is a spare, until it was seen below again", ({ expect }) => {
  let now = NOW;
  const tier = createMemoryTier(() => now);
  const key = freshKey();
  tier.fill(key, present());
  expect(tier.lookup(key, NOW + MEMORY_KEPT_MS - 1)).toMatchObject({ isSpare: false });
  expect(tier.lookup(key, NOW + MEMORY_KEPT_MS)).toMatchObject({ isSpare: true, entry: present() });
  now = NOW + MEMORY_KEPT_MS;
  tier.fill(key, present());
  expect(tier.lookup(key, now)).toMatchObject({ isSpare: false });
});
