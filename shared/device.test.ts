/**
 * What devices say of themselves is what rules take them for.
 *
 * @module
 */
import { test } from "vitest";
import { devicesOf } from "./device.ts";

const WEBKIT = "AppleWebKit/605.1.15 (KHTML, like Gecko)";
const CHROME = "AppleWebKit/537.36 (KHTML, like Gecko) Chrome/141.0.0.0";

test.for([
  [
    "an iPhone",
    `Mozilla/5.0 (iPhone; CPU iPhone OS 18_7 like Mac OS X) ${WEBKIT} Version/26.0 Mobile/15E148 Safari/604.1`,
    ["ios", "mobile"],
  ],
  ["an app on an iPhone", "Instagram 250.0.0 (iPhone14,5; iOS 16_0; en_US; scale=3.00)", ["ios", "mobile"]],
  ["an iPod", `Mozilla/5.0 (iPod touch; CPU iPhone OS 12_0 like Mac OS X) ${WEBKIT} Mobile/16A366`, ["ios", "mobile"]],
  [
    "an iPad",
    `Mozilla/5.0 (iPad; CPU OS 18_7 like Mac OS X) ${WEBKIT} CriOS/141.0 Mobile/15E148 Safari/604.1`,
    ["ios", "tablet"],
  ],
  ["an app on an iPad", `Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) ${WEBKIT} Mobile/15E148`, ["ios", "tablet"]],
  [
    "Safari on an iPad, which says it is a Mac",
    `Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) ${WEBKIT} Version/26.0 Safari/605.1.15`,
    ["desktop"],
  ],
  ["an Android phone", `Mozilla/5.0 (Linux; Android 10; K) ${CHROME} Mobile Safari/537.36`, ["android", "mobile"]],
  [
    "Firefox on an Android phone",
    "Mozilla/5.0 (Android 15; Mobile; rv:143.0) Gecko/143.0 Firefox/143.0",
    ["android", "mobile"],
  ],
  ["an Android tablet", `Mozilla/5.0 (Linux; Android 14; SM-X910) ${CHROME} Safari/537.36`, ["android", "tablet"]],
  [
    "Firefox on an Android tablet",
    "Mozilla/5.0 (Android 15; Tablet; rv:143.0) Gecko/143.0 Firefox/143.0",
    ["android", "tablet"],
  ],
  [
    "a Kindle Fire",
    `Mozilla/5.0 (Linux; Android 11; KFTRWI) AppleWebKit/537.36 (KHTML, like Gecko) Silk/140.1 like Chrome/140.0 Safari/537.36`,
    ["android", "tablet"],
  ],
  ["an Android television", `Mozilla/5.0 (Linux; Android 12; BRAVIA 4K VH2) ${CHROME} Safari/537.36`, ["android"]],
  ["an app's library on Android", "Dalvik/2.1.0 (Linux; U; Android 14; SM-S911B Build/UP1A)", ["android"]],
  [
    "Opera Mini",
    "Opera/9.80 (Android; Opera Mini/36.2/119.132; U; id) Presto/2.12.423 Version/12.16",
    ["android", "mobile"],
  ],
  [
    "a Windows phone",
    "Mozilla/5.0 (Windows Phone 10.0; Android 6.0.1; Microsoft; Lumia 950) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/52.0 Mobile Safari/537.36 Edge/15.14977",
    ["mobile"],
  ],
  ["a KaiOS phone", "Mozilla/5.0 (Mobile; Nokia_8110_4G; rv:48.0) Gecko/48.0 Firefox/48.0 KAIOS/2.5", ["mobile"]],
  [
    "a HarmonyOS phone",
    "Mozilla/5.0 (Phone; OpenHarmony 5.0) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/114.0 Safari/537.36 ArkWeb/4.1 Mobile",
    ["mobile"],
  ],
  ["Windows", `Mozilla/5.0 (Windows NT 10.0; Win64; x64) ${CHROME} Safari/537.36`, ["desktop"]],
  [
    "an old Windows with a pen",
    "Mozilla/4.0 (compatible; MSIE 8.0; Windows NT 6.1; Trident/4.0; Tablet PC 2.0)",
    ["desktop"],
  ],
  ["Linux", "Mozilla/5.0 (X11; Linux x86_64; rv:143.0) Gecko/20100101 Firefox/143.0", ["desktop"]],
  ["a Chromebook", `Mozilla/5.0 (X11; CrOS x86_64 14541.0.0) ${CHROME} Safari/537.36`, ["desktop"]],
  [
    "a Samsung television",
    "Mozilla/5.0 (SMART-TV; LINUX; Tizen 7.0) AppleWebKit/537.36 (KHTML, like Gecko) Version/7.0 TV Safari/537.36",
    [],
  ],
  [
    "an LG television",
    "Mozilla/5.0 (Web0S; Linux/SmartTV) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/94.0 Safari/537.36",
    [],
  ],
  ["an Xbox", `Mozilla/5.0 (Windows NT 10.0; Win64; x64; Xbox; Xbox One) ${CHROME} Safari/537.36 Edge/44`, []],
  [
    "Google's bot as a phone",
    `Mozilla/5.0 (Linux; Android 6.0.1; Nexus 5X Build/MMB29P) ${CHROME} Mobile Safari/537.36 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)`,
    ["android", "mobile"],
  ],
  ["Google's bot as itself", "Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)", []],
  ["curl", "curl/8.14.1", []],
  ["nothing", "", []],
  ["no user agent", null, []],
] as const)("%s", ([, userAgent, kinds], { expect }) => {
  expect(devicesOf(userAgent)).toEqual(kinds);
});
