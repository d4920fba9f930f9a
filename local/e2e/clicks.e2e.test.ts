/**
 * On the deploy build with its real queue: every visit is counted once, and shows within the time promised.
 *
 * @module
 */
import { afterAll, beforeAll, test } from "vitest";
import { createLink, fieldOf, type Service, startService } from "./service.ts";

const COUNTED_WITHIN_MS = 10_000;
let service: Service;

beforeAll(async () => {
  service = await startService("clicks.example.test");
});
afterAll(() => service.stop());

const create = (longUrl: string): Promise<string> => createLink(service, { longUrl });

async function countOf(code: string): Promise<number> {
  return Number(fieldOf(await (await service.api("GET", `/links/${code}`)).json(), "clickCount"));
}

/** The count when it is what is expected, or what it was when the time was over. */
async function settledCount(code: string, expected: number): Promise<number> {
  const deadline = Date.now() + COUNTED_WITHIN_MS;
  let count = await countOf(code);
  while (count !== expected && Date.now() < deadline) {
    await new Promise((resolve) => setTimeout(resolve, 250));
    count = await countOf(code);
  }
  return count;
}

test("600 visits of three links at once are counted link by link, and stay so", async ({ expect }) => {
  const codes = await Promise.all(["a", "b", "c"].map((name) => create(`https://example.com/${name}`)));
  const visits = Array.from({ length: 600 }, (_, at) => codes[at % 3] ?? "");
  const statuses = await Promise.all(visits.map(async (code) => (await service.fetch(`/${code}`)).status));
  expect(new Set(statuses)).toEqual(new Set([302]));
  for (const code of codes) expect(await settledCount(code, 200)).toBe(200);
  await new Promise((resolve) => setTimeout(resolve, 3000));
  for (const code of codes) expect(await countOf(code)).toBe(200);
});

test("B005, B009, B216, B238: HEAD, prefetches, preflights and refused methods are no clicks", async ({ expect }) => {
  const code = await create("https://example.com/quiet");
  const quiet = [
    { method: "HEAD" },
    { method: "HEAD", headers: { "User-Agent": "Mozilla/5.0 (iPhone; CPU iPhone OS 17_0 like Mac OS X)" } },
    { headers: { "Sec-Purpose": "prefetch" } },
    { headers: { Purpose: "prefetch" } },
    { method: "OPTIONS", headers: { Origin: "https://evil.example", "Access-Control-Request-Method": "DELETE" } },
    { method: "POST" },
  ];
  for (const asked of quiet) await service.fetch(`/${code}`, asked);
  await service.fetch(`/${code}`);
  expect(await settledCount(code, 1)).toBe(1);
  await new Promise((resolve) => setTimeout(resolve, 3000));
  expect(await countOf(code)).toBe(1);
});

test("a visitor who asks not to be tracked is counted all the same", async ({ expect }) => {
  const code = await create("https://example.com/private");
  for (const headers of [{ "Sec-GPC": "1" }, { DNT: "1" }]) await service.fetch(`/${code}`, { headers });
  expect(await settledCount(code, 2)).toBe(2);
});

test("a visit that is not sent on is no click", async ({ expect }) => {
  const code = await create("https://example.com/closed");
  await service.api("PATCH", `/links/${code}`, { disabled: true });
  await service.fetch(`/${code}`);
  await service.api("PATCH", `/links/${code}`, { disabled: false, expireAt: "2026-01-01T00:00:00Z" });
  await service.fetch(`/${code}`);
  await service.api("PATCH", `/links/${code}`, { expireAt: null });
  await service.fetch(`/${code}`);
  expect(await settledCount(code, 1)).toBe(1);
});

test("CLICK_MODE=each sends a message a click, and counts the same", async ({ expect }) => {
  const single = await startService("each.clicks.example.test", { CLICK_MODE: "each" });
  const code = await createLink(single);
  await Promise.all(Array.from({ length: 12 }, () => single.fetch(`/${code}`)));
  const count = async () => fieldOf(await (await single.api("GET", `/links/${code}`)).json(), "clickCount");
  await expect.poll(count, { timeout: COUNTED_WITHIN_MS }).toBe(12);
  const messages = single.logs().flatMap((line) => {
    const written = /clicks_written.*?messages\D+(\d+)\D+clicks\D+(\d+)/.exec(line);
    return written === null ? [] : [{ messages: Number(written[1]), clicks: Number(written[2]) }];
  });
  const sum = (of: "messages" | "clicks") => messages.reduce((total, line) => total + line[of], 0);
  expect([sum("messages"), sum("clicks")]).toEqual([12, 12]);
  await single.stop();
});
