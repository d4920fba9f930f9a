/**
 * Of many links inserted at once each gets what it would have got alone: also one whose stamp of the filter is refused.
 *
 * @module
 */
import { test } from "vitest";
import { LINK_DEFAULTS } from "../../../shared/link.ts";
import { openDatabase } from "../../testing/stack.ts";
import type { NewLink } from "../store.ts";
import { createInsertAll } from "./store.ts";

const database = openDatabase();
const insertAll = createInsertAll(database);
const domain = `bulk-${crypto.randomUUID()}.example.test`;
/** An epoch that no filter of this run is in, ahead of the fence. */
const EPOCH = 4_000_000_000_000_000 + Math.floor(Math.random() * 1_000_000_000);
let serial = Math.floor(Math.random() * 2 ** 40) * 1000;

function link(fields: Partial<NewLink> = {}): NewLink {
  serial += 1;
  return {
    id: String(serial),
    key: { domain, code: `auto-${serial}` },
    type: "auto",
    settings: { ...LINK_DEFAULTS, longUrl: "https://example.com/" },
    fingerprint: null,
    stamp: null,
    note: null,
    creatorIp: null,
    now: Date.now(),
    ...fields,
  };
}
const custom = (code: string, adds: number, epoch = EPOCH): NewLink =>
  link({ key: { domain, code }, type: "custom", stamp: { epoch, adds } });
const hash = (digit: string): string => digit.repeat(64);
const kindsOf = async (links: readonly NewLink[]): Promise<string[]> =>
  (await insertAll(links)).map((result) => (result.kind === "unfiltered" ? result.reason : result.kind));

test("names that are taken, by others or by a row before, are told from those that are not", async ({ expect }) => {
  const externalId = "id-1";
  const settings = { ...LINK_DEFAULTS, longUrl: "https://example.com/", externalId };
  const first = await insertAll([link({ fingerprint: hash("a") }), custom("one", 1), link({ settings })]);
  expect(first.map(({ kind }) => kind)).toEqual(["created", "created", "created"]);
  const results = await insertAll([
    link({ fingerprint: hash("a") }),
    link({ fingerprint: hash("b") }),
    link({ fingerprint: hash("b") }),
    custom("one", 2),
    custom("two", 3),
    link({ settings }),
    link({ key: { domain: `other.${domain}`, code: "auto" }, settings, fingerprint: hash("a") }),
  ]);
  expect(results.map(({ kind }) => kind)).toEqual([
    "existing",
    "created",
    "existing",
    "taken",
    "created",
    "external_id_taken",
    "created",
  ]);
  const ids = [first[0], results[0], results[1], results[2]].map((result) => Object(result).row.id);
  expect(ids[1]).toBe(ids[0]);
  expect(ids[3]).toBe(ids[2]);
});

test("a stamp that another row has is refused alone: Redis has forgotten", async ({ expect }) => {
  expect(await kindsOf([custom("three", 10)])).toEqual(["created"]);
  expect(await kindsOf([custom("four", 10), custom("five", 11), link()])).toEqual(["duplicate", "created", "created"]);
});

test("stamps of a past epoch are refused, and nothing is inserted: all are to be tried again", async ({ expect }) => {
  const links = [link(), custom("six", 1, -1)];
  expect(await kindsOf(links)).toEqual(["outdated", "outdated"]);
  const { rows } = await database.execute(
    `SELECT 1 FROM short_links WHERE domain = '${domain}' AND short_code = 'six'`,
  );
  expect(rows).toEqual([]);
});

test("a database that cannot be asked is down", async ({ expect }) => {
  await expect(createInsertAll(openDatabase(1))([link()])).rejects.toThrow("postgres");
});
