/**
 * Device, browser and system of the browsers that people use, and nothing of what says nothing.
 *
 * @module
 */
import fc from "fast-check";
import { test } from "vitest";
import { readUserAgent } from "./user-agent.ts";

test.for([
  [
    "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/141.0.0.0 Safari/537.36",
    { device: "desktop", browser: "Chrome", os: "Windows" },
  ],
  [
    "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0",
    { device: "desktop", browser: "Firefox", os: "Linux" },
  ],
  [
    "Mozilla/5.0 (iPhone; CPU iPhone OS 17_4 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.4 Mobile/15E148 Safari/604.1",
    { device: "mobile", browser: "Mobile Safari", os: "iOS" },
  ],
  [
    "Mozilla/5.0 (iPad; CPU OS 16_6 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/16.6 Mobile/15E148 Safari/604.1",
    { device: "tablet", browser: "Mobile Safari", os: "iOS" },
  ],
  [
    "Mozilla/5.0 (Linux; Android 8.0.0; CUBOT_P20) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/70.0.3538.110 Mobile Safari/537.36",
    { device: "mobile", browser: "Chrome", os: "Android" },
  ],
  [
    "Mozilla/5.0 (Linux; Android 9; SM-G965F Build/PPR1; wv) AppleWebKit/537.36 (KHTML, like Gecko) Version/4.0 Chrome/76.0 Mobile Safari/537.36 Instagram 105.0.0.18.119 Android (28/9; 560dpi; samsung; jackpot2lte; universal9610)",
    { device: "mobile", browser: "Instagram", os: "Android" },
  ],
] as const)("%s", ([userAgent, read], { expect }) => {
  expect(readUserAgent(userAgent)).toEqual(read);
});

test("B230: an iPad that asks for desktop pages looks like a Mac, and one that does not is no desktop", ({
  expect,
}) => {
  const mac =
    "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.4 Safari/605.1.15";
  expect(readUserAgent(mac)).toEqual({ device: "desktop", browser: "Safari", os: "Mac OS" });
  expect(readUserAgent(mac.replace("Safari/", "Mobile/15E148 Safari/"))).toMatchObject({ device: "tablet", os: "iOS" });
});

test("what says nothing tells nothing, and nothing makes it fail", ({ expect }) => {
  expect(readUserAgent(null)).toEqual({ device: null, browser: null, os: null });
  fc.assert(
    fc.property(fc.string({ unit: "binary", maxLength: 512 }), (userAgent) => {
      for (const value of Object.values(readUserAgent(userAgent))) expect(value).not.toBe("");
    }),
  );
});
