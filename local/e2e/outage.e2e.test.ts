/**
 * What a visitor sees while a backend is away: every link that a cache has seen still opens, nothing that exists is called
 * unknown, and all heals without a restart.
 *
 * @module
 */
import { afterAll, afterEach, beforeAll, inject, test } from "vitest";
import { createLink, fieldOf, type Service, startService } from "./service.ts";

type Backend = "postgres" | "redis";

let service: Service;
const lifts: (() => Promise<unknown>)[] = [];

beforeAll(async () => {
  // A second of freshness, so that a warm link is soon looked up again.
  service = await startService("outage.example.test", { FRESH_SECONDS: "1" });
});
afterAll(() => service.stop());
afterEach(lift);

async function lift(): Promise<void> {
  for (const end of lifts.splice(0)) await end();
}

/** Makes a backend fail for every request of this service, which are known by its host. */
async function breakDown(backend: Backend, kind: string, matching = "outage.example.test"): Promise<void> {
  const control = inject("stack").faultUrls[backend];
  const answer = await fetch(control, { method: "PUT", body: JSON.stringify({ kind, matching, delayMs: 5000 }) });
  const id = Number(fieldOf(await answer.json(), "id"));
  lifts.push(() => fetch(`${control}/${id}`, { method: "DELETE" }));
}

let serial = 0;
function create(): Promise<string> {
  serial += 1;
  return createLink(service, { longUrl: `https://example.com/${serial}` });
}

const stale = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 1100));
const statusOf = async (code: string): Promise<number> => (await service.fetch(`/${code}`)).status;

test("with both away a link that was seen opens however stale it is; after recovery a change shows", async ({
  expect,
}) => {
  const warm = await create();
  await statusOf(warm);
  await stale();
  await breakDown("redis", "refuse");
  await breakDown("postgres", "refuse");
  expect(await statusOf(warm)).toBe(302);
  expect(await statusOf(warm)).toBe(302);
  expect(await statusOf(`never-seen-${Date.now()}`)).toBe(503);

  await lift();
  await service.api("PATCH", `/links/${warm}`, { longUrl: "https://example.com/mended" });
  expect((await service.fetch(`/${warm}`)).headers.get("Location")).toBe("https://example.com/mended");
});

test("the API says 503 with Retry-After while Postgres is away, and loses nothing", async ({ expect }) => {
  const code = await create();
  await breakDown("postgres", "refuse");
  for (const [method, body] of [
    ["GET", undefined],
    ["PATCH", { longUrl: "https://example.com/x" }],
    ["DELETE", undefined],
  ] as const) {
    const answer = await service.api(method, `/links/${code}`, body);
    expect(answer.status).toBe(503);
    expect(answer.headers.get("Retry-After")).toMatch(/^\d+$/);
    expect(await answer.json()).toMatchObject({ code: "unavailable" });
  }
  await lift();
  expect((await service.api("GET", `/links/${code}`)).status).toBe(200);
});

test("a creation while Redis is away stands", async ({ expect }) => {
  await breakDown("redis", "html");
  const code = await create();
  expect(await statusOf(code)).toBe(302);
  await lift();
  await stale();
  expect(await statusOf(code)).toBe(302);
});

test("/healthz says that the Worker runs; its deep look names what is down, and wants a key", async ({ expect }) => {
  const deep = () => service.fetch("/healthz?deep=1", { headers: { "X-Api-Key": "test-admin-key" } });
  expect((await service.fetch("/healthz?deep=1")).status).toBe(401);
  expect(await (await deep()).json()).toEqual({
    status: "ok",
    checks: { postgres: "ok", redis: "ok", sequencer: "ok" },
  });
  await breakDown("postgres", "refuse", "SELECT 1");
  await breakDown("redis", "html", '["ping"]');
  const answer = await deep();
  expect(answer.status).toBe(503);
  expect(await answer.json()).toMatchObject({
    status: "down",
    checks: { postgres: "down", redis: "down", sequencer: "ok" },
  });
  expect(await (await service.fetch("/healthz")).json()).toEqual({ status: "ok" });
});

test("clicks made while Postgres is away are counted when it is back", async ({ expect }) => {
  const code = await create();
  const id = String(fieldOf(await (await service.api("GET", `/links/${code}`)).json(), "id"));
  await statusOf(code);
  await breakDown("postgres", "html", id);
  await statusOf(code);
  await statusOf(code);
  await new Promise((resolve) => setTimeout(resolve, 5000));
  await lift();
  const deadline = Date.now() + 30_000;
  let count = 0;
  while (count !== 3 && Date.now() < deadline) {
    await new Promise((resolve) => setTimeout(resolve, 500));
    count = Number(fieldOf(await (await service.api("GET", `/links/${code}`)).json(), "clickCount"));
  }
  expect(count).toBe(3);
});
