/**
 * Two data centres, each with caches of its own, over one Redis and one Postgres: what is changed in one is seen in the
 * other within the freshness budget, or in seconds where the zone can be purged.
 *
 * @module
 */
import { createServer, type Server } from "node:http";
import { afterAll, beforeAll, inject, test } from "vitest";
import { isRecord, parseJson } from "../../shared/json.ts";
import { createLink, fieldOf, type Service, startService, stranger } from "./service.ts";

const HOST = "places.example.test";
const FRESH_SECONDS = 2;
const BUDGET_MS = FRESH_SECONDS * 1000;
const ZONE = "0123456789abcdef0123456789abcdef";

let here: Service;
let there: Service;
let api: Server;
/** What the stand-in for Cloudflare's API was asked, and how it answers next. */
const purges: { readonly tags: readonly string[]; readonly status: number }[] = [];
const statuses: number[] = [];

beforeAll(async () => {
  api = createServer((request, response) => {
    let body = "";
    request.on("data", (chunk: Buffer) => (body += chunk.toString("utf8")));
    request.on("end", () => {
      const isRight =
        request.url === `/zones/${ZONE}/purge_cache` && request.headers.authorization === "Bearer purge-token";
      const status = isRight ? (statuses.shift() ?? 200) : 403;
      const asked = parseJson(body);
      const tags = isRecord(asked) && Array.isArray(asked["tags"]) ? asked["tags"].map(String) : [];
      purges.push({ tags, status });
      response
        .writeHead(status, { "Content-Type": "application/json", ...(status === 429 ? { "Retry-After": "1" } : {}) })
        .end("{}");
    });
  });
  await new Promise<void>((resolve) => api.listen(0, "127.0.0.1", resolve));
  const address = api.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;
  const vars = { FRESH_SECONDS: String(FRESH_SECONDS) };
  here = await startService(HOST, {
    ...vars,
    CF_ZONE_ID: ZONE,
    CF_API_TOKEN: "purge-token",
    CF_API_BASE: `http://127.0.0.1:${port}`,
  });
  there = await startService(HOST, vars);
});
afterAll(async () => {
  await Promise.all([here.stop(), there.stop()]);
  await new Promise((resolve) => api.close(resolve));
});

let serial = 0;
function create(): Promise<string> {
  serial += 1;
  return createLink(here, {
    longUrl: `https://example.com/${serial}`,
    customCode: `place-${serial}-${Date.now()}`,
  });
}

/** Status and destination as a visitor of a place gets them. */
async function seenFrom(place: Service, code: string): Promise<string> {
  // Another visitor each time: one alone may not ask for an unknown code so often.
  const answer = await place.fetch(`/${code}`, { headers: stranger() });
  return `${answer.status} ${answer.headers.get("Location") ?? ""}`.trim();
}

/** Waits until a place sees what is expected; answers how long it took, or what it saw instead after the budget. */
async function timeUntil(place: Service, code: string, expected: string, limitMs: number): Promise<number | string> {
  const start = Date.now();
  for (;;) {
    const seen = await seenFrom(place, code);
    const tookMs = Date.now() - start;
    if (seen === expected) return tookMs;
    if (tookMs > limitMs) return seen;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

const CHANGES: readonly (readonly [string, string, (code: string) => Promise<unknown>])[] = [
  [
    "a new destination",
    "302 https://example.com/new",
    (code) => here.api("PATCH", `/links/${code}`, { longUrl: "https://example.com/new" }),
  ],
  ["a disabled link", "404", (code) => here.api("PATCH", `/links/${code}`, { disabled: true })],
  ["an expired link", "410", (code) => here.api("PATCH", `/links/${code}`, { expireAt: "2026-01-01T00:00:00Z" })],
  ["a deleted link", "404", (code) => here.api("DELETE", `/links/${code}`)],
];

test.for(CHANGES)(
  "B153, B157, B243: %s shows at once where it was made, and elsewhere within the budget",
  async ([, expected, change], { expect }) => {
    const code = await create();
    expect(await seenFrom(here, code)).toMatch(/^302/);
    expect(await seenFrom(there, code)).toMatch(/^302/);
    await change(code);
    const near = await Promise.all(Array.from({ length: 20 }, () => seenFrom(here, code)));
    expect(new Set(near)).toEqual(new Set([expected]));
    expect(await timeUntil(there, code, expected, BUDGET_MS + 500)).toBeTypeOf("number");
  },
);

test("a link made after it was asked for in vain shows at once where it was made, and elsewhere within seconds", async ({
  expect,
}) => {
  const code = `late-${Date.now()}`;
  expect(await seenFrom(here, code)).toBe("404");
  expect(await seenFrom(there, code)).toBe("404");
  await here.api("POST", "/links", { longUrl: "https://example.com/late", customCode: code });
  expect(await seenFrom(here, code)).toBe("302 https://example.com/late");
  expect(await timeUntil(there, code, "302 https://example.com/late", 11_000)).toBeTypeOf("number");
});

test("a change is purged by its tag, in batches, and again after it was told to wait", async ({ expect }) => {
  const code = await create();
  const before = purges.length;
  statuses.push(429, 500);
  await here.api("PATCH", `/links/${code}`, { longUrl: "https://example.com/purged" });
  const tag = `hop:${HOST}/${code}`;
  const deadline = Date.now() + 15_000;
  const isDone = (): boolean => purges.slice(before).some((purge) => purge.status === 200 && purge.tags.includes(tag));
  while (!isDone() && Date.now() < deadline) await new Promise((resolve) => setTimeout(resolve, 100));
  expect(isDone()).toBe(true);
  expect(purges.slice(before).map(({ status }) => status)).toEqual(expect.arrayContaining([429, 500, 200]));
  for (const purge of purges) expect(purge.tags.length).toBeLessThanOrEqual(30);
});

test("what Redis did not take while it was away reaches it when it is back", async ({ expect }) => {
  const code = await create();
  expect(await seenFrom(there, code)).toMatch(/^302/);
  const control = inject("stack").faultUrls.redis;
  const set = await fetch(control, { method: "PUT", body: JSON.stringify({ kind: "html", matching: code }) });
  await here.api("PATCH", `/links/${code}`, { longUrl: "https://example.com/repaired" });
  await fetch(`${control}/${String(fieldOf(await set.json(), "id"))}`, { method: "DELETE" });
  expect(await timeUntil(there, code, "302 https://example.com/repaired", 15_000)).toBeTypeOf("number");
});

test("B094: what is cached are the facts, so a change of them alone changes the answer", async ({ expect }) => {
  const code = await create();
  await seenFrom(there, code);
  const soon = new Date(Date.now() + 1500).toISOString();
  await here.api("PATCH", `/links/${code}`, { expireAt: soon });
  expect(await timeUntil(there, code, "410", BUDGET_MS + 2500)).toBeTypeOf("number");
  expect(await seenFrom(here, code)).toBe("410");
});
