/**
 * Links with a password, as their owners and visitors see them.
 *
 * @module
 */
import { afterAll, afterEach, beforeAll, inject, test } from "vitest";
import { type Asked, createLink, fieldOf, type Seen, type Service, see, startService } from "./service.ts";

const HOST = "passwords.example.test";
const PASSWORD = "correct horse";
const LONG_URL = "https://destination.example/secret-place?a=1#top";
const TITLE = "A-title-for-friends";
const BROWSER = "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0";
let service: Service;
const lifts: (() => Promise<unknown>)[] = [];

beforeAll(async () => {
  service = await startService(HOST, { DEBUG_TIMING: "on", FRESH_SECONDS: "1", PASSWORD_ITERATIONS: "10000" });
});
afterAll(() => service.stop());
afterEach(async () => {
  for (const lift of lifts.splice(0)) await lift();
});

let people = 0;
/** Somebody whose network nobody has tried a password from. */
function someone(): Readonly<Record<string, string>> {
  people += 1;
  return { "CF-Connecting-IP": `2600:1:2:${people.toString(16)}::1`, "User-Agent": BROWSER };
}

const create = (fields: object = {}): Promise<string> =>
  createLink(service, { longUrl: LONG_URL, title: TITLE, password: PASSWORD, unique: false, ...fields });
const visit = (path: string, headers: Readonly<Record<string, string>> = {}, method = "GET"): Promise<Seen> =>
  see(service.fetch(`/${path}`, { method, headers: { ...someone(), ...headers } }));
const send = (path: string, body: Asked["body"], headers: Readonly<Record<string, string>> = {}): Promise<Seen> =>
  see(
    service.fetch(`/${path}`, {
      method: "POST",
      headers: { ...someone(), "Content-Type": "application/x-www-form-urlencoded", ...headers },
      ...(body === undefined ? {} : { body }),
    }),
  );
const give = (path: string, password = PASSWORD, headers: Readonly<Record<string, string>> = {}): Promise<Seen> =>
  send(path, new URLSearchParams({ password }).toString(), headers);
const passIn = ({ headers }: Seen) => ({ Cookie: (headers["set-cookie"] ?? "").split(";", 1)[0] ?? "" });
const read = async (code: string) => see(service.api("GET", `/links/${code}`));
const change = (code: string, fields: object) => see(service.api("PATCH", `/links/${code}`, fields));
const clicksOf = async (code: string) => fieldOf((await read(code)).body, "clickCount");

const put = (fields: object) =>
  see(service.api("PUT", "/links", { customCode: "put-guarded", longUrl: LONG_URL, ...fields }));
const bulk = async (passwords: readonly unknown[]) => {
  const links = passwords.map((password) => ({ longUrl: LONG_URL, password }));
  return fieldOf((await see(service.api("POST", "/links/bulk", { links }))).body, "results");
};
/** One of many addresses of one network. */
const neighbour = (host: number) => ({ "CF-Connecting-IP": `2600:9:9:9::${host.toString(16)}` });

/** Nothing of the link: no address, no title, no tier. */
const TELLING = /destination\.example|secret-place|A-title|memory|edge|redis|postgres/;
const tells = (seen: Seen) => TELLING.test(JSON.stringify([seen.headers, seen.text]));

test("a visitor is asked, refused with a wrong password, and sent on with the right one", async ({ expect }) => {
  const code = await create();
  const form = await visit(code);
  expect(form).toMatchObject({ status: 200, headers: { "cache-control": "no-store", "x-robots-tag": "noindex" } });
  expect(form.headers["content-type"]).toBe("text/html; charset=utf-8");
  expect(form.text).toContain('<form method="post">');
  expect([form.headers["location"], form.headers["server-timing"], form.headers["set-cookie"]]).toEqual([
    undefined,
    undefined,
    undefined,
  ]);
  const wrong = await give(code, "correct horsf");
  expect(wrong).toMatchObject({ status: 401, headers: { "cache-control": "no-store", "www-authenticate": "Form" } });
  expect(wrong.text).toContain('<form method="post">');
  expect(wrong.headers["set-cookie"]).toBeUndefined();
  expect([tells(form), tells(wrong)]).toEqual([false, false]);
  expect(await give(code)).toMatchObject({
    status: 303,
    headers: { location: LONG_URL, "cache-control": "no-store" },
    text: "",
  });
});

