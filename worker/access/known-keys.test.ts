/**
 * What an isolate remembers of keys: a good one for 30 seconds, a wrong one for 10, and neither for longer.
 *
 * @module
 */
import { afterEach, test } from "vitest";
import { openScope } from "../http/context.ts";
import { countRequests, liftFaults, openDatabase, setFault } from "../testing/stack.ts";
import { createAuthenticate, hashKey } from "./keys.ts";
import { createKnownKeys } from "./known-keys.ts";
import { createKeyStore } from "./store.ts";
import { writeKey } from "../../shared/api-key.ts";

const database = openDatabase();
/** Of this test: keys may be as old as they like. */
const START = Date.parse("2026-12-01T08:00:00Z");

afterEach(liftFaults);

/** A key with a row, an isolate that has never seen it, and the work that was left for later. */
async function begin(columns: { readonly expiresAt?: string } = {}) {
  const key = writeKey(crypto.getRandomValues(new Uint8Array(32)));
  const [id, hash] = [crypto.randomUUID(), await hashKey(key)];
  await database.execute(`
    INSERT INTO api_keys (id, hash, hint, name, scopes, expires_at, created_at)
    VALUES ('${id}', decode('${hash}', 'hex'), 'hop_test', 'a key', '{links:read}',
      ${columns.expiresAt === undefined ? "NULL" : `'${columns.expiresAt}'`}, '2026-12-01')`);
  const known = createKnownKeys(createKeyStore(database));
  const authenticate = createAuthenticate("the-admin-key", known.find);
  const later: Promise<unknown>[] = [];
  const request = new Request("https://keys.example.test/api/v1/links/a");
  return {
    id,
    hash,
    forget: () => known.forget(hash),
    call: (afterMs: number) =>
      authenticate(
        key,
        openScope(request, START + afterMs, (work) => later.push(work)),
      ),
    settle: () => Promise.all(later.splice(0)),
    remove: () => database.execute(`DELETE FROM api_keys WHERE id = '${id}'`),
    readUse: async () => {
      const { rows } = await database.execute<{ used: string | null }>(
        `SELECT (extract(epoch FROM last_used_at) * 1000)::bigint::text AS used FROM api_keys WHERE id = '${id}'`,
      );
      const used = rows[0]?.used;
      return typeof used === "string" ? Number(used) - START : null;
    },
  };
}

test("a key that is revoked elsewhere works for 30 seconds more, and one that is revoked here not at all", async ({
  expect,
}) => {
  const { id, call, remove } = await begin();
  expect(await call(0)).toMatchObject({ id, scopes: ["links:read"] });
  await remove();
  expect(await call(29_999)).toMatchObject({ id });
  expect(await call(30_000)).toBeNull();
  expect(await call(20_000)).toBeNull();

  const other = await begin();
  expect(await other.call(0)).toMatchObject({ id: other.id });
  await other.remove();
  other.forget();
  expect(await other.call(1)).toBeNull();
});

test("a key works until the millisecond of its end, also while it is remembered", async ({ expect }) => {
  const { id, call } = await begin({ expiresAt: new Date(START + 5000).toISOString() });
  expect(await call(0)).toMatchObject({ id });
  expect(await call(4999)).toMatchObject({ id });
  expect(await call(5000)).toBeNull();
});

test("a wrong key that is repeated costs the database one look-up in ten seconds", async ({ expect }) => {
  const { hash, call, remove } = await begin();
  await remove();
  for (const at of [0, 1, 9999]) expect(await call(at)).toBeNull();
  expect(await countRequests("postgres", hash)).toBe(2);
  expect(await call(10_000)).toBeNull();
  expect(await countRequests("postgres", hash)).toBe(3);
});

test("a use is noted once a minute, and never an earlier one over a later one", async ({ expect }) => {
  const { call, settle, readUse, forget } = await begin();
  await call(0);
  await settle();
  expect(await readUse()).toBe(0);
  for (const at of [31_000, 59_999]) {
    forget();
    await call(at);
    await settle();
    expect(await readUse()).toBe(0);
  }
  forget();
  await call(60_000);
  await settle();
  expect(await readUse()).toBe(60_000);
});

test("while the database is away a key that was seen works for its 30 seconds, and any other cannot be judged", async ({
  expect,
}) => {
  const [seen, unseen] = [await begin(), await begin()];
  await seen.call(0);
  for (const { hash } of [seen, unseen]) await setFault("postgres", { kind: "refuse", matching: hash });
  expect(await seen.call(29_999)).toMatchObject({ id: seen.id });
  await expect(seen.call(30_000)).rejects.toThrow(/postgres/);
  await expect(unseen.call(0)).rejects.toThrow(/postgres/);
  await liftFaults();
  expect(await unseen.call(0)).toMatchObject({ id: unseen.id });
});

test("a use that cannot be noted keeps nobody out", async ({ expect }) => {
  const { id, call, settle, readUse } = await begin();
  await setFault("postgres", { kind: "refuse", matching: id });
  expect(await call(0)).toMatchObject({ id });
  await settle();
  await liftFaults();
  expect(await readUse()).toBeNull();
});
