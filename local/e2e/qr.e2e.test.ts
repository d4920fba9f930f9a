/**
 * QR codes, from the address of the picture to what a scanner reads in it and to the click that comes of it.
 *
 * @module
 */
import jsQr from "jsqr";
import { PNG } from "pngjs";
import { afterAll, beforeAll, test } from "vitest";
import { createLink, fieldOf, type Service, see, startService, stranger } from "./service.ts";

const HOST = "qr.example.test";
let service: Service;

beforeAll(async () => {
  service = await startService(HOST);
});
afterAll(() => service.stop());

const picture = (code: string, query = "") => service.api("GET", `/links/${encodeURIComponent(code)}/qr${query}`);
const visit = (path: string, method = "GET") => service.fetch(path, { method, headers: stranger() });

const statusOf = async (path: string) => (await visit(path)).status;

async function scan(code: string, query: string): Promise<string | undefined> {
  const answer = await picture(code, `?format=png&${query}`);
  const { data, width, height } = PNG.sync.read(Buffer.from(await answer.arrayBuffer()));
  return jsQr(new Uint8ClampedArray(data), width, height)?.data;
}

test("a scanner reads the short URL with ?qr, and following it is a click with the trigger qr", async ({ expect }) => {
  const code = await createLink(service);
  const url = await scan(code, "size=300");
  expect(url).toBe(`http://${HOST}/${code}?qr`);
  expect((await visit(String(url).slice(`http://${HOST}`.length))).status).toBe(302);
  const triggers = async () =>
    fieldOf(fieldOf((await see(service.api("GET", `/links/${code}/stats`))).body, "breakdowns"), "trigger");
  await expect.poll(triggers, { timeout: 15_000 }).toEqual([{ value: "qr", clicks: 1 }]);
});

test("a code of any script is percent-encoded in it", async ({ expect }) => {
  const code = await createLink(service, { customCode: "größe-東京.1" });
  for (const level of ["L", "M", "Q", "H"])
    expect(await scan(code, `size=500&margin=2&errorCorrection=${level}&color=003366&background=%23fec`)).toBe(
      `http://${HOST}/gr%C3%B6%C3%9Fe-%E6%9D%B1%E4%BA%AC.1?qr`,
    );
});

test("a picture can be kept, and is not sent again to who has it", async ({ expect }) => {
  const code = await createLink(service);
  const svg = await see(picture(code));
  expect(svg).toMatchObject({
    status: 200,
    headers: {
      "content-type": "image/svg+xml",
      "cache-control": "private, max-age=3600",
      "content-security-policy": "default-src 'none'",
    },
    text: expect.stringMatching(/^<svg xmlns="http:\/\/www\.w3\.org\/2000\/svg" width="512" height="512" /),
  });
  const etag = String(svg.headers["etag"]);
  const again = await see(
    service.api("GET", `/links/${code}/qr`, undefined, { "If-None-Match": `"other", W/${etag}` }),
  );
  expect(again).toMatchObject({ status: 304, text: "", headers: { etag } });
  const other = await see(picture(code, "?margin=1"));
  expect(other.status).toBe(200);
  expect(other.headers["etag"]).not.toBe(etag);
  const head = await see(service.api("HEAD", `/links/${code}/qr?format=png`));
  expect(head).toMatchObject({ status: 200, text: "", headers: { "content-type": "image/png" } });
});

test.for([
  ["size=63", "size"],
  ["size=2049&format=png", "size"],
  ["size=1.5", "size"],
  ["margin=-1", "margin"],
  ["margin=17", "margin"],
  ["errorCorrection=X", "errorCorrection"],
  ["format=gif", "format"],
  ["color=red", "color"],
  ['color="/><script>', "color"],
  ["color=transparent", "color"],
  ["background=12345", "background"],
  ["color=fff", "background"],
  ["color=%23ABC&background=aabbcc", "background"],
] as const)("%s is refused, and the error names %s", async ([query, path], { expect }) => {
  const code = await createLink(service);
  expect(await see(picture(code, `?${query}`))).toMatchObject({
    status: 400,
    body: { code: "invalid_request", errors: [{ path }] },
  });
});

test("a PNG too small for its code is refused with the least size", async ({ expect }) => {
  const code = await createLink(service, { customCode: "𝒜".repeat(64) });
  const seen = await see(picture(code, "?format=png&size=64"));
  const least = Number(/at least (\d+)/.exec(seen.text)?.[1]);
  expect(seen).toMatchObject({ status: 400, body: { errors: [{ path: "size" }] } });
  expect((await picture(code, `?format=png&size=${least - 1}`)).status).toBe(400);
  expect((await picture(code, `?format=png&size=${least}`)).status).toBe(200);
});

test("the picture wants a key and a link", async ({ expect }) => {
  expect((await service.fetch("/api/v1/links/whatever/qr")).status).toBe(401);
  expect(await see(picture("not-there"))).toMatchObject({ status: 404, body: { code: "not_found" } });
  const code = await createLink(service);
  expect(await see(service.api("POST", `/links/${code}/qr`))).toMatchObject({ status: 405 });
});

test("/{code}/qr shows the plain picture to everybody, and counts nothing", async ({ expect }) => {
  const code = await createLink(service);
  const shown = await see(visit(`/${code}/qr`));
  expect(shown).toMatchObject({
    status: 200,
    headers: { "content-type": "image/svg+xml", "cache-control": "public, max-age=3600", "x-robots-tag": "noindex" },
  });
  expect(shown.text).toBe((await see(picture(code))).text);
  expect((await visit(`/${code}/qr/`)).status).toBe(200);
  expect(await see(visit(`/${code}/qr`, "HEAD"))).toMatchObject({ status: 200, text: "" });
  await visit(`/${code}`);
  const clicks = async () => fieldOf((await see(service.api("GET", `/links/${code}`))).body, "clickCount");
  await expect.poll(clicks, { timeout: 15_000 }).toBe(1);
});

test("a link that nobody can follow shows no picture", async ({ expect }) => {
  const past = "2020-01-01T00:00:00Z";
  const over = await createLink(service, { expireAt: past });
  const elsewhere = await createLink(service, { expireAt: past, expiredUrl: "https://example.com/over" });
  const off = await createLink(service, { disabled: true });
  const ahead = await createLink(service, { validSince: "2100-01-01T00:00:00Z" });
  expect(await statusOf(`/${over}/qr`)).toBe(410);
  expect(await statusOf(`/${elsewhere}/qr`)).toBe(410);
  expect(await statusOf(`/${off}/qr`)).toBe(404);
  expect(await statusOf(`/${ahead}/qr`)).toBe(404);
  expect(await statusOf("/not-there/qr")).toBe(404);
  expect(await statusOf("/robots.txt/qr")).toBe(404);
  expect(await statusOf("//qr")).toBe(404);

  const limited = await createLink(service, { maxClicks: 1 });
  expect(await statusOf(`/${limited}/qr`)).toBe(200);
  const person = {
    ...stranger(),
    "User-Agent": "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0",
  };
  expect((await service.fetch(`/${limited}`, { headers: person })).status).toBe(302);
  expect(await statusOf(`/${limited}/qr`)).toBe(410);
  // Whoever owns it may draw it all the same.
  expect((await picture(limited)).status).toBe(200);
  expect((await picture(over)).status).toBe(200);
});
