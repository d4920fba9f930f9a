/**
 * A link with a limit lets exactly so many visits pass, and only people spend them.
 *
 * @module
 */
import { afterAll, beforeAll, test } from "vitest";
import { createLink, fieldOf, type Service, startService } from "./service.ts";

const BROWSER = {
  "User-Agent": "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/130.0 Safari/537.36",
};
const SLACK = { "User-Agent": "Slackbot-LinkExpanding 1.0 (+https://api.slack.com/robots)" };
let service: Service;

beforeAll(async () => {
  service = await startService("limits.example.test");
});
afterAll(() => service.stop());

const create = (fields: Readonly<Record<string, unknown>>): Promise<string> =>
  createLink(service, { longUrl: "https://example.com/limited", unique: false, ...fields });

async function clicksOf(code: string): Promise<unknown> {
  return fieldOf(await (await service.api("GET", `/links/${code}`)).json(), "clickCount");
}

const visit = (code: string, headers: Readonly<Record<string, string>> = BROWSER, method = "GET") =>
  service.fetch(`/${code}`, { method, headers });

test(
  "of 1,000 visits at once on a limit of 100 exactly 100 pass, and exactly 100 are counted",
  { timeout: 90_000 },
  async ({ expect }) => {
    const code = await create({ maxClicks: 100 });
    const answers = await Promise.all(Array.from({ length: 1000 }, async () => (await visit(code)).status));
    expect(answers.filter((status) => status === 302)).toHaveLength(100);
    expect(answers.filter((status) => status === 410)).toHaveLength(900);
    await expect.poll(() => clicksOf(code), { timeout: 20_000, interval: 250 }).toBe(100);
  },
);

test("B003: a preview bot spends nothing and sees where the link leads; the next person still passes", async ({
  expect,
}) => {
  const code = await create({ maxClicks: 1 });
  for (let round = 0; round < 3; round += 1) {
    const seen = await visit(code, SLACK);
    expect(seen.status).toBe(200);
    expect(seen.headers.get("Location")).toBeNull();
    expect(await seen.text()).toContain("https://example.com/limited");
  }
  expect((await visit(code)).status).toBe(302);
  expect((await visit(code)).status).toBe(410);
});

test("HEAD and look-aheads spend nothing", async ({ expect }) => {
  const code = await create({ maxClicks: 1 });
  for (let round = 0; round < 3; round += 1) expect((await visit(code, BROWSER, "HEAD")).status).toBe(302);
  expect((await visit(code, { ...BROWSER, "Sec-Purpose": "prefetch" })).status).toBe(503);
  expect((await visit(code)).status).toBe(302);
  expect((await visit(code, BROWSER, "HEAD")).status).toBe(410);
});

test("B229: when the last visit is spent, others go where the owner said, uncached", async ({ expect }) => {
  const code = await create({ maxClicks: 1, expiredUrl: "https://example.org/over" });
  expect((await visit(code)).headers.get("Location")).toBe("https://example.com/limited");
  const over = await visit(code);
  expect(over.status).toBe(302);
  expect(over.headers.get("Location")).toBe("https://example.org/over");
  expect(over.headers.get("Cache-Control")).toBe("no-store");
});

test("a limit set later counts the visits before it; a raised one gives more; a lifted one lets all pass", async ({
  expect,
}) => {
  const code = await create({ unique: true });
  for (let round = 0; round < 3; round += 1) await visit(code);
  await expect.poll(() => clicksOf(code), { timeout: 20_000, interval: 250 }).toBe(3);
  await service.api("PATCH", `/links/${code}`, { maxClicks: 4 });
  expect([(await visit(code)).status, (await visit(code)).status]).toEqual([302, 410]);
  await service.api("PATCH", `/links/${code}`, { maxClicks: 5 });
  expect([(await visit(code)).status, (await visit(code)).status]).toEqual([302, 410]);
  await service.api("PATCH", `/links/${code}`, { maxClicks: null });
  for (let round = 0; round < 3; round += 1) expect((await visit(code)).status).toBe(302);
});

test("a permanent redirect of a limited link is not kept by browsers, and each creation is a link of its own", async ({
  expect,
}) => {
  const code = await create({ maxClicks: 2, redirectStatus: 301 });
  expect(await create({ maxClicks: 2, redirectStatus: 301 })).not.toBe(code);
  const seen = await visit(code);
  expect([seen.status, seen.headers.get("Cache-Control")]).toEqual([301, "no-store"]);
});

test.for([0, -1, 1.5, "3", 2 ** 31])("maxClicks of %s is refused", async (maxClicks, { expect }) => {
  const answer = await service.api("POST", "/links", { longUrl: "https://example.com/", maxClicks });
  expect(answer.status).toBe(400);
  expect(await answer.json()).toMatchObject({ code: "invalid_request", errors: [{ path: "maxClicks" }] });
});
