/**
 * `externalId`: the caller's own id of a link, unique on its domain, which names the link in the API as well as its code does.
 *
 * @module
 */
import { afterAll, beforeAll, test } from "vitest";
import { fieldOf, type Seen, see, type Service, startService } from "./service.ts";

const HOST = "links-external-id.example.test";

let service: Service;

beforeAll(async () => {
  service = await startService(HOST);
});
afterAll(() => service.stop());

const create = (fields: Readonly<Record<string, unknown>>): Promise<Seen> =>
  see(service.api("POST", "/links", { longUrl: "https://example.com/external", ...fields }));
const read = (name: string): Promise<Seen> => see(service.api("GET", `/links/${name}`));
const change = (name: string, fields: unknown): Promise<Seen> => see(service.api("PATCH", `/links/${name}`, fields));
const codeOf = (seen: Seen): string => String(fieldOf(seen.body, "shortCode"));

test.for([
  ["a number", "4711"],
  ["slashes and spaces", "orders/2026/a b"],
  ["signs that addresses use", "a?b#c%2F&d=e+f"],
  ["letters of any script", "Größe-\u{1F680}-東京"],
  ["255 characters", "x".repeat(255)],
  ["the prefix itself", "ext_ext_1"],
] as const)(
  "%s is kept as it is, and names the link to be read, changed and deleted",
  async ([, externalId], { expect }) => {
    const made = await create({ externalId });
    expect(made).toMatchObject({ status: 201, body: { externalId } });
    const name = `ext_${encodeURIComponent(externalId)}`;
    expect(await read(name)).toMatchObject({
      status: 200,
      body: made.body,
      headers: { etag: String(made.headers["etag"]) },
    });
    expect((await read(`${name}?domain=${HOST}`)).body).toEqual(made.body);
    expect(await change(name, { title: "changed" })).toMatchObject({
      status: 200,
      body: { shortCode: codeOf(made), externalId, title: "changed" },
    });
    expect((await see(service.api("DELETE", `/links/${name}`))).status).toBe(204);
    expect((await read(name)).status).toBe(404);
    expect((await read(codeOf(made))).status).toBe(404);
    expect((await service.fetch(`/${codeOf(made)}`)).status).toBe(404);
  },
);

test("If-Match guards a change and a deletion by external id", async ({ expect }) => {
  await create({ externalId: "guarded" });
  const headers = { "If-Match": '"old"' };
  expect((await see(service.api("PATCH", "/links/ext_guarded", { title: "x" }, headers))).status).toBe(412);
  expect((await see(service.api("DELETE", "/links/ext_guarded", undefined, headers))).status).toBe(412);
});

test("the same automatic link asked for again is found; other settings or another code do not get its external id", async ({
  expect,
}) => {
  const made = await create({ externalId: "once" });
  expect(await create({ externalId: "once" })).toMatchObject({ status: 200, body: made.body });
  for (const fields of [{ title: "other" }, { customCode: "other" }, { unique: true }, { maxClicks: 3 }]) {
    const seen = await create({ externalId: "once", ...fields });
    expect(seen).toMatchObject({
      status: 409,
      body: { code: "external_id_taken", errors: [{ path: "externalId" }] },
    });
  }
  expect(codeOf(await create({ externalId: "twice" }))).not.toBe(codeOf(made));
});

test("of 30 creations at once with one external id, all get one link, and one of another destination gets none", async ({
  expect,
}) => {
  const answers = await Promise.all(Array.from({ length: 30 }, () => create({ externalId: "race" })));
  expect(new Set(answers.map(codeOf)).size).toBe(1);
  expect(answers.filter(({ status }) => status === 201)).toHaveLength(1);
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(29);
  const others = await Promise.all(
    Array.from({ length: 20 }, (_, round) =>
      create({ externalId: "race-2", longUrl: `https://example.com/race/${round}` }),
    ),
  );
  expect(others.filter(({ status }) => status === 201)).toHaveLength(1);
  expect(others.filter(({ body }) => fieldOf(body, "code") === "external_id_taken")).toHaveLength(19);
});

test("a change sets it, refuses one that is taken, and null gives it free", async ({ expect }) => {
  const [first, second] = [codeOf(await create({ title: "1" })), codeOf(await create({ title: "2" }))];
  expect(await change(first, { externalId: "moving" })).toMatchObject({ status: 200, body: { externalId: "moving" } });
  expect(await change(second, { externalId: "moving" })).toMatchObject({
    status: 409,
    body: { code: "external_id_taken" },
  });
  // With the settings of the first one it would also be the same automatic link.
  expect(await change(second, { externalId: "moving", title: "1" })).toMatchObject({
    status: 409,
    body: { code: "external_id_taken" },
  });
  expect(await change(first, { externalId: null })).toMatchObject({ status: 200, body: { externalId: null } });
  expect(await change(second, { externalId: "moving" })).toMatchObject({ status: 200 });
  expect((await read("ext_moving")).body).toMatchObject({ shortCode: second });
});

test.for([
  ["empty", ""],
  ["too long", "x".repeat(256)],
  ["a number", 7],
  ["B041: a NUL", "a\u0000b"],
] as const)("an externalId that is %s is refused", async ([, externalId], { expect }) => {
  expect(await create({ externalId })).toMatchObject({ status: 400, body: { errors: [{ path: "externalId" }] } });
});

test.for(["ext_", "ext_no-such-id", "ext_%00", "ext_a%00b", "ext_%25", `ext_${"x".repeat(300)}`])(
  "B042: %s names no link: 404",
  async (name, { expect }) => {
    expect((await read(name)).status).toBe(404);
    expect((await change(name, { title: "x" })).status).toBe(404);
    expect((await see(service.api("DELETE", `/links/${name}`))).status).toBe(404);
  },
);

test("a custom code that would look like an external id is refused", async ({ expect }) => {
  expect(await create({ customCode: "ext_1" })).toMatchObject({ status: 400, body: { code: "code_reserved" } });
  expect(await create({ customCode: "extra_1" })).toMatchObject({ status: 201 });
});
