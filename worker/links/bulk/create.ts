/**
 * Makes many links with few requests: ids from one call of a sequencer, stamps from one of the filter, rows in one statement. Each link
 * is judged and answered by itself, and comes out as it would have alone.
 *
 * @module
 */
import { BackendDown } from "../../../shared/backend-down.ts";
import type { CreateLinkBody } from "../../../shared/schema/link.ts";
import type { CodeKey } from "../../../shared/entry.ts";
import { MAX_BULK_PASSWORDS } from "../../../shared/password.ts";
import type { FilterStamp, StampRefusal } from "../../entries/filter.ts";
import type { PublishAll } from "../../entries/publish-all.ts";
import type { Published } from "../../entries/tiers/redis.ts";
import { log } from "../../telemetry/log.ts";
import { type CreateContext, type Created, type CreateParts, mintIds, prepare, type Prepared } from "../create.ts";
import { checkSome, type Noted } from "../noted.ts";
import { hashOnce } from "../passwords.ts";
import { linkOf } from "../rows.ts";
import type { NewLink } from "../store.ts";
import type { InsertAll, InsertedOfMany } from "./store.ts";

/** What the making of many needs, handed in. */
export interface BulkParts extends Pick<CreateParts, "codes" | "nextIds" | "entryOf" | "passwords" | "check"> {
  readonly insertAll: InsertAll;
  /** Adds custom codes to the filter, before their rows are inserted. Rejects with `BackendDown` when they cannot be added. */
  readonly addAllToFilter: (keys: readonly CodeKey[], refused?: StampRefusal) => Promise<readonly FilterStamp[]>;
  readonly publishAll: PublishAll;
}

/** A link to be made, and where. */
export interface BulkRow {
  readonly body: CreateLinkBody;
  readonly context: Pick<CreateContext, "domain" | "policy">;
}

/** What came of one. `unavailable`: a backend that it needs could not be asked; nothing was made, or it is found when it is asked for again. */
export type CreatedOfMany = Created | { readonly kind: "unavailable" };

/** How often links that were in each other's way, or not in the filter after all, are tried. */
const MAX_ROUNDS = 3;

/** A link that was judged, and is not made yet. */
interface Pending {
  /** In the list. */
  readonly at: number;
  readonly domain: string;
  readonly prepared: Prepared;
  readonly note: Noted["note"];
}

/** What came of trying one: an outcome, or why it is to be tried again. */
type Tried = CreatedOfMany | { readonly kind: "again"; readonly refused?: StampRefusal };

type Shared = Pick<CreateContext, "creatorIp" | "place" | "now">;

/** Answers in the order of the rows. Rejects with `BackendDown` when no sequencer or no database can be asked: then ask again. */
export async function createLinks(
  parts: BulkParts,
  rows: readonly BulkRow[],
  shared: Shared,
): Promise<readonly CreatedOfMany[]> {
  const outcomes = new Map<number, CreatedOfMany>();
  const hashForLink = hashOnce(parts.passwords, MAX_BULK_PASSWORDS);
  let pending: Pending[] = [];
  for (const [at, { body, context }] of rows.entries()) {
    const prepared = await prepare(parts.codes, SUGGEST_NOTHING, hashForLink, body, context);
    if (prepared.kind === "refused") outcomes.set(at, prepared);
    else pending.push({ at, domain: context.domain, prepared, note: null });
  }
  if (parts.check !== null) pending = await checkAll(parts.check, pending, shared.now, outcomes);
  let refused: StampRefusal | undefined;
  for (let round = 1; pending.length > 0 && round <= MAX_ROUNDS; round += 1) {
    const tried = await tryRound(parts, pending, shared, refused, round);
    for (const [index, { at }] of pending.entries()) {
      const outcome = tried[index];
      if (outcome?.kind === "again") refused = outcome.refused ?? refused;
      else if (outcome !== undefined) outcomes.set(at, outcome);
    }
    pending = pending.filter(({ at }) => !outcomes.has(at));
  }
  return rows.map((_, at) => outcomes.get(at) ?? UNAVAILABLE);
}

/** Asks about all destinations at once; those that are refused are settled thereby. */
async function checkAll(
  check: NonNullable<BulkParts["check"]>,
  pending: readonly Pending[],
  now: number,
  outcomes: Map<number, CreatedOfMany>,
): Promise<Pending[]> {
  const results = await checkSome(
    check,
    pending.map(({ prepared }) => prepared.settings),
    now,
  );
  return pending.flatMap((link, index) => {
    const noted = results[index];
    if (noted?.kind !== "refused") return [{ ...link, note: noted?.note ?? null }];
    outcomes.set(link.at, noted);
    return [];
  });
}