test("no policy of the form's page forbids where its answer may redirect to, and no other thing is let in", async ({
  expect,
}) => {
  const policy = (await visit(await create())).headers["content-security-policy"] ?? "";
  expect(policy).not.toContain("form-action");
  expect(policy).toContain("default-src 'none'");
  expect(policy).toContain("base-uri 'none'");
  expect(policy).toContain("frame-ancestors 'none'");
});

test("afterwards a cookie lets the visitor pass, until the password is another one", async ({ expect }) => {
  const [code, other] = [await create(), await create()];
  const opened = await give(code);
  // Without `Secure`, since the harness speaks no TLS; that it is there over HTTPS is proved beside the pass.
  expect(opened.headers["set-cookie"]).toMatch(
    new RegExp(String.raw`^hop_pass=[0-9a-z]+\.[0-9a-f]{64}; Path=/${code}; Max-Age=86400; HttpOnly; SameSite=Lax$`),
  );
  const pass = passIn(opened);
  expect(await visit(code, pass)).toMatchObject({ status: 302, headers: { location: LONG_URL } });
  expect(await visit(code, pass, "HEAD")).toMatchObject({ status: 302 });
  expect(await visit(other, pass)).toMatchObject({ status: 200 });
  expect(await visit(code, { Cookie: pass.Cookie.replace(/.$/, "") })).toMatchObject({ status: 200 });

  await change(code, { title: "another title" });
  expect((await visit(code, pass)).status).toBe(302);
  await change(code, { password: "another" });
  expect((await visit(code, pass)).status).toBe(200);
  expect((await give(code)).status).toBe(401);
  expect((await give(code, "another")).status).toBe(303);
  await change(code, { password: null });
  expect((await visit(code)).status).toBe(302);
});

test("the API tells that there is a password, and nothing tells which", async ({ expect }) => {
  const password = "xyzzy-plugh";
  const made = await see(service.api("POST", "/links", { longUrl: LONG_URL, password }));
  const code = String(fieldOf(made.body, "shortCode"));
  const seen = [
    made,
    await read(code),
    await change(code, { notes: "x" }),
    await see(service.api("GET", `/links?domain=${HOST}`)),
    await give(code, password),
  ];
  expect(seen.slice(0, 3).map(({ body }) => fieldOf(body, "hasPassword"))).toEqual([true, true, true]);
  for (const { text, headers } of seen) expect(JSON.stringify([text, headers])).not.toMatch(/xyzzy|pbkdf2/);
  const own = service.logs().filter((line) => line.includes("level"));
  expect(own.filter((line) => /xyzzy|pbkdf2/.test(line))).toEqual([]);
  expect(fieldOf((await read(await createLink(service))).body, "hasPassword")).toBe(false);
});

test("PATCH sets, keeps, changes and clears it, and the ETag tells", async ({ expect }) => {
  const code = await createLink(service, { longUrl: LONG_URL });
  const tags: (string | undefined)[] = [];
  for (const [fields, hasPassword] of [
    [{}, false],
    [{ password: PASSWORD }, true],
    [{ tags: ["a"] }, true],
    [{ password: "other" }, true],
    [{ password: null }, false],
  ] as const) {
    const seen = await change(code, fields);
    expect(seen).toMatchObject({ status: 200, body: { hasPassword } });
    tags.push(seen.headers["etag"]);
  }
  expect(new Set(tags).size).toBe(5);
  await change(code, { password: PASSWORD });
  const pass = passIn(await give(code));
  const before = (await read(code)).headers["etag"];
  expect((await change(code, { password: PASSWORD })).headers["etag"]).toBe(before);
  expect((await visit(code, pass)).status).toBe(302);
});

test("PUT replaces it: the same one stays, and none named is none", async ({ expect }) => {
  const made = await put({ password: PASSWORD });
  expect(made).toMatchObject({ status: 201, body: { hasPassword: true } });
  expect((await put({ password: PASSWORD })).headers["etag"]).toBe(made.headers["etag"]);
  expect((await give("put-guarded")).status).toBe(303);
  expect(await put({ password: "other" })).toMatchObject({ status: 200, body: { hasPassword: true } });
  expect((await give("put-guarded")).status).toBe(401);
  expect(await put({})).toMatchObject({ status: 200, body: { hasPassword: false } });
  expect((await visit("put-guarded")).status).toBe(302);
});

