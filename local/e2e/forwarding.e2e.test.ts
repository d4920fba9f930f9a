/**
 * Links that pass on what a visitor adds to them, and only those.
 *
 * @module
 */
import { afterAll, beforeAll, test } from "vitest";
import { createLink, fieldOf, type Service, see, startService, stranger } from "./service.ts";

const HOST = "forwarding.example.test";
let service: Service;

beforeAll(async () => {
  service = await startService(HOST, { DEBUG_TIMING: "on" });
});
afterAll(() => service.stop());

const visit = (path: string, method = "GET") => see(service.fetch(path, { method, headers: stranger() }));
const locationOf = async (path: string) => (await visit(path)).headers["location"];
const misses = async () => fieldOf((await see(service.api("GET", `/misses?domain=${HOST}`))).body, "misses");
const read = async (code: string) => (await see(service.api("GET", `/links/${code}`))).body;

test("both are off, can be set at creation and changed, and a null sets them back", async ({ expect }) => {
  const code = await createLink(service, { forwardQuery: true });
  expect(await read(code)).toMatchObject({ forwardQuery: true, forwardPath: false });
  const change = async (fields: object) => (await see(service.api("PATCH", `/links/${code}`, fields))).body;
  expect(await change({ forwardPath: true })).toMatchObject({ forwardQuery: true, forwardPath: true });
  expect(await locationOf(`/${code}/a?b=1`)).toBe("https://example.com/a?b=1");
  expect(await change({ forwardQuery: null, forwardPath: null })).toMatchObject({
    forwardQuery: false,
    forwardPath: false,
  });
  expect((await visit(`/${code}/a`)).status).toBe(404);
  expect(await locationOf(`/${code}?b=1`)).toBe("https://example.com/");
  expect(await see(service.api("PATCH", `/links/${code}`, { forwardPath: "yes" }))).toMatchObject({
    status: 400,
    body: { errors: [{ path: "forwardPath" }] },
  });
});

test("what forwards is another automatic link than what does not", async ({ expect }) => {
  const longUrl = "https://example.com/shared";
  const codes = new Set<string>();
  for (const fields of [{}, { forwardQuery: true }, { forwardPath: true }, { forwardQuery: true, forwardPath: true }])
    for (let time = 0; time < 2; time += 1) codes.add(await createLink(service, { unique: false, longUrl, ...fields }));
  expect(codes.size).toBe(4);
});

test("B080, B226: a link that does not forward ignores whatever is added", async ({ expect }) => {
  const code = await createLink(service, { longUrl: "https://example.com/p?a=1#top" });
  for (const query of ["mc_cid=1", "a=2", "redir_url=https://evil.example", "url=//evil.example", "next=/x&dest=x"])
    expect(await locationOf(`/${code}?${query}`)).toBe("https://example.com/p?a=1#top");
  for (const rest of ["/b", "//evil.example", "/%2e%2e/b", "//", "/qr/x"])
    expect((await visit(`/${code}${rest}`)).status, rest).toBe(404);
});

test("B081: a query is added behind the destination's own, whose names win", async ({ expect }) => {
  const code = await createLink(service, { longUrl: "https://example.com/p?ref=x.com&b=2#f", forwardQuery: true });
  expect(await locationOf(`/${code}?ref=t.co&qr&gclid=A%2Bb+c&b=9`)).toBe(
    "https://example.com/p?ref=x.com&b=2&gclid=A%2Bb+c#f",
  );
  expect(await locationOf(`/${code}?`)).toBe("https://example.com/p?ref=x.com&b=2#f");
  expect((await visit(`/${code}/x?y`)).status).toBe(404);
});

test("B026, B164: nothing is encoded twice, and nothing decoded", async ({ expect }) => {
  const code = await createLink(service, { longUrl: "https://example.com/%f0%9f%9a%80-x", forwardQuery: true });
  expect(await locationOf(`/${code}?ref=nl`)).toBe("https://example.com/%f0%9f%9a%80-x?ref=nl");
  const seen = await visit(`/${code}?x=%0d%0aSet-Cookie:a=b`);
  expect(seen.headers["location"]).toBe("https://example.com/%f0%9f%9a%80-x?x=%0d%0aSet-Cookie:a=b");
  expect(seen.headers["set-cookie"]).toBeUndefined();
});

