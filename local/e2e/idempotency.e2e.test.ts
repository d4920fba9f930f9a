/**
 * `Idempotency-Key`: however often and however many at once send a POST under one key, it runs once, and all get its answer.
 *
 * @module
 */
import { neon, neonConfig } from "@neondatabase/serverless";
import { afterAll, afterEach, beforeAll, inject, test } from "vitest";
import { isRecord } from "../../shared/json.ts";
import { fieldOf, type Seen, see, type Service, startService } from "./service.ts";

const HOST = "idempotency.example.test";
let service: Service;
const lifts: (() => Promise<unknown>)[] = [];

beforeAll(async () => {
  service = await startService(HOST);
});
afterAll(() => service.stop());
afterEach(async () => {
  for (const lift of lifts.splice(0)) await lift();
});

/** Runs SQL beside the service. */
function ask(sql: string): Promise<readonly Record<string, unknown>[]> {
  const { databaseUrl, databaseEndpoint } = inject("stack");
  neonConfig.fetchEndpoint = databaseEndpoint;
  return neon(databaseUrl, { disableWarningInBrowsers: true }).query(sql);
}

/** Makes statements that hold a text fail until it is lifted. */
async function breakDatabase(fault: Readonly<Record<string, unknown>>): Promise<() => Promise<unknown>> {
  const control = inject("stack").faultUrls.postgres;
  const answer = await fetch(control, { method: "PUT", body: JSON.stringify(fault) });
  const id = Number(fieldOf(await answer.json(), "id"));
  const lift = () => fetch(`${control}/${id}`, { method: "DELETE" });
  lifts.push(lift);
  return lift;
}

/** The calls at a path of the API; the key is put in front, so that tests do not meet. */
const post = (
  key: string,
  body: unknown,
  path = "/links",
  more: Readonly<Record<string, string>> = {},
): Promise<Seen> => see(service.api("POST", path, body, { "Idempotency-Key": key, ...more }));
const link = (fields: Readonly<Record<string, unknown>> = {}) => ({
  longUrl: "https://example.com/",
  unique: true,
  ...fields,
});
const replayed = ({ headers }: Seen): boolean => headers["idempotent-replayed"] === "true";
const countRows = async (title: string): Promise<unknown> =>
  (await ask(`SELECT count(*)::int AS n FROM short_links WHERE domain = '${HOST}' AND title = '${title}'`))[0]?.["n"];

test("a repeat gets status, body and headers of the first, and nothing is made twice", async ({ expect }) => {
  const first = await post("repeat", link({ title: "repeat" }));
  expect(first.status).toBe(201);
  expect(replayed(first)).toBe(false);
  for (let time = 0; time < 3; time += 1) {
    const again = await post("repeat", link({ title: "repeat" }));
    expect([again.status, again.text, replayed(again)]).toEqual([201, first.text, true]);
    for (const name of ["etag", "location", "content-type"]) expect(again.headers[name]).toBe(first.headers[name]);
    expect(again.headers["x-request-id"]).not.toBe(first.headers["x-request-id"]);
  }
  expect(await countRows("repeat")).toBe(1);
  const other = await post("repeat-2", link({ title: "repeat" }));
  expect(fieldOf(other.body, "id")).not.toBe(fieldOf(first.body, "id"));
});

test("B069: of twenty at once under one key one makes a link; the others wait or get its answer", async ({
  expect,
}) => {
  const answers = await Promise.all(Array.from({ length: 20 }, () => post("race", link({ title: "race" }))));
  expect(answers.map(({ status }) => status).filter((status) => status !== 201 && status !== 409)).toEqual([]);
  expect(answers.filter((seen) => seen.status === 201 && !replayed(seen))).toHaveLength(1);
  for (const seen of answers.filter(({ status }) => status === 409)) {
    expect(seen).toMatchObject({ headers: { "retry-after": "1" }, body: { code: "idempotency_conflict" } });
  }
  const ids = [...answers, await post("race", link({ title: "race" }))]
    .filter(({ status }) => status === 201)
    .map(({ body }) => fieldOf(body, "id"));
  expect(new Set(ids).size).toBe(1);
  expect(await countRows("race")).toBe(1);
});

test("while the first runs a repeat is 409, and another body 422 then and later", async ({ expect }) => {
  await breakDatabase({ kind: "delay", delayMs: 3000, matching: "slow-first", times: 1 });
  const slow = post("slow", link({ title: "slow-first" }));
  const claims = "SELECT key FROM idempotency_keys WHERE key = 'slow'";
  await expect.poll(() => ask(claims), { timeout: 10_000, interval: 20 }).toEqual([{ key: "slow" }]);
  expect(await post("slow", link({ title: "slow-first" }))).toMatchObject({
    status: 409,
    headers: { "retry-after": "1" },
  });
  const others: readonly (readonly [unknown, string, Readonly<Record<string, string>>?])[] = [
    [link({ title: "another" }), "/links"],
    [link({ title: "slow-first" }), "/links?domain=x"],
    [link({ title: "slow-first" }), "/webhooks"],
    [undefined, "/links"],
  ];
  const refuse = async () => {
    for (const [body, path, more] of others) {
      expect(await post("slow", body, path, more)).toMatchObject({
        status: 422,
        body: { code: "idempotency_mismatch" },
      });
    }
  };
  await refuse();
  expect((await slow).status).toBe(201);
  await refuse();
  expect(replayed(await post("slow", link({ title: "slow-first" })))).toBe(true);
});

