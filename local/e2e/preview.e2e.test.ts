/**
 * `/{code}+` tells where a link leads and sends nobody there.
 *
 * @module
 */
import { afterAll, beforeAll, inject, test } from "vitest";
import { createLink, fieldOf, type Service, see, startService, stranger } from "./service.ts";

const HOST = "preview.example.test";
const PERSON = "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0";
let service: Service;

beforeAll(async () => {
  service = await startService(HOST);
});
afterAll(() => service.stop());

const visit = (path: string, headers: Readonly<Record<string, string>> = {}) =>
  see(service.fetch(path, { headers: { ...stranger(), "User-Agent": PERSON, ...headers } }));

const statusOf = async (code: string) => (await visit(`/${code}+`)).status;

test("it shows destination, title, day and clicks, and counts nothing", async ({ expect }) => {
  const code = await createLink(service, { longUrl: "https://example.com/a?b=1&c=2#d", title: "Spring & more" });
  await visit(`/${code}`);
  const clicks = async () => fieldOf((await see(service.api("GET", `/links/${code}`))).body, "clickCount");
  await expect.poll(clicks, { timeout: 15_000 }).toBe(1);

  for (const path of [`/${code}+`, `/${code}%2B`, `/${code}%2b/`]) {
    const page = await visit(path);
    expect(page).toMatchObject({
      status: 200,
      headers: {
        "content-type": "text/html; charset=utf-8",
        "cache-control": "no-store",
        "x-robots-tag": "noindex",
        "content-security-policy": expect.stringContaining("default-src 'none'"),
      },
    });
    expect(page.headers["location"]).toBeUndefined();
    expect(page.text).toContain("<title>Spring &amp; more</title>");
    expect(page.text).toContain(
      '<a href="https://example.com/a?b=1&amp;c=2#d" rel="noopener noreferrer nofollow">https://example.com/a?b=1&amp;c=2#d</a>',
    );
    const createdAt = String(fieldOf((await see(service.api("GET", `/links/${code}`))).body, "createdAt"));
    expect(page.text).toContain(`<time datetime="${createdAt}">${createdAt.slice(0, 10)}</time>`);
    expect(page.text).toContain("followed once");
  }
  expect(await see(service.fetch(`/${code}+`, { method: "HEAD" }))).toMatchObject({ status: 200, text: "" });
  // A click after them is the second: what was not counted was not late.
  await visit(`/${code}`);
  await expect.poll(clicks, { timeout: 15_000 }).toBe(2);
});

test("what an owner wrote runs nowhere", async ({ expect }) => {
  const title = `</title><script>alert(1)</script><img src=x onerror="alert(2)">`;
  const code = await createLink(service, {
    title,
    longUrl: `https://example.com/"><script>alert(3)</script>?a='"onmouseover=alert(4)#"><b>`,
  });
  const { text } = await visit(`/${code}+`);
  expect(text).not.toMatch(/<(?:script|img|b)[\s>]/i);
  expect(text).toContain("&lt;script&gt;alert(1)&lt;/script&gt;");
  const [, href] = /href="([^"]*)"/.exec(text) ?? [];
  expect(href).toMatch(/^https:\/\/example\.com\/[^"<>]*$/);
});

test("a link that nobody can follow has no preview", async ({ expect }) => {
  const past = "2020-01-01T00:00:00Z";
  expect(await statusOf(await createLink(service, { expireAt: past }))).toBe(410);
  expect(await statusOf(await createLink(service, { expireAt: past, expiredUrl: "https://example.com/over" }))).toBe(
    410,
  );
  expect(await statusOf(await createLink(service, { disabled: true }))).toBe(404);
  expect(await statusOf(await createLink(service, { validSince: "2100-01-01T00:00:00Z" }))).toBe(404);
  const json = await visit("/not-there+", { Accept: "application/json" });
  expect(json).toMatchObject({ status: 404, body: { code: "not_found" } });
  for (const path of ["/+", "/%2B", "/robots.txt+", "/a++", "/a+b"]) expect((await visit(path)).status, path).toBe(404);
});

test("a preview spends nothing of a limited link, and ends with it", async ({ expect }) => {
  const code = await createLink(service, { maxClicks: 1 });
  for (let time = 0; time < 3; time += 1) expect((await visit(`/${code}+`)).status).toBe(200);
  expect((await visit(`/${code}`)).status).toBe(302);
  expect((await visit(`/${code}+`)).status).toBe(410);
});

test("while Postgres is away a preview shows where the link leads", async ({ expect }) => {
  const code = await createLink(service, { longUrl: "https://example.com/known", title: "Known to Postgres" });
  const faults = inject("stack").faultUrls.postgres;
  const fault = await fetch(faults, { method: "PUT", body: JSON.stringify({ kind: "refuse", matching: code }) });
  const page = await visit(`/${code}+`);
  await fetch(`${faults}/${String(fieldOf(await fault.json(), "id"))}`, { method: "DELETE" });
  expect(page.status).toBe(200);
  expect(page.text).toContain(">https://example.com/known</a>");
  expect(page.text).not.toMatch(/Known to Postgres|followed/);
  expect((await visit(`/${code}+`)).text).toContain("<title>Known to Postgres</title>");
});
