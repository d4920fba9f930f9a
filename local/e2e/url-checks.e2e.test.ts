/**
 * What a resolver and a reputation service say of destinations: refused where it is bad, made and looked at again where they say nothing.
 *
 * @module
 */
import { afterAll, afterEach, beforeAll, test } from "vitest";
import { type Apart, startApart } from "./apart.ts";
import { type Checks, REPUTATION_KEY, startChecks } from "./checks.ts";
import { startReceiver } from "./receiver.ts";
import { createLink, fieldOf, type Seen, see, type Service, startService, stranger } from "./service.ts";

const HOST = "url-checks.example.test";

let apart: Apart;
let vars: Readonly<Record<string, string>>;
let checks: Checks;
let service: Service;
let serial = 0;

beforeAll(async () => {
  [apart, checks] = await Promise.all([startApart(), startChecks()]);
  vars = { ...apart.vars, ...checks.vars };
  service = await startService(HOST, vars);
});
afterAll(async () => {
  await service.stop();
  await checks.stop();
  await apart.stop();
});
afterEach(() => checks.mend());

/** A name that no other test has, with these addresses. */
function freshName(...addresses: readonly string[]): string {
  serial += 1;
  const name = `n${serial}.checked.example`;
  checks.zone.set(name, addresses);
  return name;
}
const sql = (statement: string, ...parameters: readonly unknown[]) => {
  return apart.query(statement, parameters);
};
const post = (fields: Readonly<Record<string, unknown>>): Promise<Seen> =>
  see(service.api("POST", "/links", { unique: true, ...fields }));
const read = async (code: string): Promise<unknown> => (await see(service.api("GET", `/links/${code}`))).body;
const visit = async (code: string): Promise<number> =>
  (await see(service.fetch(`/${code}`, { headers: stranger() }))).status;
/** What is noted of a link's check, or undefined. */
const noteOf = async (code: string): Promise<Record<string, unknown> | undefined> =>
  (
    await sql(
      `SELECT attempts, clear_at IS NOT NULL AS is_clear, round(extract(epoch FROM due_at - now()) / 60)::int AS minutes
       FROM url_checks JOIN short_links ON id = link_id WHERE domain = $1 AND short_code = $2`,
      HOST,
      code,
    )
  )[0];
const isAbout = (minutes: number) => (seen: number) => seen > minutes - 6 && seen <= minutes;
/** The codes of the links that a list made. */
function codesOf(made: Seen): string[] {
  const results: unknown = fieldOf(made.body, "results");
  return Array.isArray(results) ? results.map((result) => String(fieldOf(fieldOf(result, "link"), "shortCode"))) : [];
}
/** Makes the checks of some links due, and runs cron. */
async function lookAgain(...codes: readonly string[]): Promise<void> {
  await sql(
    `UPDATE url_checks SET due_at = '2026-01-01T00:00:00Z'
     WHERE link_id IN (SELECT id FROM short_links WHERE domain = $1 AND short_code = ANY ($2))`,
    HOST,
    codes,
  );
  await service.cron();
}

const SPECIAL: readonly (readonly [host: string, addresses: readonly string[], named: string])[] = [
  ["7f000001.nip.io", ["127.0.0.1"], "127.0.0.1 (loopback: 127.0.0.0/8"],
  ["169.254.169.254.nip.io", ["169.254.169.254"], "169.254.169.254 (link-local: 169.254.0.0/16"],
  ["localtest.me", ["127.0.0.1", "::1"], "127.0.0.1 (loopback: 127.0.0.0/8"],
  ["only-six.example", ["fd00::1"], "[fd00::1] (unique local: fc00::/7"],
  ["mapped.example", ["::ffff:192.168.0.1"], "[::ffff:c0a8:1] (IPv4-mapped form: ::ffff:0:0/96"],
  ["one-of-three.example", ["1.1.1.1", "8.8.8.8", "100.64.0.9"], "100.64.0.9 (shared by carrier-grade NAT"],
];

test.for(SPECIAL)(
  "B089: %s leads to %j, so no link leads there, by whatever call",
  async ([host, addresses, named], { expect }) => {
    checks.zone.set(host, addresses);
    const code = await createLink(service);
    const longUrl = `http://${host.toUpperCase()}./latest/meta-data/`;
    const expiredUrl = `https://user.${host}/`;
    checks.zone.set(`user.${host}`, { alias: host });
    const refused = (path: string) => ({
      code: "url_not_allowed",
      errors: [{ path, reason: "resolves_to_special_address", message: expect.stringContaining(named) }],
    });
    expect(await post({ longUrl })).toMatchObject({ status: 400, body: refused("longUrl") });
    expect(await post({ longUrl: "https://example.com/", expiredUrl })).toMatchObject({
      status: 400,
      body: refused("expiredUrl"),
    });
    expect(await see(service.api("PATCH", `/links/${code}`, { longUrl }))).toMatchObject({ body: refused("longUrl") });
    expect(await see(service.api("PATCH", `/links/${code}`, { expiredUrl }))).toMatchObject({
      body: refused("expiredUrl"),
    });
    const upsert = { externalId: `u-${host}`, longUrl: "https://example.com/" };
    expect(await see(service.api("PUT", "/links", { ...upsert, longUrl }))).toMatchObject({ body: refused("longUrl") });
    expect((await see(service.api("PUT", "/links", upsert))).status).toBe(201);
    expect(await see(service.api("PUT", "/links", { ...upsert, expiredUrl }))).toMatchObject({
      body: refused("expiredUrl"),
    });
    const bulk = await see(
      service.api("POST", "/links/bulk", { links: [{ longUrl }, { longUrl: "https://example.com/" }] }),
    );
    expect(fieldOf(bulk.body, "results")).toMatchObject([
      { status: 400, error: refused("longUrl") },
      { status: expect.toSatisfy((status: number) => status < 300) },
    ]);
  },
);

