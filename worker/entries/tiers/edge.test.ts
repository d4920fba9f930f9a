/**
 * The edge tier keeps to the tiers' contract over workerd's own Cache API.
 *
 * @module
 */
import { test } from "vitest";
import { openEdgeCache } from "../../backends/edge-cache.ts";
import { present } from "../../testing/entries.ts";
import { describeTier, freshKey } from "../tier.contract.ts";
import type { Tier } from "../tier.ts";
import { createEdgeTier } from "./edge.ts";

const build = (): Required<Tier> => {
  const tier = createEdgeTier(openEdgeCache(), "");
  return { ...tier, fill: async (key, entry) => tier.fill?.(key, entry) };
};

describeTier("edge", build);

test("text that is no entry is passed on, not taken for an answer", async ({ expect }) => {
  const cache = openEdgeCache();
  const key = freshKey("broken");
  await cache.write(`https://${key.domain}/.well-known/hop/entry/broken`, "<html>", 60, "tag");
  expect(await build().lookup(key, 0)).toEqual({ kind: "pass" });
});

test("a cache that fails, or does not answer, is down and never says that a link is absent", async ({ expect }) => {
  const refusing = createEdgeTier(
    { read: () => Promise.reject(new Error("gone")), write: () => Promise.resolve() },
    "",
  );
  expect(await refusing.lookup(freshKey(), 0)).toMatchObject({ kind: "down" });
  const silent = createEdgeTier({ read: () => new Promise(() => {}), write: () => Promise.resolve() }, "");
  expect(await silent.lookup(freshKey(), 0)).toMatchObject({ kind: "down" });
});

test("an entry is kept when what stands in its place is older or broken", async ({ expect }) => {
  const tier = build();
  const key = freshKey();
  await tier.fill(key, present({ version: 7 }));
  await tier.fill(key, present({ version: 7, vouchedAt: 1_900_000_000_000 }));
  expect(await tier.lookup(key, 0)).toMatchObject({ entry: { vouchedAt: 1_900_000_000_000 } });
});