test("each creation with a password is a link of its own, and is never given to who asks for an open one", async ({
  expect,
}) => {
  const longUrl = "https://destination.example/same";
  const open = await createLink(service, { longUrl, unique: false });
  const guarded = [await create({ longUrl, title: null }), await create({ longUrl, title: null })];
  expect(new Set([open, ...guarded]).size).toBe(3);
  expect(await createLink(service, { longUrl, unique: false })).toBe(open);
  // One that gets a password later is not found by its settings any more.
  await change(open, { password: PASSWORD });
  expect(await createLink(service, { longUrl, unique: false })).not.toBe(open);
});

test("a list takes passwords, the same for several or one for each, up to a hundred", async ({ expect }) => {
  const results = await bulk([PASSWORD, PASSWORD, "other", null, ""]);
  expect(results).toMatchObject([
    { status: 201, link: { hasPassword: true } },
    { status: 201, link: { hasPassword: true } },
    { status: 201, link: { hasPassword: true } },
    { link: { hasPassword: false } },
    { status: 400, error: { errors: [{ path: "password" }] } },
  ]);
  const codes = Array.isArray(results)
    ? results.map((row: unknown) => String(fieldOf(fieldOf(row, "link"), "shortCode")))
    : [];
  expect(new Set(codes.slice(0, 4)).size).toBe(4);
  const [first = "", second = "", third = ""] = codes;
  const opened = await give(first);
  expect([opened.status, (await give(second)).status, (await give(third, "other")).status]).toEqual([303, 303, 303]);
  expect((await visit(second, passIn(opened))).status).toBe(200);
  const many = await bulk(Array.from({ length: 102 }, (_, index) => `p${Math.min(index, 100)}`));
  expect(Array.isArray(many) ? many.filter((row: unknown) => fieldOf(row, "status") === 400).length : 0).toBe(2);
});

test.for([
  ["", "empty"],
  ["x".repeat(257), "256 bytes"],
  ["ü".repeat(129), "256 bytes"],
  ["a\u0000b", "control"],
  ["a\nb", "control"],
  ["\ud800", "surrogate"],
  [7, "string"],
  [{}, "string"],
] as const)("the password %j is refused", async ([password, why], { expect }) => {
  const seen = await see(service.api("POST", "/links", { longUrl: LONG_URL, password }));
  expect(seen).toMatchObject({ status: 400, body: { code: "invalid_request", errors: [{ path: "password" }] } });
  expect(seen.text).toContain(why);
});

test("a password in any script opens, however the visitor's keyboard composes it, and is not trimmed", async ({
  expect,
}) => {
  const code = await create({ password: " Gehe\u0301im 🔑 + & = %41" });
  expect((await give(code, " Gehéim 🔑 + & = %41")).status).toBe(303);
  expect((await give(code, "Gehéim 🔑 + & = %41")).status).toBe(401);
});

test("twenty passwords a minute may be tried from one network, the right one among them; others go on", async ({
  expect,
}) => {
  const code = await create();
  let limited: Seen | undefined;
  // Up to more than twice the limit, so that a minute's end in between makes no difference.
  for (let round = 0; limited === undefined && round < 9; round += 1) {
    const tried = await Promise.all(
      Array.from({ length: 5 }, (_, at) => give(code, `guess ${at}`, neighbour(round * 5 + at))),
    );
    for (const { status } of tried) expect([401, 429]).toContain(status);
    limited = tried.find(({ status }) => status === 429);
  }
  expect(Number(limited?.headers["retry-after"])).toBeGreaterThan(0);
  expect(limited?.text).toContain('<form method="post">');
  expect((await give(code, PASSWORD, neighbour(99))).status).toBe(429);
  expect((await visit(code, neighbour(99))).status).toBe(200);
  expect((await give(code)).status).toBe(303);
});

test("a right password is one click, and so is each visit with the pass; nothing else is", async ({ expect }) => {
  const code = await create();
  await visit(code);
  await visit(code, {}, "HEAD");
  await visit(`${code}+`);
  await give(code, "wrong");
  const referrer = "https://news.example/some/article";
  const form = await visit(code, { Referer: referrer });
  expect(form.text).toContain('name="from" value="https://news.example"');
  const opened = await send(code, `password=correct+horse&from=${encodeURIComponent("https://news.example")}`, {
    Referer: `https://${HOST}/${code}`,
  });
  await visit(code, { ...passIn(opened), "Sec-Purpose": "prefetch" });
  await visit(code, passIn(opened));
  await expect.poll(() => clicksOf(code), { timeout: 15_000, interval: 250 }).toBe(2);
  const { text } = await see(service.api("GET", `/links/${code}/clicks`));
  expect(text).toContain('"referrer":"news.example"');
  expect(text).not.toContain(`"referrer":"${HOST}"`);
});

