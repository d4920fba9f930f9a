/**
 * Looking again at links while their owners change and delete them, while the next run begins, and over weeks of silence. What the resolver
 * would say is handed in; the links and their checks are in Postgres.
 *
 * @module
 */
import { afterEach, test } from "vitest";
import { LINK_DEFAULTS, type LinkSettings } from "../../../shared/link.ts";
import { entryOf } from "../../entries/store.ts";
import { openDatabase } from "../../testing/stack.ts";
import { linkOf } from "../rows.ts";
import { createLinkStore } from "../store.ts";
import type { Checked } from "./check.ts";
import { recheckDue } from "./recheck.ts";
import type { CheckNote } from "./schedule.ts";
import { createCheckStore } from "./store.ts";

const database = openDatabase();
const store = createLinkStore(database);
const checks = createCheckStore(database);
const domain = `recheck-${crypto.randomUUID()}.example.test`;
const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;
/** Long ago, so that no other file's checks are due. */
const START = Date.UTC(2001, 0, 1);
const DUE: CheckNote = { dueAt: START, clearAt: null, attempts: 0 };
const BAD: Checked = { kind: "refused", code: "url_not_allowed", path: "longUrl", message: "bad", reason: "blocked" };
let serial = Math.floor(Math.random() * 2 ** 40) * 1000;

afterEach(() => database.execute(`DELETE FROM short_links WHERE domain = '${domain}'`));

/** Makes a link that is noted so; its name. */
async function make(note: CheckNote | null = DUE): Promise<{ readonly domain: string; readonly code: string }> {
  serial += 1;
  const key = { domain, code: `c${serial}` };
  const settings = { ...LINK_DEFAULTS, longUrl: `https://example.com/${serial}` };
  const link = { id: String(serial), key, type: "auto", settings, fingerprint: null, stamp: null, note } as const;
  const inserted = await store.insert({ ...link, creatorIp: null, now: Date.now() });
  if (inserted.kind !== "created") throw new Error(inserted.kind);
  return key;
}
type Name = Awaited<ReturnType<typeof make>>;

/** A run at a time, in which each check comes to `result` after `meanwhile` has happened. */
async function run(result: Checked, now: number, meanwhile: () => Promise<unknown> = async () => {}) {
  const published: string[] = [];
  const check = async (links: readonly unknown[]) => {
    await meanwhile();
    return links.map(() => result);
  };
  const publish = async ({ code }: { readonly code: string }) => void published.push(code);
  return { ...(await recheckDue({ store, checks, check, publish, entryOf, limit: 100 }, now)), published };
}
async function change(name: Name, fields: Partial<LinkSettings>, note: CheckNote | null = null): Promise<void> {
  const row = await store.find(name);
  if (row === undefined) throw new Error("the link is gone");
  const noted = note && { linkId: row.id, ...note };
  await store.update(name, { ...linkOf(row), ...fields }, null, { version: row.version }, Date.now(), noted);
}
/** When the check of a link is due, in minutes after a time; undefined: it is done. */
async function dueAfter({ code }: Name, since: number): Promise<number | undefined> {
  const { rows } = await database.execute<{ due: string }>(
    `SELECT extract(epoch FROM due_at) * 1000 AS due FROM url_checks
        JOIN short_links ON id = link_id WHERE domain = '${domain}' AND short_code = '${code}'`,
  );
  return rows[0] && (Number(rows[0].due) - since) / MINUTE;
}
const isDisabled = async (name: Name): Promise<boolean | undefined> => (await store.find(name))?.disabled;

test("what is refused is disabled with a new version and made seen; the rest is as it was", async ({ expect }) => {
  const name = await make();
  const before = await store.find(name);
  expect(await run(BAD, START)).toEqual({ checked: 1, disabled: 1, published: [name.code] });
  const after = await store.find(name);
  expect(after).toMatchObject({ disabled: true, longUrl: before?.longUrl, createdAt: before?.createdAt });
  expect(after?.version).toBeGreaterThan(before?.version ?? Infinity);
  expect(await dueAfter(name, START)).toBeUndefined();
  expect(await run(BAD, START + DAY)).toMatchObject({ checked: 0 });
});

test("a destination that its owner changed meanwhile is not disabled for the one before", async ({ expect }) => {
  const name = await make();
  const renewed = { dueAt: START + DAY, clearAt: START, attempts: 0 };
  expect(await run(BAD, START, () => change(name, { longUrl: "https://good.example/" }, renewed))).toMatchObject({
    disabled: 0,
    published: [],
  });
  expect(await isDisabled(name)).toBe(false);
  expect(await dueAfter(name, START)).toBe(DAY / MINUTE);
});

test("a change of something else meanwhile only puts it off to the next run", async ({ expect }) => {
  const name = await make();
  expect(await run(BAD, START, () => change(name, { title: "new" }))).toMatchObject({ disabled: 0 });
  expect(await run(BAD, START)).toMatchObject({ disabled: 1 });
  expect(await store.find(name)).toMatchObject({ disabled: true, title: "new" });
});

test("a link that is deleted meanwhile stays deleted, with its check", async ({ expect }) => {
  const name = await make();
  expect(await run(BAD, START, () => store.remove(name, null))).toMatchObject({ disabled: 0, published: [] });
  expect(await store.find(name)).toBeUndefined();
  expect(await dueAfter(name, START)).toBeUndefined();
});

test("two runs at once share the work; what one that died had taken is due again after its lease", async ({
  expect,
}) => {
  const names = await Promise.all([make(), make(), make()]);
  const dies = run(BAD, START, async () => {
    expect(await run(BAD, START)).toMatchObject({ checked: 0 });
    throw new Error("this run dies");
  });
  await expect(dies).rejects.toThrow("this run dies");
  expect(await run(BAD, START)).toMatchObject({ checked: 0 });
  expect(await run(BAD, START + 5 * MINUTE)).toMatchObject({ disabled: names.length });
});

test("silence is met with growing pauses, and given up after two weeks", async ({ expect }) => {
  const name = await make();
  const pauses: number[] = [];
  let now = START;
  for (;;) {
    await run({ kind: "unchecked" }, now);
    const pause = await dueAfter(name, now);
    if (pause === undefined) break;
    pauses.push(pause);
    now += pause * MINUTE;
  }
  expect(pauses.slice(0, 9)).toEqual([10, 20, 40, 80, 160, 320, 640, 1280, 1440]);
  expect(pauses.slice(9)).toEqual(Array.from({ length: 12 }, () => 1440));
  expect(await isDisabled(name)).toBe(false);
});

test("one that is clear is looked at once more, a day later; a disabled one never", async ({ expect }) => {
  const [name, disabled] = [await make(), await make()];
  await change(disabled, { disabled: true });
  expect(await run({ kind: "clear" }, START)).toMatchObject({ checked: 1 });
  expect(await dueAfter(name, START)).toBe(DAY / MINUTE);
  expect(await dueAfter(disabled, START)).toBeUndefined();
  expect(await run({ kind: "clear" }, START + DAY)).toMatchObject({ checked: 1 });
  expect(await dueAfter(name, START)).toBeUndefined();
});

test("a link without a note has no check, and a change without one leaves what is noted", async ({ expect }) => {
  const [without, name] = [await make(null), await make()];
  await change(name, { title: "x" });
  expect(await dueAfter(without, START)).toBeUndefined();
  expect(await dueAfter(name, START)).toBe(0);
});
