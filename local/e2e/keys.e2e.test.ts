/**
 * API keys: what each may do, over every call that the contract names; that they are shown once, kept as a hash, revoked and
 * expired; and that the admin key needs no database.
 *
 * @module
 */
import { neon, neonConfig } from "@neondatabase/serverless";
import { afterAll, afterEach, beforeAll, inject, test } from "vitest";
import { toHex } from "../../shared/hex.ts";
import { isRecord } from "../../shared/json.ts";
import { fieldOf, type Seen, see, type Service, startService, stranger } from "./service.ts";

const HOST = "keys.example.test";
const SCOPES = ["links:read", "links:write", "stats:read", "admin"] as const;
type Scope = (typeof SCOPES)[number];
const NOBODY = "00000000-0000-4000-8000-000000000000";
const PATIENCE = { timeout: 30_000, interval: 100 };
const KEY = /hop_[0-9A-Za-z]{43}/;

let service: Service;
const lifts: (() => Promise<unknown>)[] = [];
/** Every key that was given out here. */
const given: string[] = [];

beforeAll(async () => {
  service = await startService(HOST);
});
afterAll(() => service.stop());
afterEach(async () => {
  for (const lift of lifts.splice(0)) await lift();
});

interface Made {
  readonly id: string;
  readonly key: string;
}

async function makeKey(fields: Readonly<Record<string, unknown>> = {}): Promise<Made> {
  const seen = await see(service.api("POST", "/keys", { name: "a key", scopes: ["links:read"], ...fields }));
  if (seen.status !== 201) throw new Error(`no key was made: ${seen.status} ${seen.text}`);
  const key = String(fieldOf(seen.body, "key"));
  given.push(key);
  return { id: String(fieldOf(seen.body, "id")), key };
}

const call = (method: string, path: string, key: string | undefined): Promise<Seen> =>
  see(
    service.fetch(path, {
      method,
      headers: {
        ...stranger(),
        ...(key === undefined ? {} : { Authorization: `Bearer ${key}` }),
        ...(method === "GET" || method === "DELETE" ? {} : { "Content-Type": "application/json" }),
      },
      ...(method === "GET" || method === "DELETE" ? {} : { body: "{}" }),
    }),
  );
const readLinks = (key: string): Promise<Seen> => call("GET", "/api/v1/links/nobody", key);

/** Runs SQL beside the service. */
function ask(sql: string): Promise<readonly Record<string, unknown>[]> {
  const { databaseUrl, databaseEndpoint } = inject("stack");
  neonConfig.fetchEndpoint = databaseEndpoint;
  return neon(databaseUrl, { disableWarningInBrowsers: true }).query(sql);
}

/** Makes statements that hold a text fail until the test is over. */
async function breakDatabase(matching: string): Promise<void> {
  const control = inject("stack").faultUrls.postgres;
  const answer = await fetch(control, { method: "PUT", body: JSON.stringify({ kind: "refuse", matching }) });
  const id = Number(fieldOf(await answer.json(), "id"));
  lifts.push(() => fetch(`${control}/${id}`, { method: "DELETE" }));
}

/** The law a second time: which scope a call takes. A call that no line names fails the test. */
const LAW: readonly (readonly [RegExp, Scope])[] = [
  [/^\w+ \/api\/v1\/(?:keys|webhooks)(?:\/|$)/, "admin"],
  [/^GET (?:\/metrics|\/healthz\?deep=1)$/, "stats:read"],
  [/^GET \/api\/v1\/(?:stats|misses)$/, "stats:read"],
  [/^GET \/api\/v1\/links\/[^/]+\/(?:stats|clicks)$/, "stats:read"],
  [/^GET \/api\/v1\/export$/, "links:read"],
  [/^POST \/api\/v1\/import$/, "links:write"],
  [/^GET \/api\/v1\/links(?:\/[^/]+(?:\/qr)?)?$/, "links:read"],
  [/^(?:POST|PUT|PATCH|DELETE) \/api\/v1\/links(?:\/|$)/, "links:write"],
];

/** Every call of the contract, and the two that stand beside it, aimed at what is not there. */
async function readCalls(): Promise<readonly (readonly [string, string])[]> {
  const { body } = await see(service.fetch("/api/openapi.json"));
  const paths = fieldOf(body, "paths");
  const calls = Object.entries(isRecord(paths) ? paths : {}).flatMap(([path, operations]) =>
    Object.keys(isRecord(operations) ? operations : {}).map(
      (method) => [method.toUpperCase(), path.replaceAll("{code}", "nobody").replaceAll(/\{\w+\}/g, NOBODY)] as const,
    ),
  );
  return [...calls, ["GET", "/metrics"], ["GET", "/healthz?deep=1"]];
}

