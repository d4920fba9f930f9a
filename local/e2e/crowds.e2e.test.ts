/**
 * Many at once: a popular link is counted exactly, cold links share no request's I/O, and a crowd at one cold link reaches a backend
 * that is left alone as few.
 *
 * @module
 */
import { afterAll, beforeAll, inject, test } from "vitest";
import { createLink, fieldOf, type Service, startService, stranger } from "./service.ts";

const HOST = "crowds.example.test";
const COUNTED_WITHIN_MS = 20_000;
let service: Service;

beforeAll(async () => {
  service = await startService(HOST);
});
afterAll(() => service.stop());

async function statusesOf(codes: readonly string[]): Promise<readonly number[]> {
  return Promise.all(codes.map(async (code) => (await service.fetch(`/${code}`, { headers: stranger() })).status));
}

test("B144: 2,000 visits of one link at once are 2,000 clicks", async ({ expect }) => {
  const code = await createLink(service);
  const statuses = await statusesOf(Array.from({ length: 2000 }, () => code));
  expect(statuses.filter((status) => status !== 302)).toEqual([]);
  const count = async () => fieldOf(await (await service.api("GET", `/links/${code}`)).json(), "clickCount");
  await expect.poll(count, { timeout: COUNTED_WITHIN_MS, interval: 250 }).toBe(2000);
});

test("B122, B123: 50 cold links one by one and 50 at once open, while the queue's consumer works on the same clients", async ({
  expect,
}) => {
  const bulk = await Promise.all(Array.from({ length: 100 }, () => createLink(service)));
  // Their creation put them in this place's caches; asked for under a new epoch they are in none.
  const cold = await startService(HOST, { CACHE_EPOCH: `crowd-${Date.now()}` });
  const statuses = [];
  for (const code of bulk.slice(0, 50)) statuses.push((await cold.fetch(`/${code}`, { headers: stranger() })).status);
  const atOnce = bulk.slice(50).map(async (code) => (await cold.fetch(`/${code}`, { headers: stranger() })).status);
  statuses.push(...(await Promise.all(atOnce)));
  expect(statuses.filter((status) => status !== 302)).toEqual([]);
  await cold.stop();
});

test("B152: with Redis away, 500 at once who ask for one cold link cost Postgres few statements, and none an error", async ({
  expect,
}) => {
  const code = await createLink(service, { customCode: `crowd-${Date.now()}` });
  const cold = await startService(HOST, { CACHE_EPOCH: `crowd-${Date.now()}` });
  const { faultUrls } = inject("stack");
  const fault = await fetch(faultUrls.redis, {
    method: "PUT",
    body: JSON.stringify({ kind: "refuse", matching: HOST }),
  });
  const asked = async () =>
    Number(fieldOf(await (await fetch(`${faultUrls.postgres}/count?matching=${code}`)).json(), "count"));
  const before = await asked();
  const visits = Array.from(
    { length: 500 },
    async () => (await cold.fetch(`/${code}`, { headers: stranger() })).status,
  );
  expect((await Promise.all(visits)).filter((status) => status !== 302)).toEqual([]);
  expect((await asked()) - before).toBeLessThanOrEqual(5);
  await fetch(`${faultUrls.redis}/${String(fieldOf(await fault.json(), "id"))}`, { method: "DELETE" });
  await cold.stop();
});
