/**
 * What a visitor sees of a change to a link that caches know already: at once, in the place where it was made.
 *
 * @module
 */
import { afterAll, afterEach, beforeAll, inject, test } from "vitest";
import { createLink, fieldOf, type Seen, see, type Service, startService, stranger } from "./service.ts";

const HOST = "links-seen.example.test";
const OLD = "https://example.com/old";
const NEW = "https://example.com/new";

type Fields = Readonly<Record<string, unknown>>;
/** Status and destination of a visit. */
type Outcome = readonly [number, string | undefined];

let service: Service;
let serial = 0;
const lifts: (() => Promise<unknown>)[] = [];

beforeAll(async () => {
  service = await startService(HOST);
});
afterAll(() => service.stop());
afterEach(async () => {
  for (const lift of lifts.splice(0)) await lift();
});

const send = (method: string, code: string, fields?: Fields): Promise<Seen> =>
  see(service.api(method, `/links/${code}`, fields));
const visit = (code: string): Promise<Seen> => see(service.fetch(`/${code}`, { headers: stranger() }));
const wait = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
const inMs = (ms: number): string => new Date(Date.now() + ms).toISOString();

async function outcome(code: string): Promise<Outcome> {
  const { status, headers } = await visit(code);
  return [status, headers["location"]];
}

/** Makes a link to {@link OLD} and, if it is not to stay cold, visits it. */
async function create(fields: Fields = {}, isWarm = true): Promise<string> {
  serial += 1;
  const code = await createLink(service, { longUrl: OLD, customCode: `seen-${serial}`, ...fields });
  if (isWarm) await visit(code);
  return code;
}

/** Makes each answer of Redis to this service late, until the test is over. */
async function slowRedis(delayMs: number): Promise<void> {
  const control = inject("stack").faultUrls.redis;
  const fault = { kind: "delay", delayMs, matching: HOST };
  const id = Number(fieldOf(await (await fetch(control, { method: "PUT", body: JSON.stringify(fault) })).json(), "id"));
  lifts.push(() => fetch(`${control}/${id}`, { method: "DELETE" }));
}

/** A change, as the fields of the creation and of the PATCH, and what the visits before and after it see. */
const CHANGES: readonly (readonly [string, Fields, Fields, Outcome, Outcome])[] = [
  ["B153: another destination", {}, { longUrl: NEW }, [302, OLD], [302, NEW]],
  ["another status", {}, { redirectStatus: 307 }, [302, OLD], [307, OLD]],
  ["the default status again", { redirectStatus: 307 }, { redirectStatus: null }, [307, OLD], [302, OLD]],
  ["B015: disabled", {}, { disabled: true }, [302, OLD], [404, undefined]],
  ["B015: enabled", { disabled: true }, { disabled: false }, [404, undefined], [302, OLD]],
  ["an end that has passed", {}, { expireAt: "2026-01-01T00:00:00Z" }, [302, OLD], [410, undefined]],
  ["no end any more", { expireAt: "2026-01-01T00:00:00Z" }, { expireAt: null }, [410, undefined], [302, OLD]],
  ["a later end", { expireAt: "2026-01-01T00:00:00Z" }, { expireAt: inMs(3_600_000) }, [410, undefined], [302, OLD]],
  ["a beginning ahead", {}, { validSince: inMs(3_600_000) }, [302, OLD], [404, undefined]],
  ["a beginning that has passed", { validSince: inMs(3_600_000) }, { validSince: null }, [404, undefined], [302, OLD]],
  [
    "B229: somewhere to go after the end",
    { expireAt: "2026-01-01T00:00:00Z" },
    { expiredUrl: NEW },
    [410, undefined],
    [302, NEW],
  ],
  [
    "B229: nowhere to go after the end",
    { expireAt: "2026-01-01T00:00:00Z", expiredUrl: NEW },
    { expiredUrl: null },
    [302, NEW],
    [410, undefined],
  ],
  ["a title, which changes nothing for visitors", {}, { title: "x" }, [302, OLD], [302, OLD]],
];

test.concurrent.for(CHANGES)(
  "%s: the visit after the change sees it",
  async ([, made, changed, before, after], { expect }) => {
    const code = await create(made);
    expect(await outcome(code)).toEqual(before);
    expect((await send("PATCH", code, changed)).status).toBe(200);
    expect(await outcome(code)).toEqual(after);
  },
);

test("B157: no visit that began after the change was answered sees the old destination", async ({ expect }) => {
  const code = await create();
  for (let round = 0; round < 5; round += 1) {
    const longUrl = `https://example.com/round/${round}`;
    await send("PATCH", code, { longUrl });
    const seen = await Promise.all(Array.from({ length: 20 }, () => outcome(code)));
    expect(seen).toEqual(seen.map(() => [302, longUrl]));
  }
});

