/**
 * Links that were made elsewhere are taken in whatever happens meanwhile: others that make the same, stamps that are refused, ids that are had.
 *
 * @module
 */
import { test } from "vitest";
import { BackendDown } from "../../../shared/backend-down.ts";
import type { StampRefusal } from "../../entries/filter.ts";
import { present } from "../../testing/entries.ts";
import { openDatabase } from "../../testing/stack.ts";
import { type AdoptParts, openAdoption } from "./adopt.ts";
import type { RowToAdopt } from "./adopt-judge.ts";
import { createReadStanding } from "./queries.ts";
import { createInsertAll } from "./store.ts";

const database = openDatabase();
const readStanding = createReadStanding(database);
const insertAll = createInsertAll(database, true);
const EPOCH = 4_500_000_000_000_000 + Math.floor(Math.random() * 1_000_000_000);
const LONG_AGO = Date.parse("2019-01-01T00:00:00Z");
/** Below 2^53, past which adding one changes nothing. */
let serial = Math.floor(Math.random() * 2 ** 39) * 10_000;
let adds = 0;

/** A domain that no other test has. */
function freshDomain(): string {
  return `adopt-${crypto.randomUUID()}.example.test`;
}

function row(domain: string, shortCode: string | null, fields: Partial<RowToAdopt["body"]> = {}): RowToAdopt {
  return {
    body: { longUrl: "https://example.com/", ...fields },
    context: { domain, policy: { schemes: ["https"], allow: [], block: [], ownHosts: [domain] } },
    shortCode,
    passwordHash: null,
    past: { createdAt: LONG_AGO, updatedAt: null, clickCount: 7, lastClickAt: null },
  };
}

/** Codes that begin with `g` are generated: the rest is their id. */
function partsOf(more: Partial<AdoptParts> = {}): AdoptParts {
  return {
    codes: {
      checkCustom: (code) => ({ ok: true, code }),
      classify: (code) => ({ kind: /^g\d+$/.test(code) ? "generated" : "custom", code }),
      prove: (code) => BigInt(code.slice(1)),
      encode: (id) => `g${id}`,
      isShadowed: () => false,
    },
    async nextIds(count) {
      const first = BigInt(serial + 1);
      serial += count;
      return [{ first, count }];
    },
    async addAllToFilter(keys) {
      return keys.map(() => ({ epoch: EPOCH, adds: (adds += 1) }));
    },
    passwords: { hash: async (password) => `hash of ${password}`, isOf: async () => false },
    readStanding,
    insertAll,
    checksLater: false,
    async publishAll() {},
    entryOf: () => present(),
    async countEarlier() {},
    clock: () => Date.now(),
    ...more,
  };
}
const manners = { place: { colo: "", continent: "" }, isDryRun: false };
const kindsOf = async (parts: AdoptParts, rows: readonly RowToAdopt[], isDryRun = false): Promise<string[]> =>
  (await openAdoption(parts, { ...manners, isDryRun })(rows)).map((one) =>
    one.kind === "exists" ? `${one.by} of ${one.holder.shortCode}` : one.kind,
  );

test("of those that share a name the first is made; a link with a code of its own is made also with the same settings", async ({
  expect,
}) => {
  const domain = freshDomain();
  const own = `g${(serial += 10)}`;
  const rows = [
    row(domain, "a"),
    row(domain, "a"),
    row(domain, own),
    row(domain, `g${(serial += 10)}`),
    row(domain, null),
    row(domain, "b", { externalId: "x" }),
    row(domain, "c", { externalId: "x" }),
    row(`2.${domain}`, own),
  ];
  const expected = [
    "created",
    "code of a",
    "created",
    "created",
    `settings of ${own}`,
    "created",
    "external_id_taken",
    "created",
  ];
  const imagined = await kindsOf(partsOf(), rows, true);
  expect(imagined).toEqual(expected);
  expect(await kindsOf(partsOf(), rows)).toEqual(expected);
  const again = [
    "code of a",
    "code of a",
    `code of ${own}`,
    "code of",
    "settings of",
    "code of b",
    "code of c",
    "code of",
  ];
  for (const [index, kind] of (await kindsOf(partsOf(), rows)).entries()) {
    // The link of `c` was not made: its external id is still another's.
    expect(kind).toContain(index === 6 ? "external_id_taken" : again[index]);
  }
});

test("a dry run remembers what it would have made, from one call to the next", async ({ expect }) => {
  const domain = freshDomain();
  const adopt = openAdoption(partsOf(), { ...manners, isDryRun: true });
  expect(await adopt([row(domain, "a")])).toMatchObject([{ kind: "created", id: null }]);
  expect(await adopt([row(domain, "a"), row(domain, "b")])).toMatchObject([
    { kind: "exists", holder: { id: null } },
    { kind: "created" },
  ]);
  expect(await readStanding([{ domain, id: null, shortCode: "a", fingerprint: null, externalId: null }])).toEqual([]);
});

test("what others make between the look and the insertion is skipped, and what is not in the way is made", async ({
  expect,
}) => {
  const domain = freshDomain();
  let isFirst = true;
  const rows = [row(domain, "a"), row(domain, null), row(domain, "b")];
  const raced = partsOf({
    async readStanding(names) {
      const standing = await readStanding(names);
      // The same file, sent twice at once.
      if (isFirst) {
        isFirst = false;
        expect(await kindsOf(partsOf(), rows.slice(0, 2))).toEqual(["created", "created"]);
      }
      return standing;
    },
  });
  expect(await kindsOf(raced, rows)).toEqual(["code of a", expect.stringMatching(/^settings of g/), "created"]);
});

test("stamps that are refused are fetched anew with the reason, and what was made stands when the database goes", async ({
  expect,
}) => {
  const domain = freshDomain();
  const reasons: (StampRefusal | undefined)[] = [];
  let attempts = 0;
  const parts = partsOf({
    async addAllToFilter(keys, refused) {
      reasons.push(refused);
      // The stamp that the first one has.
      return keys.map((_, index) => ({
        epoch: EPOCH,
        adds: index === 0 || refused !== undefined ? (adds += 1) : adds,
      }));
    },
    async insertAll(links) {
      attempts += 1;
      if (attempts > 2) throw new BackendDown("postgres", new Error("away"));
      return insertAll(links);
    },
  });
  expect(await kindsOf(parts, [row(domain, "a"), row(domain, "b")])).toEqual(["created", "created"]);
  expect(reasons).toEqual([undefined, "duplicate"]);
  await expect(kindsOf(parts, [row(domain, "c")])).rejects.toBeInstanceOf(BackendDown);
});
