/**
 * Clicks are erased over HTTP, by link and by period, and only by who may write links.
 *
 * @module
 */
import { afterAll, beforeAll, test } from "vitest";
import { createLink, fieldOf, type Seen, see, type Service, startService } from "./service.ts";

const HOST = "erase.example.test";
const COUNTED_WITHIN_MS = 10_000;
let service: Service;

beforeAll(async () => {
  service = await startService(HOST);
});
afterAll(() => service.stop());

async function clicksOf(code: string): Promise<unknown> {
  return fieldOf(fieldOf((await see(service.api("GET", `/links/${code}/stats`))).body, "totals"), "clicks");
}

/** A link with so many clicks that are counted. */
async function visited(visits: number): Promise<string> {
  const code = await createLink(service);
  for (let visit = 0; visit < visits; visit += 1) await service.fetch(`/${code}`);
  const deadline = Date.now() + COUNTED_WITHIN_MS;
  while ((await clicksOf(code)) !== visits && Date.now() < deadline) {
    await new Promise((resolve) => setTimeout(resolve, 250));
  }
  return code;
}

const erase = (code: string, query = ""): Promise<Seen> => see(service.api("DELETE", `/links/${code}/clicks${query}`));

test("all clicks of a link are erased, from its figures, its log and its counts, and those of others stay", async ({
  expect,
}) => {
  const [code, other] = [await visited(3), await visited(2)];
  expect((await erase(code, "?to=2020-01-01")).body).toEqual({ erased: 0 });
  const seen = await erase(code, `?domain=${HOST}`);
  expect(seen).toMatchObject({ status: 200, body: { erased: 3 } });
  expect(await clicksOf(code)).toBe(0);
  expect((await see(service.api("GET", `/links/${code}/clicks`))).body).toEqual({ clicks: [], nextCursor: null });
  const link = await see(service.api("GET", `/links/${code}`));
  expect(link.body).toMatchObject({ clickCount: 0, lastClickAt: null });
  expect((await erase(code)).body).toEqual({ erased: 0 });
  expect(await clicksOf(other)).toBe(2);
  const today = `?from=${new Date(Date.now() - 3_600_000).toISOString()}`;
  expect((await erase(other, today)).body).toEqual({ erased: 2 });
});

test.for([
  "from=yesterday",
  "from=",
  "from=2026-12-02&to=2026-12-01",
  "timezone=Mars/Olympus",
  "form=2026-12-01",
  "domain=nobody.example",
])("%s is refused and erases nothing", async (query, { expect }) => {
  const code = await createLink(service);
  const seen = await erase(code, `?${query}`);
  expect(seen.status).toBe(400);
  expect(seen.body).toMatchObject({ code: "invalid_request" });
});

test("a link that is none has no clicks to erase, and nobody erases any without a key", async ({ expect }) => {
  expect((await erase("no-such-link")).status).toBe(404);
  const code = await createLink(service);
  for (const headers of [{}, { Authorization: "Bearer wrong" }]) {
    const answer = await service.fetch(`/api/v1/links/${code}/clicks`, { method: "DELETE", headers });
    expect(answer.status).toBe(401);
  }
  expect((await see(service.api("POST", `/links/${code}/clicks`))).headers["allow"]).toContain("DELETE");
});