test("of a limited link the right password spends one visit, and the form none; then it is over before it asks", async ({
  expect,
}) => {
  const code = await create({ maxClicks: 2 });
  for (let round = 0; round < 3; round += 1) {
    expect((await visit(code)).status).toBe(200);
    expect((await give(code, "wrong")).status).toBe(401);
  }
  const opened = await Promise.all(Array.from({ length: 6 }, () => give(code)));
  expect(opened.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([303, 303, 410, 410, 410, 410]);
  expect(opened.find(({ status }) => status === 410)?.headers["set-cookie"]).toBeUndefined();
  expect((await visit(code)).status).toBe(410);
  expect((await visit(`${code}+`)).status).toBe(410);
  await expect.poll(() => clicksOf(code), { timeout: 15_000, interval: 250 }).toBe(2);
});

test("what is over leads elsewhere with the password alone, and says so at once where it leads nowhere", async ({
  expect,
}) => {
  const expireAt = "2020-01-01T00:00:00Z";
  const over = await create({ expireAt });
  expect([(await visit(over)).status, (await give(over)).status]).toEqual([410, 410]);
  const elsewhere = "https://destination.example/over";
  const led = await create({ expireAt, expiredUrl: elsewhere });
  const form = await visit(led);
  expect([form.status, tells(form)]).toEqual([200, false]);
  expect(await give(led)).toMatchObject({ status: 303, headers: { location: elsewhere } });
  expect((await give(led, "wrong")).status).toBe(401);
  const spent = await create({ maxClicks: 1, expiredUrl: elsewhere });
  expect((await give(spent)).headers["location"]).toBe(LONG_URL);
  expect((await visit(spent)).status).toBe(200);
  expect(await give(spent)).toMatchObject({ status: 303, headers: { location: elsewhere } });
});

test("what is switched off, or has not begun, is 404 to all, and asks for nothing", async ({ expect }) => {
  for (const fields of [{ disabled: true }, { validSince: "2090-01-01T00:00:00Z" }]) {
    const code = await create(fields);
    expect([(await visit(code)).status, (await give(code)).status, (await visit(`${code}+`)).status]).toEqual([
      404, 404, 404,
    ]);
  }
});

test("what is forwarded survives the form, and the password never is", async ({ expect }) => {
  const code = await create({ longUrl: "https://destination.example/p?a=1", forwardQuery: true, forwardPath: true });
  const path = `${code}/x/y?utm_source=s&qr&b=%2F`;
  expect((await visit(path)).text).toContain('<form method="post">');
  const opened = await give(path);
  expect(opened.headers["location"]).toBe("https://destination.example/p/x/y?a=1&utm_source=s&b=%2F");
  expect(opened.headers["set-cookie"]).toContain(`; Path=/${code};`);
  expect((await visit(`${code}/z`, passIn(opened))).headers["location"]).toBe("https://destination.example/p/z?a=1");
  // A password in the address is no password, and is what the visitor added.
  expect((await visit(`${code}?password=correct+horse`)).status).toBe(200);
  const plain = await create();
  expect((await visit(`${plain}/x`)).status).toBe(404);
  expect((await give(`${plain}/x`)).status).toBe(404);
  expect((await give(`${plain}?url=https://evil.example`)).headers["location"]).toBe(LONG_URL);
});

test("307 and 308 never send the password on, and no cache keeps a 301", async ({ expect }) => {
  for (const redirectStatus of [301, 307, 308]) {
    const code = await create({ redirectStatus });
    const opened = await give(code);
    expect(opened.status).toBe(303);
    const seen = await visit(code, passIn(opened));
    expect([seen.status, seen.headers["cache-control"]]).toEqual([redirectStatus, "no-store"]);
  }
});

test("a preview, a bot and a look-ahead learn nothing; the QR code is that of any link", async ({ expect }) => {
  const code = await create();
  const pass = passIn(await give(code));
  const slack = { "User-Agent": "Slackbot-LinkExpanding 1.0 (+https://api.slack.com/robots)" };
  for (const seen of [
    await visit(`${code}+`),
    await visit(`${code}+`, pass),
    await visit(code, slack),
    await visit(code, { "Sec-Purpose": "prefetch" }),
    await visit(code, {}, "HEAD"),
  ])
    expect([seen.status, tells(seen)]).toEqual([200, false]);
  const [get, head] = [await visit(code), await visit(code, {}, "HEAD")];
  expect(head.text).toBe("");
  for (const name of ["content-type", "content-security-policy", "cache-control", "x-robots-tag", "vary"])
    expect(head.headers[name]).toBe(get.headers[name]);
  expect((await visit(`${code}/qr`)).headers["content-type"]).toBe("image/svg+xml");
});

test("a program that asks for JSON is told in JSON", async ({ expect }) => {
  const code = await create();
  const json = { Accept: "application/json" };
  expect(await visit(code, json)).toMatchObject({
    status: 401,
    headers: { "content-type": "application/problem+json", "www-authenticate": "Form" },
    body: { code: "password_required", status: 401 },
  });
  expect(await give(code, "wrong", json)).toMatchObject({ status: 401, body: { code: "wrong_password" } });
  expect(await give(code, PASSWORD, json)).toMatchObject({ status: 303, headers: { location: LONG_URL } });
  expect(await send(code, "", json)).toMatchObject({ status: 400, body: { code: "invalid_request" } });
});

const bytes = (text: string, ...more: number[]) => Uint8Array.of(...new TextEncoder().encode(text), ...more);
test.for([
  ["nothing", undefined, {}, 400],
  ["no password", "pass=x", {}, 400],
  ["an empty one", "password=", {}, 401],
  ["one that is too long", `password=${"x".repeat(300)}`, {}, 401],
  ["one with a NUL", `password=correct+horse%00`, {}, 401],
  ["bytes that are no UTF-8", bytes("password=", 0xff, 0xfe), {}, 400],
  ["escapes that are no UTF-8", "password=%FF%FE", {}, 400],
  ["half an escape", "password=%", {}, 400],
  ["a huge form", `password=${"x".repeat(200_000)}`, {}, 413],
  ["JSON", '{"password":"correct horse"}', { "Content-Type": "application/json" }, 415],
  ["parts", "--x--", { "Content-Type": "multipart/form-data; boundary=x" }, 415],
] as const)("a form with %s is refused and asks again", async ([, body, headers, status], { expect }) => {
  const code = await create();
  const seen = await send(code, body, headers);
  expect(seen.status).toBe(status);
  expect(seen.text).toContain('<form method="post">');
  expect(tells(seen)).toBe(false);
});

test("POST opens nothing else: what has no password, is unknown, reserved or beside a link is 405", async ({
  expect,
}) => {
  const code = await createLink(service, { longUrl: LONG_URL });
  const guarded = await create();
  for (const path of [code, `${code}/x`, "no-such-code", "dashboard", "%zz", `${guarded}+`, `${guarded}/qr`]) {
    const seen = await give(path);
    expect(seen.status, path).toBe(405);
    expect(seen.headers["allow"], path).toBe("GET, HEAD");
    expect(seen.headers["set-cookie"]).toBeUndefined();
  }
});

/** Makes both backends fail for every request of this service, which are known by its host. */
async function takeBackendsAway(): Promise<void> {
  for (const backend of ["redis", "postgres"] as const) {
    const control = inject("stack").faultUrls[backend];
    const body = JSON.stringify({ kind: "refuse", matching: HOST });
    const id = Number(fieldOf(await (await fetch(control, { method: "PUT", body })).json(), "id"));
    lifts.push(() => fetch(`${control}/${id}`, { method: "DELETE" }));
  }
}

test("while Postgres and Redis are away a link that was seen still asks, refuses and lets in", async ({ expect }) => {
  const code = await create();
  await visit(code);
  await takeBackendsAway();
  await new Promise((resolve) => setTimeout(resolve, 1100));
  expect((await visit(code)).status).toBe(200);
  expect((await give(code, "wrong")).status).toBe(401);
  const opened = await give(code);
  expect(opened.status).toBe(303);
  expect((await visit(code, passIn(opened))).status).toBe(302);
  expect((await give(`never-seen-${Date.now()}`)).status).toBe(503);
});
