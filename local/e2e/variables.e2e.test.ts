/**
 * What the variables DOMAINS, HOME_URL and DEBUG_TIMING change: several domains beside each other, where the bare domain
 * leads, and the name of the tier that answered.
 *
 * @module
 */
import { afterAll, beforeAll, test } from "vitest";
import { ADMIN_KEY, fieldOf, type Seen, see, type Service, startService, stranger } from "./service.ts";

const FIRST = "first.variables.test";
const SECOND = "second.variables.test";
const ELSEWHERE = "elsewhere.variables.test";
const HOME = "https://example.com/home?a=1#b";

let service: Service;
let serial = 0;

beforeAll(async () => {
  service = await startService(FIRST, { DOMAINS: `${FIRST}, ${SECOND}`, HOME_URL: HOME, DEBUG_TIMING: "on" });
});
afterAll(() => service.stop());

const create = (fields: Readonly<Record<string, unknown>>): Promise<Seen> =>
  see(service.api("POST", "/links", { longUrl: "https://example.com/", ...fields }));
const visit = (host: string, path: string, method = "GET"): Promise<Seen> =>
  see(service.fetch(`https://${host}${path}`, { method, headers: stranger() }));
const read = (path: string): Promise<Seen> => see(service.api("GET", `/links/${path}`));

/** A code that no other test has. */
function fresh(): string {
  serial += 1;
  return `code-${serial}`;
}

test("a code of one domain answers on no other, warm or cold", async ({ expect }) => {
  const customCode = fresh();
  expect(await create({ domain: SECOND, customCode })).toMatchObject({
    status: 201,
    body: { domain: SECOND, shortUrl: `https://${SECOND}/${customCode}` },
  });
  for (const _ of ["cold", "warm"]) {
    expect((await visit(SECOND, `/${customCode}`)).status).toBe(302);
    for (const host of [FIRST, ELSEWHERE, `www.${SECOND}`]) {
      const seen = await visit(host, `/${customCode}`);
      expect([seen.status, seen.headers["location"]]).toEqual([404, undefined]);
    }
  }
});

test("one code on two domains is two links, which change and go one by one", async ({ expect }) => {
  const customCode = fresh();
  const [one, two] = ["https://example.com/one", "https://example.com/two"];
  expect((await create({ domain: FIRST, customCode, longUrl: one })).status).toBe(201);
  expect((await create({ domain: SECOND, customCode, longUrl: two })).status).toBe(201);
  expect((await visit(FIRST, `/${customCode}`)).headers["location"]).toBe(one);
  expect((await visit(SECOND, `/${customCode}`)).headers["location"]).toBe(two);
  expect(fieldOf((await read(`${customCode}?domain=${FIRST}`)).body, "longUrl")).toBe(one);
  expect(fieldOf((await read(`${customCode}?domain=${SECOND}`)).body, "longUrl")).toBe(two);

  const changed = await see(service.api("PATCH", `/links/${customCode}?domain=${SECOND}`, { longUrl: `${two}/new` }));
  expect(changed).toMatchObject({ status: 200, body: { domain: SECOND } });
  expect((await visit(FIRST, `/${customCode}`)).headers["location"]).toBe(one);
  expect((await visit(SECOND, `/${customCode}`)).headers["location"]).toBe(`${two}/new`);

  expect((await see(service.api("DELETE", `/links/${customCode}?domain=${SECOND}`))).status).toBe(204);
  expect((await visit(FIRST, `/${customCode}`)).status).toBe(302);
  expect((await visit(SECOND, `/${customCode}`)).status).toBe(404);
});

test("an automatic link is found again on its own domain only", async ({ expect }) => {
  const longUrl = `https://example.com/auto/${Date.now()}`;
  const made = [await create({ longUrl, domain: FIRST }), await create({ longUrl, domain: SECOND })];
  const again = [await create({ longUrl, domain: FIRST }), await create({ longUrl, domain: SECOND })];
  expect([...made, ...again].map(({ status }) => status)).toEqual([201, 201, 200, 200]);
  expect(again.map(({ body }) => fieldOf(body, "id"))).toEqual(made.map(({ body }) => fieldOf(body, "id")));
});

test("a host that is no domain of the service makes links of the first one", async ({ expect }) => {
  const seen = await see(
    service.fetch(`https://${ELSEWHERE}/api/v1/links`, {
      method: "POST",
      headers: { Authorization: `Bearer ${ADMIN_KEY}`, "Content-Type": "application/json" },
      body: JSON.stringify({ longUrl: "https://example.com/", customCode: fresh() }),
    }),
  );
  expect(seen).toMatchObject({ status: 201, body: { domain: FIRST } });
  expect(String(fieldOf(seen.body, "shortUrl"))).toMatch(new RegExp(`^https?://${FIRST}/`));
});

test("a domain that the service does not have is refused", async ({ expect }) => {
  expect(await create({ domain: ELSEWHERE })).toMatchObject({
    status: 400,
    body: { code: "invalid_request", errors: [{ path: "domain" }] },
  });
  expect([400, 404]).toContain((await read(`x?domain=${ELSEWHERE}`)).status);
});

test.for([
  `https://${FIRST}/a`,
  `https://${SECOND}/a`,
  `http://${SECOND.toUpperCase()}.:8080/a`,
  `https://www.${SECOND}/`,
  `https://second%2Evariables.test/`,
])("B086, B188: no link leads to a domain of the service: %s", async (longUrl, { expect }) => {
  const customCode = fresh();
  expect((await create({ customCode })).status).toBe(201);
  for (const seen of [
    await create({ longUrl }),
    await see(service.api("PATCH", `/links/${customCode}`, { longUrl })),
  ]) {
    expect(seen).toMatchObject({ status: 400, body: { code: "url_not_allowed", errors: [{ path: "longUrl" }] } });
  }
});

test("a name below a domain of the service may be linked to", async ({ expect }) => {
  expect((await create({ longUrl: `https://docs.${FIRST}/` })).status).toBe(201);
});

test.for(["GET", "HEAD"])("%s / leads to HOME_URL, and no browser keeps that", async (method, { expect }) => {
  for (const path of ["/", "/?next=https://evil.example"]) {
    const seen = await visit(FIRST, path, method);
    expect([seen.status, seen.headers["location"], seen.text]).toEqual([302, HOME, ""]);
    expect(seen.headers["cache-control"]).toBe("no-store");
    expect(seen.headers["x-request-id"]).toMatch(/./);
  }
});

test("Server-Timing names the tier that answered; a link that was just seen is in memory", async ({ expect }) => {
  const customCode = fresh();
  await create({ customCode });
  const first = await visit(FIRST, `/${customCode}`);
  expect(first.headers["server-timing"]).toMatch(/^resolve;desc="(?:memory|edge|redis|postgres)"$/);
  const [get, head] = [await visit(FIRST, `/${customCode}`), await visit(FIRST, `/${customCode}`, "HEAD")];
  expect([get.headers["server-timing"], head.headers["server-timing"]]).toEqual([
    'resolve;desc="memory"',
    'resolve;desc="memory"',
  ]);
});

test("a service that has just started finds a link in the caches that it shares with others", async ({ expect }) => {
  const customCode = fresh();
  await create({ customCode });
  const other = await startService(FIRST, { DOMAINS: FIRST, DEBUG_TIMING: "on" });
  try {
    const seen = await see(other.fetch(`/${customCode}`));
    expect([seen.status, seen.headers["server-timing"]]).toEqual([302, 'resolve;desc="redis"']);
  } finally {
    await other.stop();
  }
});