test("every call takes its scope or admin: another key is 403; none, a wrong, revoked or expired one is 401", async ({
  expect,
}) => {
  const calls = await readCalls();
  expect(calls.length).toBeGreaterThan(18);
  const keys = new Map<Scope, string>();
  for (const scope of SCOPES) keys.set(scope, (await makeKey({ scopes: [scope] })).key);
  const revoked = await makeKey({ scopes: ["admin"] });
  expect((await readLinks(revoked.key)).status).toBe(404);
  expect((await see(service.api("DELETE", `/keys/${revoked.id}`))).status).toBe(204);
  const expired = await makeKey({ scopes: ["admin"], expiresAt: new Date(Date.now() + 3000).toISOString() });
  await expect.poll(async () => (await readLinks(expired.key)).status, PATIENCE).toBe(401);
  const wrong = `${revoked.key.slice(0, -1)}${revoked.key.endsWith("0") ? "1" : "0"}`;

  for (const [method, path] of calls) {
    const needed = LAW.find(([pattern]) => pattern.test(`${method} ${path}`))?.[1];
    expect([method, path, needed]).toEqual([method, path, expect.any(String)]);
    for (const key of [undefined, "wrong-key", wrong, revoked.key, expired.key]) {
      const seen = await call(method, path, key);
      expect([method, path, seen.status]).toEqual([method, path, 401]);
      expect(seen.headers["www-authenticate"]).toBe("Bearer");
      expect(seen.body).toMatchObject({ code: "unauthorized" });
    }
    for (const [scope, key] of keys) {
      const seen = await call(method, path, key);
      const mayCall = scope === needed || scope === "admin";
      const outcome = seen.status === 401 || seen.status === 403 || seen.status >= 500 ? seen.status : "let in";
      expect([method, path, scope, outcome]).toEqual([method, path, scope, mayCall ? "let in" : 403]);
      if (!mayCall)
        expect(seen.body).toMatchObject({ code: "forbidden", detail: expect.stringContaining(String(needed)) });
    }
  }
});

test("B183: a key is shown once, its use is noted, and neither database, lists nor logs have it", async ({
  expect,
}) => {
  const made = await see(
    service.api("POST", "/keys", { name: "Größe", scopes: ["stats:read", "links:read", "links:read"] }),
  );
  const key = String(fieldOf(made.body, "key"));
  expect(made).toMatchObject({ status: 201, headers: { "cache-control": "no-store" } });
  expect(key).toMatch(new RegExp(`^${KEY.source}$`));
  const shown = {
    id: fieldOf(made.body, "id"),
    name: "Größe",
    scopes: ["stats:read", "links:read"],
    hint: key.slice(0, 8),
    expiresAt: null,
    createdAt: fieldOf(made.body, "createdAt"),
  };
  expect(made.body).toEqual({ ...shown, lastUsedAt: null, key });
  expect((await readLinks(key)).status).toBe(404);
  expect((await call("GET", `/api/v1/links/nobody?api_key=${key}`, undefined)).status).toBe(401);
  const list = async () => {
    const keys = fieldOf((await see(service.api("GET", "/keys"))).body, "keys");
    return Array.isArray(keys) ? keys.filter((one) => fieldOf(one, "id") === shown.id) : [];
  };
  await expect.poll(list, PATIENCE).toEqual([{ ...shown, lastUsedAt: expect.any(String) }]);

  const rows = await ask("SELECT to_jsonb(api_keys)::text AS row FROM api_keys");
  const hash = toHex(new Uint8Array(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(key))));
  expect(rows.filter(({ row }) => String(row).includes(hash))).toHaveLength(1);
  const told = JSON.stringify([rows, (await see(service.api("GET", "/keys"))).text, service.logs()]);
  for (const one of [...given, key]) expect(told).not.toContain(one.slice(8));
});

test("of a key that is used all the time the use is written once a minute", async ({ expect }) => {
  const { id, key } = await makeKey();
  const read = () => ask(`SELECT xmin::text AS written, last_used_at FROM api_keys WHERE id = '${id}'`);
  await readLinks(key);
  await expect.poll(read, PATIENCE).toMatchObject([{ last_used_at: expect.any(Date) }]);
  const before = await read();
  await Promise.all(Array.from({ length: 10 }, () => readLinks(key)));
  expect(await read()).toEqual(before);
});

test("while the database is away its keys are 503, those just seen still open, and the admin key does", async ({
  expect,
}) => {
  const [seen, unseen] = [await makeKey(), await makeKey()];
  expect((await readLinks(seen.key)).status).toBe(404);
  await breakDatabase("api_keys");
  const away = await readLinks(unseen.key);
  expect(away).toMatchObject({ status: 503, headers: { "retry-after": "5" }, body: { code: "unavailable" } });
  expect(away.text).not.toContain(unseen.key);
  expect((await readLinks(seen.key)).status).toBe(404);
  expect((await see(service.api("GET", "/links/nobody"))).status).toBe(404);
  expect((await call("GET", "/api/v1/links/nobody", "wrong-key")).status).toBe(401);
  for (const lift of lifts.splice(0)) await lift();
  expect((await readLinks(unseen.key)).status).toBe(404);
});

test.for([
  [{ name: "" }, "name"],
  [{ name: "x".repeat(101) }, "name"],
  [{ name: undefined }, "name"],
  [{ scopes: [] }, "scopes"],
  [{ scopes: undefined }, "scopes"],
  [{ scopes: ["links:delete"] }, "scopes.0"],
  [{ expiresAt: "yesterday" }, "expiresAt"],
  [{ expiresAt: "2020-01-01T00:00:00Z" }, "expiresAt"],
  [{ key: "hop_mine" }, "key"],
] as const)("a creation with %j is refused", async ([fields, path], { expect }) => {
  const body = { name: "a key", scopes: ["admin"], ...fields };
  const seen = await see(service.api("POST", "/keys", body));
  expect(seen).toMatchObject({ status: 400, body: { code: "invalid_request", errors: [{ path }] } });
});

test.for([NOBODY, "not-a-uuid", "%00", NOBODY.toUpperCase()])(
  "there is no key %s to revoke",
  async (id, { expect }) => {
    expect(await see(service.api("DELETE", `/keys/${id}`))).toMatchObject({ status: 404, body: { code: "not_found" } });
  },
);