test("B157: nor while Redis is slow and visits fill the caches as the change goes on", async ({ expect }) => {
  const code = await create({}, false);
  await slowRedis(300);
  const visits = Array.from({ length: 20 }, async (_, round) => {
    await wait(round * 20);
    return outcome(code);
  });
  await send("PATCH", code, { longUrl: NEW });
  const seen = await Promise.all(Array.from({ length: 20 }, () => outcome(code)));
  expect(seen).toEqual(seen.map(() => [302, NEW]));
  for (const [status, location] of await Promise.all(visits)) {
    expect(status).toBe(302);
    expect([OLD, NEW]).toContain(location);
  }
  expect(await outcome(code)).toEqual([302, NEW]);
});

test("a code that was asked for before it was made opens at once when it is made", async ({ expect }) => {
  const code = `asked-for-${Date.now()}`;
  expect(await outcome(code)).toEqual([404, undefined]);
  await create({ customCode: code }, false);
  expect(await outcome(code)).toEqual([302, OLD]);
});

test("B012, B016: a deleted link that was warm is unknown at once, and stays so", async ({ expect }) => {
  const code = await create();
  expect((await send("DELETE", code)).status).toBe(204);
  for (let round = 0; round < 5; round += 1) {
    const seen = await Promise.all([outcome(code), outcome(code)]);
    expect(seen).toEqual(seen.map(() => [404, undefined]));
    await wait(100);
  }
});

test("B016: nor does a deleted link come back while visits fill the caches and Redis is slow", async ({ expect }) => {
  const code = await create({}, false);
  await slowRedis(300);
  const visits = Array.from({ length: 20 }, async (_, round) => {
    await wait(round * 20);
    return outcome(code);
  });
  expect((await send("DELETE", code)).status).toBe(204);
  const seen = await Promise.all(Array.from({ length: 20 }, () => outcome(code)));
  expect(seen).toEqual(seen.map(() => [404, undefined]));
  for (const [status] of await Promise.all(visits)) expect([302, 404]).toContain(status);
  expect(await outcome(code)).toEqual([404, undefined]);
});

test("a deleted link is 404, also when it had expired: the same page as a code that never was", async ({ expect }) => {
  const code = await create({ expireAt: "2026-01-01T00:00:00Z" });
  expect((await visit(code)).status).toBe(410);
  await send("DELETE", code);
  const [deleted, never] = [await visit(code), await visit("never-was")];
  expect([deleted.status, deleted.text]).toEqual([404, never.text]);
});

test("B156: a deleted link's code can be had again and leads where its new link says", async ({ expect }) => {
  const code = await create();
  await send("DELETE", code);
  expect(await outcome(code)).toEqual([404, undefined]);
  await create({ customCode: code, longUrl: NEW }, false);
  const seen = await Promise.all(Array.from({ length: 20 }, () => outcome(code)));
  expect(seen).toEqual(seen.map(() => [302, NEW]));
  expect(await send("GET", code)).toMatchObject({ status: 200, body: { longUrl: NEW, clickCount: 0 } });
});

test("B153: five times round through create, visit, change, visit, delete, visit", async ({ expect }) => {
  const code = `round-${Date.now()}`;
  for (let round = 0; round < 5; round += 1) {
    const [first, second] = [`${OLD}/${round}`, `${NEW}/${round}`];
    await create({ customCode: code, longUrl: first }, false);
    expect(await outcome(code)).toEqual([302, first]);
    await send("PATCH", code, { longUrl: second });
    expect(await outcome(code)).toEqual([302, second]);
    await send("DELETE", code);
    expect(await outcome(code)).toEqual([404, undefined]);
  }
});

test.concurrent("B013: a warm link ends on time with 410, which is another page than that of an unknown code", async ({
  expect,
}) => {
  const end = Date.now() + 2000;
  const code = await create({ expireAt: new Date(end).toISOString() });
  expect(await outcome(code)).toEqual([302, OLD]);
  await wait(end - Date.now() - 300);
  expect(await outcome(code)).toEqual([302, OLD]);
  await wait(end - Date.now() + 50);
  const [expired, unknown] = [await visit(code), await visit("never-was")];
  expect([expired.status, expired.headers["location"], unknown.status]).toEqual([410, undefined, 404]);
  expect(expired.text).not.toBe(unknown.text);
  const asJson = await see(service.fetch(`/${code}`, { headers: { ...stranger(), Accept: "application/json" } }));
  expect(asJson).toMatchObject({ status: 410, body: { code: "gone", status: 410 } });
});

test.concurrent("a warm link begins on time", async ({ expect }) => {
  const begin = Date.now() + 1500;
  const code = await create({ validSince: new Date(begin).toISOString() });
  expect(await outcome(code)).toEqual([404, undefined]);
  await wait(begin - Date.now() + 50);
  expect(await outcome(code)).toEqual([302, OLD]);
});