test("a refusal is kept as well; a failure is not, and the next attempt works", async ({ expect }) => {
  const refused = await post("refused", link({ customCode: "api" }));
  expect(refused.status).toBe(400);
  const again = await post("refused", link({ customCode: "api" }));
  expect([again.status, again.text, replayed(again)]).toEqual([400, refused.text, true]);

  const lift = await breakDatabase({ kind: "refuse", matching: "failing-once" });
  expect(await post("failing", link({ title: "failing-once" }))).toMatchObject({ status: 503 });
  await lift();
  const worked = await post("failing", link({ title: "failing-once" }));
  expect([worked.status, replayed(worked)]).toEqual([201, false]);
});

test("without a database to remember in nothing runs; an answer that cannot be kept is given all the same", async ({
  expect,
}) => {
  const away = await breakDatabase({ kind: "refuse", matching: "INSERT INTO idempotency_keys" });
  expect((await post("away", link({ title: "away" }))).status).toBe(503);
  expect(await countRows("away")).toBe(0);
  await away();
  await breakDatabase({ kind: "refuse", matching: "UPDATE idempotency_keys" });
  expect((await post("unkept", link())).status).toBe(201);
  expect((await post("unkept", link())).status).toBe(409);
  expect(service.logs().some((line) => line.includes("answer_not_kept"))).toBe(true);
});

test("secrets that are shown once come again for their caller, and stand nowhere in clear", async ({ expect }) => {
  const made = await post("new-key", { name: "once", scopes: ["admin"] }, "/keys");
  const again = await post("new-key", { name: "once", scopes: ["admin"] }, "/keys");
  expect([again.status, again.text, again.headers["cache-control"]]).toEqual([201, made.text, "no-store"]);
  const key = String(fieldOf(made.body, "key"));
  const secretive = link({ notes: "this-is-secret" });
  await post("notes", secretive);
  const stored = (await ask("SELECT encode(answer, 'escape') || idempotency_keys::text AS row FROM idempotency_keys"))
    .map((row) => String(row["row"]))
    .join("\n");
  for (const secret of [key.slice(8), "this-is-secret", Buffer.from(key.slice(8)).toString("hex")])
    expect(stored + service.logs().join("\n")).not.toContain(secret);

  // Another caller's key of the same name is another one.
  const other = await post("notes", link({ notes: "theirs" }), "/links", { Authorization: `Bearer ${key}` });
  expect([other.status, replayed(other)]).toEqual([201, false]);
});

test.for([
  ["256 characters", "x".repeat(256)],
  ["a letter beyond ASCII", "gr\u00f6\u00dfe"],
] as const)("%s is refused as Idempotency-Key and makes nothing", async ([, key], { expect }) => {
  const seen = await post(key, link({ title: "unusable" }));
  expect(seen).toMatchObject({ status: 400, body: { code: "invalid_request", errors: [{ path: "Idempotency-Key" }] } });
  expect(await countRows("unusable")).toBe(0);
});

test("an empty Idempotency-Key is refused", async ({ expect }) => {
  const answer = await service.raw(
    `POST /api/v1/links HTTP/1.1\r\nHost: ${HOST}\r\nAuthorization: Bearer test-admin-key\r\nContent-Type: application/json\r\n` +
      "Idempotency-Key:\r\nContent-Length: 2\r\nConnection: close\r\n\r\n{}",
  );
  expect(answer).toContain("Idempotency-Key takes 1 to 255");
});

test("255 characters with blanks and quotes are a key, and only a POST looks at it", async ({ expect }) => {
  const key = `"~ !${"x".repeat(251)}`;
  expect((await post(key, link())).status).toBe(201);
  expect(replayed(await post(key, link()))).toBe(true);
  const path = "/links/none-of-this";
  for (const method of ["GET", "DELETE"]) {
    const seen = await see(service.api(method, path, undefined, { "Idempotency-Key": "" }));
    expect(seen.status).toBe(404);
  }
});

test("who may not call gets no answer of who may", async ({ expect }) => {
  const headers = { "Idempotency-Key": "guarded", "Content-Type": "application/json" };
  expect((await post("guarded", link())).status).toBe(201);
  const seen = await see(service.fetch("/api/v1/links", { method: "POST", headers, body: JSON.stringify(link()) }));
  expect(seen.status).toBe(401);
});

test("a body of more than 128 KB is refused as without a key, and one without a declared length is read", async ({
  expect,
}) => {
  expect((await post("large", { longUrl: "x".repeat(200_000) })).status).toBe(413);
  const body = JSON.stringify(link({ title: "chunked" }));
  const request = (key: string) =>
    `POST /api/v1/links HTTP/1.1\r\nHost: ${HOST}\r\nAuthorization: Bearer test-admin-key\r\nContent-Type: application/json\r\n` +
    `Idempotency-Key: ${key}\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`;
  for (const isAgain of [false, true]) {
    const answer = await service.raw(request("chunked"));
    expect(answer).toContain(" 201 ");
    expect(/idempotent-replayed: true/i.test(answer)).toBe(isAgain);
  }
  expect(await countRows("chunked")).toBe(1);
});

test("the contract names the header on every POST but the import, which may be sent again without it", async ({
  expect,
}) => {
  const { body } = await see(service.fetch("/api/openapi.json"));
  const paths = fieldOf(body, "paths");
  const posts = Object.values(isRecord(paths) ? paths : {}).flatMap((path) => fieldOf(path, "post") ?? []);
  expect(posts.length).toBeGreaterThan(5);
  for (const call of posts) {
    if (fieldOf(call, "operationId") === "importLinks") {
      expect(fieldOf(call, "parameters")).not.toContainEqual(expect.objectContaining({ name: "Idempotency-Key" }));
      continue;
    }
    expect(fieldOf(call, "parameters")).toContainEqual(
      expect.objectContaining({ name: "Idempotency-Key", in: "header" }),
    );
    expect(fieldOf(call, "responses")).toMatchObject({ 409: expect.anything(), 422: expect.anything() });
  }
});