test("B089: a name whose first look-up is public and second private is found out by the second look", async ({
  expect,
}) => {
  const name = freshName("1.1.1.1");
  const code = await createLink(service, { longUrl: `https://${name}/` });
  expect(await noteOf(code)).toEqual({ attempts: 0, is_clear: true, minutes: expect.toSatisfy(isAbout(1440)) });
  expect(await visit(code)).toBe(302);
  checks.zone.set(name, ["10.1.2.3"]);
  await lookAgain(code);
  expect(await visit(code)).toBe(404);
  expect(await read(code)).toMatchObject({ disabled: true, notes: null, longUrl: `https://${name}/` });
  expect(await noteOf(code)).toBeUndefined();

  // Its owner may not enable it while it leads there, but change what has nothing to do with it; and may once it does not. Asked of
  // another isolate, since this one remembers for half a minute what it was told of the name.
  const other = await startService(HOST, vars);
  const change = (fields: Readonly<Record<string, unknown>>) => see(other.api("PATCH", `/links/${code}`, fields));
  try {
    expect((await change({ title: "moved" })).status).toBe(200);
    expect(await change({ disabled: false })).toMatchObject({
      status: 400,
      body: { errors: [{ path: "longUrl", message: expect.stringContaining("10.1.2.3") }] },
    });
    const better = freshName("1.1.1.1");
    expect((await change({ disabled: false, longUrl: `https://${better}/` })).status).toBe(200);
    expect(await noteOf(code)).toMatchObject({ is_clear: true });
  } finally {
    await other.stop();
  }
});

test("a link that is as it was on the second day is not looked at again", async ({ expect }) => {
  const code = await createLink(service, { longUrl: `https://${freshName("1.1.1.1", "2606:4700::1111")}/` });
  await lookAgain(code);
  expect(await noteOf(code)).toBeUndefined();
  expect(await visit(code)).toBe(302);
});

test("a name that does not exist yet is let through; addresses, and names that are not in the DNS, are not asked for", async ({
  expect,
}) => {
  const before = checks.names.length;
  for (const longUrl of ["https://nobody.checked.example/", "https://1.1.1.1/", "https://abc.onion/"]) {
    const code = await createLink(service, { longUrl });
    expect(await noteOf(code)).toMatchObject({ is_clear: true });
  }
  expect(checks.names.slice(before)).toEqual(["nobody.checked.example", "nobody.checked.example"]);
});

test("a URL that is on a list is refused, also later; what stands behind its # is not told", async ({ expect }) => {
  const name = freshName("1.1.1.1");
  const page = `https://${name}/login?a=%2F&b=c+d`;
  checks.listed.set(page, ["SOCIAL_ENGINEERING", "MALWARE"]);
  const body = {
    code: "url_not_allowed",
    errors: [
      { path: "longUrl", reason: "listed_as_dangerous", message: expect.stringContaining("SOCIAL_ENGINEERING") },
    ],
  };
  expect(await post({ longUrl: `${page}#token=secret` })).toMatchObject({ status: 400, body });
  expect(checks.urls).toContain(page);
  expect(checks.urls.join()).not.toContain("secret");

  const later = `https://${name}/later`;
  const code = await createLink(service, { longUrl: later });
  checks.listed.set(later, ["UNWANTED_SOFTWARE"]);
  await lookAgain(code);
  expect(await read(code)).toMatchObject({ disabled: true });
});

const FAULTS = ["refuse", "hang", "html", "garbage", "too_many", "unauthorized", "cut"] as const;