test("a path goes below the destination's and stays there, over the wire too", async ({ expect }) => {
  const code = await createLink(service, { longUrl: "https://example.com/docs/?v=1#f", forwardPath: true });
  expect(await locationOf(`/${code}`)).toBe("https://example.com/docs/?v=1#f");
  expect(await locationOf(`/${code}/`)).toBe("https://example.com/docs/?v=1#f");
  expect(await locationOf(`/${code}/guide/%C3%BCber/?x=1`)).toBe("https://example.com/docs/guide/%C3%BCber/?v=1#f");
  expect(await locationOf(`/${code}//evil.example`)).toBe("https://example.com/docs/evil.example?v=1#f");
  for (const rest of [
    "/..%2f..%2fx",
    "/%252e%252e/x",
    "/..;/x",
    "/..%5cx",
    "/a%00",
    "/%0d%0aX:y",
    "/%2Fevil.example",
    "/%zz",
  ])
    expect((await visit(`/${code}${rest}`)).status, rest).toBe(404);
  expect((await visit(`/${code}/${"a".repeat(2048)}`)).status).toBe(400);
  // As no client would send it: what the URL parser makes of it is above the code, and so no link's.
  for (const rest of ["/../x", "/%2e%2e/x", "/..\\x", "/a/../../x"]) {
    const answer = await service.raw(`GET /${code}${rest} HTTP/1.1\r\nHost: ${HOST}\r\nConnection: close\r\n\r\n`);
    expect(answer, rest).toMatch(/^HTTP\/1\.1 4\d\d /);
  }
  expect((await visit(`/${code}/qr`)).headers["content-type"]).toBe("image/svg+xml");
  expect((await visit(`/${code}+/x`)).status).toBe(404);
});

test("a visit behind a code that does not exist is 404, and is no misprint of the code", async ({ expect }) => {
  expect((await visit("/not-there/x")).status).toBe(404);
  expect((await visit("/not-there+")).status).toBe(404);
  expect((await visit("/not-there")).status).toBe(404);
  await expect
    .poll(misses, { timeout: 15_000 })
    .toContainEqual(expect.objectContaining({ shortCode: "not-there", misses: 1 }));
});

test("B093: what is cached is the link, so visits with other queries and paths are answered from memory", async ({
  expect,
}) => {
  const code = await createLink(service, {
    longUrl: "https://example.com/?x=1",
    forwardQuery: true,
    forwardPath: true,
  });
  await visit(`/${code}?x=1`);
  for (const [added, location] of [
    ["?y=2", "https://example.com/?x=1&y=2"],
    ["/a?x=3", "https://example.com/a?x=1"],
  ] as const) {
    const seen = await visit(`/${code}${added}`);
    expect(seen.headers).toMatchObject({ location, "server-timing": 'resolve;desc="memory"' });
  }
});

test("B187: what a visitor adds is in no click and no log", async ({ expect }) => {
  const longUrl = "https://example.com/counted";
  const code = await createLink(service, { longUrl, forwardQuery: true, forwardPath: true });
  expect(await locationOf(`/${code}/s3cret-path?p=s3cret-query&qr`)).toBe(`${longUrl}/s3cret-path?p=s3cret-query`);
  const clicks = async () => (await see(service.api("GET", `/links/${code}/clicks`))).text;
  await expect.poll(clicks, { timeout: 15_000 }).toContain(`"destination":"${longUrl}"`);
  expect(await clicks()).toContain('"trigger":"qr"');
  expect(await clicks()).not.toContain("s3cret");
  expect(service.logs().filter((line) => line.includes("s3cret") && line.includes("level"))).toEqual([]);
});

test("a preview shows where this very visit would go, and a limited link forwards as well", async ({ expect }) => {
  const longUrl = "https://example.com/p";
  const code = await createLink(service, { longUrl, forwardQuery: true, maxClicks: 1 });
  expect((await visit(`/${code}+?a=%22%3E%3Cscript%3E`)).text).toContain(
    'href="https://example.com/p?a=%22%3E%3Cscript%3E"',
  );
  const person = {
    ...stranger(),
    "User-Agent": "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0",
  };
  const answer = await see(service.fetch(`/${code}?a=1`, { headers: person }));
  expect(answer).toMatchObject({ status: 302, headers: { location: `${longUrl}?a=1` } });
});

test("B189: the service's own addresses are no destination, so no loop can be forwarded through", async ({
  expect,
}) => {
  const answer = await see(
    service.api("POST", "/links", { longUrl: `https://${HOST}/other`, forwardPath: true, forwardQuery: true }),
  );
  expect(answer).toMatchObject({ status: 400, body: { code: "url_not_allowed" } });
});