const UNAVAILABLE: CreatedOfMany = { kind: "unavailable" };
const AGAIN: Tried = { kind: "again" };

/** A suggestion would cost a statement for each bad code: where all are taken none is made. */
export const SUGGEST_NOTHING = { takenAmong: async (_domain: string, codes: readonly string[]) => [...codes] };

/** What an earlier round made stands, so a later one that fails takes nothing along. */
async function tryRound(
  parts: BulkParts,
  pending: readonly Pending[],
  shared: Shared,
  refused: StampRefusal | undefined,
  round: number,
): Promise<readonly Tried[]> {
  try {
    return await tryAll(parts, pending, shared, refused);
  } catch (error) {
    if (round === 1 || !(error instanceof BackendDown)) throw error;
    log("warn", "bulk_cut_short", { links: pending.length }, error);
    return pending.map(() => UNAVAILABLE);
  }
}

/** Tries each once; answers in their order. */
async function tryAll(
  parts: BulkParts,
  pending: readonly Pending[],
  { creatorIp, place, now }: Shared,
  refused: StampRefusal | undefined,
): Promise<readonly Tried[]> {
  const [ids, stamps] = await Promise.all([
    mintIds(parts, pending.length, place, now),
    stampCustom(parts, pending, refused),
  ]);
  const links = pending.flatMap(({ at, domain, prepared, note }, index): NewLink[] => {
    const { settings, customCode, fingerprint } = prepared;
    const id = ids[index];
    const stamp = customCode === null ? null : stamps.get(at);
    if (id === undefined || stamp === undefined) return [];
    const key = { domain, code: customCode ?? parts.codes.encode(id) };
    const type = customCode === null ? "auto" : "custom";
    return [{ id: String(id), key, type, settings, fingerprint, stamp, note, creatorIp, now }];
  });
  const results = links.length === 0 ? [] : await parts.insertAll(links);
  const byId = new Map(links.map(({ id }, index) => [id, results[index]]));
  await publishCustom(parts, results, now);
  return pending.map(({ prepared }, index) => {
    const result = byId.get(String(ids[index]));
    // Its code could not be added to the filter.
    return result === undefined ? UNAVAILABLE : triedOf(result, prepared);
  });
}

function triedOf(result: InsertedOfMany, { customCode }: Prepared): Tried {
  switch (result.kind) {
    case "created":
    case "existing":
      return { kind: result.kind, link: linkOf(result.row) };
    case "taken":
      return customCode === null ? AGAIN : { kind: "taken", shortCode: customCode };
    case "unfiltered":
      return { kind: "again", refused: result.reason };
    case "again":
    case "external_id_taken":
      return result;
  }
}

/** The stamps of the links with custom codes, by their place in the list; none where the filter cannot be asked, which costs the others nothing. */
async function stampCustom(
  parts: BulkParts,
  pending: readonly Pending[],
  refused: StampRefusal | undefined,
): Promise<ReadonlyMap<number, FilterStamp>> {
  const custom = pending.flatMap(({ at, domain, prepared: { customCode: code } }) =>
    code === null ? [] : [{ at, key: { domain, code } }],
  );
  if (custom.length === 0) return new Map();
  try {
    const stamps = await parts.addAllToFilter(
      custom.map(({ key }) => key),
      refused,
    );
    return new Map(custom.flatMap(({ at }, index) => (stamps[index] === undefined ? [] : [[at, stamps[index]]])));
  } catch (error) {
    if (!(error instanceof BackendDown)) throw error;
    log("warn", "bulk_without_filter", { links: custom.length }, error);
    return new Map();
  }
}

/** Somebody may have asked in vain for a code that a person chose; nobody for one that was generated just now. */
async function publishCustom(parts: BulkParts, results: readonly InsertedOfMany[], now: number): Promise<void> {
  const published = results.flatMap((result): Published[] => {
    if (result.kind !== "created" || result.row.type !== "custom") return [];
    const entry = parts.entryOf(result.row, now);
    return entry.kind === "present" ? [{ key: { domain: result.row.domain, code: result.row.shortCode }, entry }] : [];
  });
  if (published.length > 0) await parts.publishAll(published);
}
