/**
 * Programs that look at links on their own are known; people, and the tools in their hands, are not taken for them.
 *
 * @module
 */
import { test } from "vitest";
import { botKind, isKnownBot } from "./bots.ts";

test.for([
  "Slackbot-LinkExpanding 1.0 (+https://api.slack.com/robots)",
  "facebookexternalhit/1.1",
  "WhatsApp/2.23.20.0 A",
  "Twitterbot/1.0",
  "LinkedInBot/1.0 (compatible; Mozilla/5.0; Apache-HttpClient +http://www.linkedin.com)",
  "TelegramBot (like TwitterBot)",
  "Discordbot/2.0",
  "Mozilla/5.0 (compatible; Bluesky Cardyb/1.1)",
  "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/117.0.0.0 Safari/537.36 GTmetrix",
  "Mozilla/5.0 (X11; Linux x86_64) Miniature.io/6.0 AppleWebKit/537.36 (KHTML, like Gecko) QtWebEngine/5.12.4 Chrome/69.0.3497.128 Safari/537.36",
  "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_6) AppleWebKit/537.36 (KHTML, like Gecko) YLT Chrome/85.0.4183.121 Safari/537.36",
  "Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)",
  "Mozilla/5.0",
  "-",
])("B003, B006: %s is a bot", (userAgent, { expect }) => {
  expect(isKnownBot(userAgent)).toBe(true);
});

test.for([
  "Mozilla/5.0 (Linux; Android 8.0.0; CUBOT_P20) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/70.0.3538.110 Mobile Safari/537.36",
  "Mozilla/5.0 (iPhone; CPU iPhone OS 17_4 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.4 Mobile/15E148 Safari/604.1",
  "OurApp 0.0.1 (Linux; Android 4.0.3; HTC Ruby Build/IML74K; en_CA)",
  "curl/8.5.0",
  "node",
  "python-requests/2.31.0",
  "",
  null,
])("%s is none that looks on its own", (userAgent, { expect }) => {
  expect(isKnownBot(userAgent)).toBe(false);
});

test.for([
  ["", "silent"],
  ["-", "silent"],
  ["Mozilla/5.0", "silent"],
  [null, "silent"],
  ["Java/1.8", "tool"],
  ["python-requests/2", "tool"],
  ["curl/8", "tool"],
  ["Twitterbot/1.0", "crawler"],
  ["WhatsApp/2.23.20.0 A", "crawler"],
] as const)("B001, B147: %s is not taken for a person: %s", ([userAgent, kind], { expect }) => {
  expect(botKind(userAgent)).toBe(kind);
});

test.for([
  "Mozilla/5.0 (Linux; Android 8.0.0; CUBOT_P20) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/70.0.3538.110 Mobile Safari/537.36",
  "Mozilla/5.0 (Linux; Android 9; SM-G965F Build/PPR1; wv) AppleWebKit/537.36 (KHTML, like Gecko) Version/4.0 Chrome/76.0 Mobile Safari/537.36 Instagram 105.0.0.18.119 Android (28/9; 560dpi; samsung; jackpot2lte; universal9610)",
  "OurApp 0.0.1 (Linux; Android 4.0.3; HTC Ruby Build/IML74K; en_CA)",
  "Mozilla/5.0 (Linux; U; Android 4.2; ForwardRuby Build/JDQ39) AppleWebKit/534.30 (KHTML, like Gecko) Version/4.0 Mobile Safari/534.30",
  "Mozilla/5.0 (Linux; Android 4.4; Cosmos Build/KOT49H) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/33.0 Mobile Safari/537.36",
  "Mozilla/5.0 (Linux; Android 5.1; Agua Vortex) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/60.0 Mobile Safari/537.36",
])("B127 to B130: %s is a person", (userAgent, { expect }) => {
  expect(botKind(userAgent)).toBeNull();
});
