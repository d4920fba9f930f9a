/**
 * Links of a list are tried again when they have to be, a few times, and what a later attempt fails at takes no earlier one along.
 *
 * @module
 */
import { test } from "vitest";
import { BackendDown } from "../../../shared/backend-down.ts";
import type { CodeKey } from "../../../shared/entry.ts";
import { LINK_DEFAULTS } from "../../../shared/link.ts";
import type { ShortLinkRow } from "../../backends/schema.ts";
import type { StampRefusal } from "../../entries/filter.ts";
import { present } from "../../testing/entries.ts";
import type { NewLink } from "../store.ts";
import { type BulkParts, type BulkRow, type CreatedOfMany, createLinks } from "./create.ts";
import type { InsertedOfMany } from "./store.ts";

const DOMAIN = "bulk.example.test";
const context = { domain: DOMAIN, policy: { schemes: ["https"], allow: [], block: [], ownHosts: [DOMAIN] } };
const row = (customCode?: string): BulkRow => ({
  body: { longUrl: "https://example.com/", unique: true, customCode },
  context,
});

function inserted({ id, key, type }: NewLink): InsertedOfMany {
  const now = new Date(0);
  const fields: ShortLinkRow = {
    ...LINK_DEFAULTS,
    id,
    domain: key.domain,
    shortCode: key.code,
    type,
    longUrl: "https://example.com/",
    tags: [],
    validSince: null,
    expireAt: null,
    fingerprint: null,
    filterEpoch: null,
    filterAdds: null,
    version: 1,
    clickCount: 0,
    lastClickAt: null,
    creatorIp: null,
    createdAt: now,
    updatedAt: now,
  };
  return { kind: "created", row: fields };
}

/** What became of one call: the outcomes, and what was asked of whom. */
interface Run {
  readonly kinds: readonly string[];
  readonly codes: readonly (readonly string[])[];
  readonly refused: readonly (StampRefusal | undefined)[];
  readonly published: readonly CodeKey[];
}

type Answer = (link: NewLink) => InsertedOfMany;

/** Runs a list against what the database answers in each round. */
async function run(rows: readonly BulkRow[], rounds: readonly Answer[], filterWorks = true): Promise<Run> {
  let id = 0n;
  const codes: string[][] = [];
  const refused: (StampRefusal | undefined)[] = [];
  const published: CodeKey[] = [];
  const parts: BulkParts = {
    codes: {
      checkCustom: (code) => ({ ok: true, code }),
      encode: (of) => `g${of}`,
      isShadowed: (code) => code === "g2",
    },
    async nextIds(count) {
      const first = id + 1n;
      id += BigInt(count);
      return [{ first, count }];
    },
    async addAllToFilter(keys, why) {
      refused.push(why);
      if (!filterWorks) throw new BackendDown("redis", new Error("away"));
      return keys.map((_, adds) => ({ epoch: 1, adds }));
    },
    async insertAll(links) {
      const answer = rounds[codes.length];
      codes.push(links.map(({ key }) => key.code));
      if (answer === undefined) throw new BackendDown("postgres", new Error("away"));
      return links.map(answer);
    },
    async publishAll(entries) {
      published.push(...entries.map(({ key }) => key));
    },
    entryOf: () => present(),
    passwords: { hash: async (password) => `hash of ${password}`, isOf: async () => false },
    check: null,
  };
  const place = { colo: "", continent: "" };
  const outcomes = await createLinks(parts, rows, { creatorIp: null, place, now: 0 });
  return { kinds: outcomes.map(({ kind }: CreatedOfMany) => kind), codes, refused, published };
}

test("a list is one insertion, no code is used that an older key may have given, and only chosen ones are published", async ({
  expect,
}) => {
  const { kinds, codes, published } = await run([row(), row("own"), row()], [inserted]);
  expect(kinds).toEqual(["created", "created", "created"]);
  expect(codes).toEqual([["g1", "own", "g4"]]);
  expect(published).toEqual([{ domain: DOMAIN, code: "own" }]);
});

test("stamps that are refused are fetched anew, with the reason, for those rows alone", async ({ expect }) => {
  const first: Answer = (link) =>
    link.type === "custom" ? { kind: "unfiltered", reason: "duplicate" } : inserted(link);
  const { kinds, codes, refused } = await run([row(), row("a"), row("b")], [first, inserted]);
  expect(kinds).toEqual(["created", "created", "created"]);
  expect(codes.slice(1)).toEqual([["a", "b"]]);
  expect(refused).toEqual([undefined, "duplicate"]);
});

test("a generated code that is taken is another one in the next round, and a chosen one is taken", async ({
  expect,
}) => {
  const { kinds, codes } = await run([row(), row("a")], [() => ({ kind: "taken" }), inserted]);
  expect(kinds).toEqual(["created", "taken"]);
  expect(codes[1]).not.toEqual(codes[0]?.slice(0, 1));
});

const stubborn: Answer = (link) =>
  link.key.code === "a" ? { kind: "unfiltered", reason: "outdated" } : inserted(link);

test("after three rounds what is left is unavailable, and the rest stands", async ({ expect }) => {
  const { kinds, codes } = await run([row("a"), row("b")], [stubborn, stubborn, stubborn, stubborn]);
  expect(kinds).toEqual(["unavailable", "created"]);
  expect(codes).toHaveLength(3);
});

test("a database that goes away in a later round leaves what it made; in the first one the call fails", async ({
  expect,
}) => {
  const { kinds } = await run(
    [row(), row("a")],
    [(link) => (link.type === "auto" ? inserted(link) : { kind: "again" })],
  );
  expect(kinds).toEqual(["created", "unavailable"]);
  await expect(run([row()], [])).rejects.toBeInstanceOf(BackendDown);
});

test("a filter that cannot be asked costs the rows with chosen codes, and no others", async ({ expect }) => {
  const { kinds, codes } = await run([row("a"), row(), row("b")], [inserted], false);
  expect(kinds).toEqual(["unavailable", "created", "unavailable"]);
  expect(codes).toHaveLength(1);
});
