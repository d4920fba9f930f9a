/**
 * Unknown codes that are asked for, from the visit to `GET /api/v1/misses`.
 *
 * @module
 */
import { afterAll, beforeAll, test } from "vitest";
import { fieldOf, type Service, see, startService, stranger } from "./service.ts";

const HOST = "misses.example.test";
let service: Service;

beforeAll(async () => {
  service = await startService(HOST);
});
afterAll(() => service.stop());

const misses = (query = "") => see(service.api("GET", `/misses?domain=${HOST}${query}`));

test("unknown codes are counted by code, most requested first; HEAD and links that exist are not", async ({
  expect,
}) => {
  await service.api("POST", "/links", { longUrl: "https://example.com/there", customCode: "there" });
  const ask = (path: string, method = "GET") => service.fetch(path, { method, headers: stranger() });
  const asked = [
    ...Array.from({ length: 10 }, () => "/mis-print"),
    "/second",
    "/second",
    "/gr%C3%B6%C3%9Fe",
    "/there",
    "/wp-login.php/",
    "/a/b",
  ];
  for (const path of asked) await ask(path);
  await ask("/mis-print", "HEAD");
  const listed = async () => fieldOf((await misses()).body, "misses");
  await expect.poll(listed, { timeout: 15_000 }).toMatchObject([
    { domain: HOST, shortCode: "mis-print", misses: 10 },
    { shortCode: "second", misses: 2 },
    { shortCode: "größe", misses: 1 },
    { shortCode: "wp-login.php", misses: 1 },
  ]);
  const few = await misses("&limit=1");
  expect(few).toMatchObject({ status: 200, headers: { "cache-control": "no-store" } });
  expect(few.body).toMatchObject({ misses: [{ shortCode: "mis-print" }], other: 4 });
  expect((await misses("&from=2020-02-29&to=2020-03-01")).body).toEqual({
    from: "2020-02-29",
    to: "2020-03-01",
    misses: [],
    other: 0,
  });
});

test.for([
  ["from=2026-12-02&to=2026-12-01", "to"],
  ["limit=0", "limit"],
  ["limit=101", "limit"],
  ["from=yesterday", "from"],
  ["from=0000-01-01T00:00:00Z", "from"],
  ["to=2026-02-30", "to"],
] as const)("%s is refused, and the error names %s", async ([query, path], { expect }) => {
  const seen = await misses(`&${query}`);
  expect(seen.status).toBe(400);
  expect(seen.body).toMatchObject({ code: "invalid_request", errors: [{ path }] });
});

test("misses want a key", async ({ expect }) => {
  expect((await service.fetch("/api/v1/misses")).status).toBe(401);
});
