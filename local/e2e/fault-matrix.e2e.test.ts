/**
 * Which backend is away, how it fails, and what the visitor gets: for links that are hot, warm or cold, expired or deleted,
 * and for codes that nobody made. Never an unknown link where there is one, never a 500, and all heals without a restart.
 *
 * @module
 */
import { afterAll, afterEach, beforeAll, inject, test } from "vitest";
import { createLink, fieldOf, type Service, startService, stranger } from "./service.ts";

type Backend = "postgres" | "redis";

const HOST = "matrix.example.test";
/** Short, so that a warm link is soon looked up again; the tiers' own limits are not touched. */
const FRESH_MS = 1000;
/** Redis' and Postgres' limits together, and as much again for a busy machine: longer is not slow but stuck. */
const STUCK_MS = 2 * (500 + 2000);
/** What Redis did not take at once waits for the queue's next batch, not for a breaker's pause; the rest is for a busy machine. */
const HEALED_WITHIN_MS = 20_000;
const KINDS = ["refuse", "hang", "delay", "html", "cut", "unauthorized", "too_many", "garbage"];

let here: Service;
/** Another data centre: what is made there, no cache of `here` has seen. */
let there: Service;
const lifts: (() => Promise<unknown>)[] = [];

beforeAll(async () => {
  const vars = { FRESH_SECONDS: String(FRESH_MS / 1000) };
  here = await startService(HOST, vars);
  there = await startService(HOST, vars);
});
afterAll(() => Promise.all([here.stop(), there.stop()]));
afterEach(lift);

async function lift(): Promise<void> {
  for (const end of lifts.splice(0)) await end();
}

/** Makes a backend fail for every request that names this host. */
async function breakDown(backend: Backend, kind: string): Promise<void> {
  const control = inject("stack").faultUrls[backend];
  const fault = { kind, matching: HOST, delayMs: 4000 };
  const answer = await fetch(control, { method: "PUT", body: JSON.stringify(fault) });
  const id = Number(fieldOf(await answer.json(), "id"));
  lifts.push(() => fetch(`${control}/${id}`, { method: "DELETE" }));
}

let serial = 0;
/** A generated code: custom ones are not made while Redis is left alone. */
function create(place: Service, fields: Readonly<Record<string, unknown>> = {}): Promise<string> {
  serial += 1;
  return createLink(place, { longUrl: `https://example.com/${serial}`, ...fields });
}

interface Codes {
  readonly hot: string;
  readonly warm: string;
  readonly cold: string;
  readonly unknown: string;
  readonly expired: string;
  readonly deleted: string;
}

async function prepare(): Promise<Codes> {
  const warm = await create(here);
  const expired = await create(here, { expireAt: "2026-01-01T00:00:00Z" });
  const deleted = await create(here);
  await here.api("DELETE", `/links/${deleted}`);
  for (const code of [warm, expired, deleted]) await here.fetch(`/${code}`);
  await new Promise((resolve) => setTimeout(resolve, FRESH_MS + 100));
  const hot = await create(here);
  await here.fetch(`/${hot}`);
  serial += 1;
  return { hot, warm, cold: await create(there), unknown: `unknown-${serial}-${Date.now()}`, expired, deleted };
}

async function statusOf(code: string): Promise<number> {
  const stuck = new Promise<number>((resolve) => setTimeout(() => resolve(Number.NaN), STUCK_MS).unref());
  const answered = here.fetch(`/${code}`, { headers: stranger() }).then((answer) => {
    if (answer.status === 503 && !/^\d+$/.test(answer.headers.get("Retry-After") ?? "")) return Number.NaN;
    return answer.status;
  });
  return await Promise.race([answered, stuck]);
}

async function look(codes: Codes): Promise<Readonly<Record<keyof Codes, number>>> {
  return {
    hot: await statusOf(codes.hot),
    warm: await statusOf(codes.warm),
    cold: await statusOf(codes.cold),
    unknown: await statusOf(codes.unknown),
    expired: await statusOf(codes.expired),
    deleted: await statusOf(codes.deleted),
  };
}

/** A deleted link's tombstone outlives its cache, so it stays deleted while anything that knows it can be asked. */
const KNOWN = { hot: 302, warm: 302, expired: 410, deleted: 404 };

test.for(KINDS)(
  "Postgres answers with %s: whatever a cache or Redis knows goes on",
  { timeout: 60_000 },
  async (kind, { expect }) => {
    const codes = await prepare();
    await breakDown("postgres", kind);
    const seen = await look(codes);
    expect(seen).toMatchObject({ ...KNOWN, cold: 302 });
    // What is in no cache may exist: only the filter of custom codes may say that it does not.
    expect([404, 503]).toContain(seen.unknown);
  },
);

test.for(KINDS)(
  "B151: Redis answers with %s: everything goes on through Postgres",
  { timeout: 60_000 },
  async (kind, { expect }) => {
    const codes = await prepare();
    await breakDown("redis", kind);
    expect(await look(codes)).toEqual({ ...KNOWN, cold: 302, unknown: 404 });
  },
);

test.for(KINDS)(
  "both answer with %s: links that were seen go on, the others say when to come back",
  { timeout: 60_000 },
  async (kind, { expect }) => {
    const codes = await prepare();
    await breakDown("redis", kind);
    await breakDown("postgres", kind);
    expect(await look(codes)).toEqual({ ...KNOWN, cold: 503, unknown: 503 });
    await lift();
    expect(await statusOf(codes.cold)).toBe(302);
    expect(await statusOf(codes.unknown)).toBe(404);
  },
);

test("after all of that a change shows everywhere again, with no restart", { timeout: 90_000 }, async ({ expect }) => {
  const code = await create(here);
  await there.fetch(`/${code}`);
  await here.api("PATCH", `/links/${code}`, { longUrl: "https://example.com/healed" });
  expect((await here.fetch(`/${code}`)).headers.get("Location")).toBe("https://example.com/healed");
  const deadline = Date.now() + HEALED_WITHIN_MS;
  let seen: string | null = null;
  while (seen !== "https://example.com/healed" && Date.now() < deadline) {
    await new Promise((resolve) => setTimeout(resolve, 250));
    seen = (await there.fetch(`/${code}`, { headers: stranger() })).headers.get("Location");
  }
  expect(seen).toBe("https://example.com/healed");
});