test.for(FAULTS)(
  "while both meet the fault %s links are made; they are looked at when both are back, and disabled if they must be",
  async (kind, { expect }) => {
    // Who fails is left alone for a moment, also by the next test: another isolate knows nothing of it.
    const own = await startService(HOST, vars);
    try {
      const names = [freshName("192.168.7.7"), freshName("1.1.1.1"), freshName("1.1.1.1")];
      checks.listed.set(`https://${names[1]}/`, ["MALWARE"]);
      for (const name of names.map((full) => full.split(".")[0] ?? full)) {
        checks.fail("dns", { kind, matching: name });
        checks.fail("reputation", { kind, matching: name });
      }
      const links = names.map((name) => ({ longUrl: `https://${name}/`, unique: true }));
      const made = await see(own.api("POST", "/links/bulk", { links }));
      const codes = codesOf(made);
      expect(codes).toHaveLength(3);
      for (const code of codes) {
        expect(await noteOf(code)).toEqual({ attempts: 0, is_clear: false, minutes: expect.toSatisfy(isAbout(5)) });
        expect(await visit(code)).toBe(302);
      }
      await lookAgain(...codes);
      for (const code of codes) {
        expect(await noteOf(code)).toEqual({ attempts: 1, is_clear: false, minutes: expect.toSatisfy(isAbout(10)) });
      }
      checks.mend();
      await lookAgain(...codes);
      expect(await Promise.all(codes.map(read))).toMatchObject([
        { disabled: true },
        { disabled: true },
        { disabled: false },
      ]);
      expect(await Promise.all(codes.map(visit))).toEqual([404, 404, 302]);
      expect(await Promise.all(codes.map(noteOf))).toEqual([
        undefined,
        undefined,
        { attempts: 0, is_clear: true, minutes: expect.toSatisfy(isAbout(1440)) },
      ]);
    } finally {
      await own.stop();
    }
  },
);

test("a list of 60 places asks no more than it may, and cron asks for the rest in its turn", async ({ expect }) => {
  const names = Array.from({ length: 60 }, () => freshName("1.1.1.1"));
  const [before, urlsBefore] = [checks.names.length, checks.urls.length];
  const links = names.map((name) => ({ longUrl: `https://${name}/`, unique: true }));
  const made = await see(service.api("POST", "/links/bulk", { links }));
  const results: unknown = fieldOf(made.body, "results");
  expect(results).toHaveLength(60);
  expect(results).toMatchObject(names.map(() => ({ status: 201 })));
  const calls = checks.names.length - before + (checks.urls.length - urlsBefore);
  expect(calls).toBe(24);
  const [count] = await sql(
    `SELECT count(*) FILTER (WHERE clear_at IS NULL)::int AS unchecked, count(*)::int AS all
     FROM url_checks JOIN short_links ON id = link_id WHERE long_url = ANY ($1)`,
    links.map(({ longUrl }) => longUrl),
  );
  expect(count).toMatchObject({ all: 60 });
  // Three calls a link; where they begin is left to chance, so the first and the last may be asked for in part.
  expect(Number(count?.["unchecked"])).toBeOneOf([52, 53]);
});

test("webhooks are told, one line is logged, and no line has a key, a host or a URL", async ({ expect }) => {
  const receiver = await startReceiver(() => ({ status: 200 }));
  const own = await startService(HOST, { ...vars, WEBHOOK_LOCAL_HOSTS: "localhost" });
  try {
    const name = freshName("1.1.1.1");
    const hook = { url: `${receiver.origin}/hook`, events: ["link.updated"], domain: HOST };
    const made = await see(own.api("POST", "/webhooks", hook));
    expect(made.status).toBe(201);
    const code = await createLink(own, { longUrl: `https://${name}/secret-path` });
    const id = String(fieldOf(await read(code), "id"));
    checks.zone.set(name, ["127.0.0.1"]);
    await sql("UPDATE url_checks SET due_at = '2026-01-01T00:00:00Z' WHERE link_id = $1::bigint", id);
    await own.cron();
    const lines = own.logs().filter((line) => line.includes("link_disabled"));
    expect(lines).toHaveLength(1);
    for (const word of [id, HOST, "longUrl", "resolves_to_special_address"]) expect(lines[0]).toContain(word);
    for (const word of [REPUTATION_KEY, name, "secret-path"]) expect(own.logs().join("\n")).not.toContain(word);
    await expect
      .poll(() => receiver.at("/hook").map(({ text }) => text), { timeout: 30_000 })
      .toEqual([expect.stringContaining('"disabled":true')]);
    await own.api("DELETE", `/webhooks/${String(fieldOf(made.body, "id"))}`);
  } finally {
    await own.stop();
    await receiver.stop();
  }
});

test("while both are off nothing is asked and nothing is noted; a link that is deleted takes its check along", async ({
  expect,
}) => {
  const off = await startService(HOST, apart.vars);
  try {
    const before = [checks.names.length, checks.urls.length];
    const code = await createLink(off, { longUrl: `https://${freshName("127.0.0.1")}/` });
    expect([checks.names.length, checks.urls.length]).toEqual(before);
    expect(await noteOf(code)).toBeUndefined();
  } finally {
    await off.stop();
  }
  const code = await createLink(service, { longUrl: `https://${freshName("1.1.1.1")}/` });
  const id = String(fieldOf(await read(code), "id"));
  expect((await service.api("DELETE", `/links/${code}`)).status).toBe(204);
  expect(await sql("SELECT * FROM url_checks WHERE link_id = $1::bigint", id)).toEqual([]);
});
