/**
 * How far the readers of user agents agree with the lists that are published for it, and on what they do not.
 *
 * `crawler-user-agents` (MIT) holds programs, `top-user-agents` (MIT) the browsers that people use most. Both are pinned: a newer one
 * may bring new disagreements, and each is to be judged.
 *
 * @module
 */
import crawlers from "crawler-user-agents";
import desktops from "top-user-agents/desktop";
import mobiles from "top-user-agents/mobile";
import { test } from "vitest";
import { devicesOf } from "../../shared/device.ts";
import { botKind } from "./bots.ts";
import { readUserAgent } from "./user-agent.ts";

/** What the list of crawlers holds and is taken for a person's, by the list's own pattern. */
const TAKEN_FOR_PEOPLE = [
  // Apps that show pages to a person: Instagram's and Facebook's, two editors, and a maker of apps out of sites.
  String.raw`AP3A\.240617\.008`,
  String.raw`Code\/1\.`,
  "MetaIAB Facebook",
  String.raw`Trae\/`,
  "Fluid",
  // A Chrome on a Mac but for one word that nothing published explains.
  "TSM-turingos",
];

test("of 2118 user agents of programs 2112 are not taken for a person's, and the six others are known", ({
  expect,
}) => {
  const all = crawlers.flatMap(({ pattern, instances }) => instances.map((instance) => ({ pattern, instance })));
  const missed = all.filter(({ instance }) => botKind(instance) === null);
  expect(missed.map(({ pattern }) => pattern)).toEqual(TAKEN_FOR_PEOPLE);
  expect([all.length, all.length - missed.length]).toEqual([2118, 2112]);
});

test.for([
  ["desktop", desktops, 82],
  ["mobile", mobiles, 18],
] as const)(
  "all browsers that are listed as %s are a person's, on such a device",
  ([device, list, count], { expect }) => {
    const disagreements = list.filter((userAgent) => {
      const read = readUserAgent(userAgent);
      const fits =
        device === "desktop" ? read.device === "desktop" : read.device === "mobile" || read.device === "tablet";
      return !fits || read.browser === null || read.os === null || botKind(userAgent) !== null;
    });
    expect(disagreements).toEqual([]);
    expect(list).toHaveLength(count);
  },
);

/** What rules take a user agent for, in the words of figures. */
const sizeInRules = (userAgent: string) =>
  devicesOf(userAgent).find((kind) => kind !== "ios" && kind !== "android") ?? null;

test("what rules take a device for is what figures say, for all browsers that are listed", ({ expect }) => {
  for (const userAgent of [...desktops, ...mobiles]) {
    const { device, os } = readUserAgent(userAgent);
    expect(sizeInRules(userAgent), userAgent).toBe(device);
    expect(devicesOf(userAgent).includes("ios"), userAgent).toBe(os === "iOS");
    expect(devicesOf(userAgent).includes("android"), userAgent).toBe(os === "Android");
  }
});

test("of 2118 user agents of programs rules and figures take two for different devices", ({ expect }) => {
  const different = crawlers.flatMap(({ pattern, instances }) =>
    instances.flatMap((userAgent) => {
      const [ours, theirs] = [sizeInRules(userAgent), readUserAgent(userAgent).device];
      return ours === null || theirs === null || ours === theirs ? [] : [pattern];
    }),
  );
  // One says Android and iPhone at once; the other is an iPad, which the parser takes for a phone.
  expect(different).toEqual(["SurdotlyBot", String.raw`adbeat\.com`]);
});
