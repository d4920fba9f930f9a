/**
 * One attempt at inserting links that were made elsewhere: ids, stamps of the filter, one statement, and the caches.
 *
 * @module
 */
import { BackendDown } from "../../../shared/backend-down.ts";
import type { Entry } from "../../../shared/entry.ts";
import type { ShortLinkRow } from "../../backends/schema.ts";
import type { FilterStamp, StampRefusal } from "../../entries/filter.ts";
import type { PublishAll } from "../../entries/publish-all.ts";
import type { Published } from "../../entries/tiers/redis.ts";
import type { Place } from "../../http/context.ts";
import { mintIds } from "../create.ts";
import { noteUnchecked } from "../noted.ts";
import type { NewLink } from "../store.ts";
import type { Adopted, Candidate } from "./adopt-judge.ts";
import type { Holder } from "./adopt-names.ts";
import type { BulkParts } from "./create.ts";
import type { Names } from "./queries.ts";
import type { InsertedOfMany } from "./store.ts";

/** What an attempt needs, handed in. */
export interface InsertParts extends Pick<BulkParts, "nextIds" | "codes" | "addAllToFilter" | "insertAll"> {
  readonly publishAll: PublishAll;
  readonly entryOf: (row: ShortLinkRow, now: number) => Entry;
  /** Whether destinations are looked up here: those that come by file are, when cron next does. */
  readonly checksLater: boolean;
  /** Counts visits that a limited link had before it came here. */
  readonly countEarlier: (linkId: string, visits: number) => Promise<void>;
}

/** What came of an attempt. */
export interface Round {
  readonly outcomes: ReadonlyMap<number, Adopted>;
  readonly made: readonly { readonly holder: Holder; readonly names: Names }[];
  /** Why the filter has to give new stamps. */
  readonly refused: StampRefusal | undefined;
  /** Others made links meanwhile: who has which name is to be read again. */
  readonly isStale: boolean;
}

/** What an attempt is told. */
export interface RoundContext {
  readonly place: Place;
  readonly now: number;
  readonly refused: StampRefusal | undefined;
}

/** So many objects are called at once: the platform holds further connections back, and their time limit runs. */
const CALLS_AT_ONCE = 6;

/** Inserts the links, none of which has a name of another; what must be tried again has no outcome. Rejects with `BackendDown`. */
export async function insertRound(
  parts: InsertParts,
  chosen: readonly Candidate[],
  { place, now, refused }: RoundContext,
): Promise<Round> {
  const [ids, stamps] = await Promise.all([giveIds(parts, chosen, place, now), stampAll(parts, chosen, refused)]);
  const links = chosen.map((one, index): NewLink => {
    const { names, prepared, past } = one;
    const id = ids[index] ?? "";
    return {
      id,
      key: { domain: names.domain, code: names.shortCode ?? parts.codes.encode(BigInt(id)) },
      type: prepared.customCode === null ? "auto" : "custom",
      settings: prepared.settings,
      fingerprint: names.fingerprint,
      stamp: stamps.get(one.at) ?? null,
      creatorIp: null,
      note: parts.checksLater ? noteUnchecked(now) : null,
      now,
      past,
    };
  });
  // Before a link can be followed: else more visits would pass than its limit has left.
  await countVisits(parts, links);
  const results = await parts.insertAll(links);
  await publishGiven(parts, chosen, results, now);
  return read(chosen, results);
}

/** Each its own id where it has one, and else a new one. */
async function giveIds(
  parts: InsertParts,
  chosen: readonly Candidate[],
  place: Place,
  now: number,
): Promise<readonly string[]> {
  const own = new Set(chosen.flatMap(({ names }) => names.id ?? []));
  const missing = chosen.length - own.size;
  const minted = missing === 0 ? [] : (await mintIds(parts, missing, place, now)).map(String);
  // Another Hop made a link at this very moment, with the id that ours gives next.
  if (minted.some((id) => own.has(id))) throw new BackendDown("sequencer", new Error("an imported link has its id"), 1);
  const next = minted.values();
  return chosen.flatMap(({ names }) => names.id ?? next.next().value ?? []);
}

/** The stamps of custom codes, by the links' places in the list. */
async function stampAll(
  { addAllToFilter }: InsertParts,
  chosen: readonly Candidate[],
  refused: StampRefusal | undefined,
): Promise<ReadonlyMap<number, FilterStamp>> {
  const custom = chosen.flatMap(({ at, names, prepared: { customCode: code } }) =>
    code === null ? [] : [{ at, key: { domain: names.domain, code } }],
  );
  if (custom.length === 0) return new Map();
  const stamps = await addAllToFilter(
    custom.map(({ key }) => key),
    refused,
  );
  return new Map(custom.flatMap(({ at }, index) => (stamps[index] === undefined ? [] : [[at, stamps[index]]])));
}

async function countVisits({ countEarlier }: InsertParts, links: readonly NewLink[]): Promise<void> {
  const limited = links.filter(({ settings, past }) => settings.maxClicks !== null && (past?.clickCount ?? 0) > 0);
  for (let from = 0; from < limited.length; from += CALLS_AT_ONCE) {
    const some = limited.slice(from, from + CALLS_AT_ONCE);
    await Promise.all(some.map(({ id, past }) => countEarlier(id, past?.clickCount ?? 0)));
  }
}

/** Somebody may have asked in vain for a code that comes with its link, or it was deleted a moment ago. */
async function publishGiven(
  parts: InsertParts,
  chosen: readonly Candidate[],
  results: readonly InsertedOfMany[],
  now: number,
): Promise<void> {
  const published = results.flatMap((result, index): Published[] => {
    if (result.kind !== "created" || chosen[index]?.names.shortCode === null) return [];
    const entry = parts.entryOf(result.row, now);
    return entry.kind === "present" ? [{ key: { domain: result.row.domain, code: result.row.shortCode }, entry }] : [];
  });
  if (published.length > 0) await parts.publishAll(published);
}

function read(chosen: readonly Candidate[], results: readonly InsertedOfMany[]): Round {
  const outcomes = new Map<number, Adopted>();
  const made: { readonly holder: Holder; readonly names: Names }[] = [];
  let refused: StampRefusal | undefined;
  let isStale = false;
  for (const [index, { at, names }] of chosen.entries()) {
    const result = results[index];
    if (result === undefined) continue;
    switch (result.kind) {
      case "created": {
        const { id, shortCode, type } = result.row;
        outcomes.set(at, { kind: "created", id, shortCode, type });
        made.push({ holder: result.row, names: { ...names, id, shortCode } });
        break;
      }
      case "external_id_taken":
        outcomes.set(at, result);
        break;
      case "unfiltered":
        refused = result.reason;
        break;
      case "again":
      case "existing":
      case "taken":
        isStale = true;
        break;
    }
  }
  return { outcomes, made, refused, isStale };
}
