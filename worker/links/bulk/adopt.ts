/**
 * Takes in links that were made elsewhere, with their codes, dates and counts. Each is judged as a creation would be, none replaces a link
 * that stands, and a list costs a handful of requests however long it is.
 *
 * @module
 */
import { BackendDown } from "../../../shared/backend-down.ts";
import type { CodeBook } from "../../../shared/code.ts";
import { MAX_BULK_PASSWORDS } from "../../../shared/password.ts";
import type { StampRefusal } from "../../entries/filter.ts";
import type { Place } from "../../http/context.ts";
import { log } from "../../telemetry/log.ts";
import { hashOnce, type Passwords } from "../passwords.ts";
import { type Adopted, type Candidate, judge, type JudgingCodes, type RowToAdopt } from "./adopt-judge.ts";
import { createKnownNames, type KnownNames, nameOf, namesOf } from "./adopt-names.ts";
import { type InsertParts, insertRound } from "./adopt-round.ts";
import type { Names, ReadStanding } from "./queries.ts";

/** What taking in needs, handed in. */
export interface AdoptParts extends InsertParts {
  readonly codes: JudgingCodes & Pick<CodeBook, "encode" | "isShadowed" | "checkCustom">;
  readonly passwords: Passwords;
  readonly readStanding: ReadStanding;
  readonly clock: () => number;
}

/**
 * Takes in some links, and answers in their order. Of two with the same name the first wins, also over several calls. Rejects with
 * `BackendDown` when nothing could be done.
 */
export type Adopt = (rows: readonly RowToAdopt[]) => Promise<readonly Adopted[]>;

/** How an import runs. */
export interface AdoptManners {
  readonly place: Place;
  /** Judges and makes nothing. */
  readonly isDryRun: boolean;
}

/** How often links that were in each other's way, or not in the filter after all, are tried. */
const MAX_ROUNDS = 5;

const UNAVAILABLE: Adopted = { kind: "unavailable" };

/** Begins an import; what a dry run would have made is remembered until its end. */
export function openAdoption(parts: AdoptParts, { place, isDryRun }: AdoptManners): Adopt {
  const imagined = createKnownNames();
  const hashForLink = hashOnce(parts.passwords, MAX_BULK_PASSWORDS);
  return async (rows) => {
    const now = parts.clock();
    const judged = await Promise.all(rows.map((row, at) => judge(parts.codes, hashForLink, row, at, now)));
    const outcomes = new Map<number, Adopted>();
    let pending: Candidate[] = [];
    for (const [at, one] of judged.entries()) {
      if ("kind" in one) outcomes.set(at, one);
      else pending.push(one);
    }
    let known: KnownNames | undefined;
    let refused: StampRefusal | undefined;
    for (let round = 1; pending.length > 0 && round <= MAX_ROUNDS; round += 1) {
      try {
        known ??= await readKnown(parts, pending, imagined);
        const chosen = choose(pending, known, outcomes);
        if (isDryRun) imagine(chosen, imagined, outcomes);
        else if (chosen.length > 0) {
          const came = await insertRound(parts, chosen, { place, now, refused });
          for (const [at, outcome] of came.outcomes) outcomes.set(at, outcome);
          for (const { holder, names } of came.made) known.add(holder, names);
          refused = came.refused ?? refused;
          if (came.isStale) known = undefined;
        }
        pending = pending.filter(({ at }) => !outcomes.has(at));
      } catch (error) {
        // What an earlier round made stands, and is told of.
        if (round === 1 || !(error instanceof BackendDown)) throw error;
        log("warn", "import_cut_short", { links: pending.length }, error);
        break;
      }
    }
    return rows.map((_, at) => outcomes.get(at) ?? UNAVAILABLE);
  };
}

async function readKnown(
  { readStanding }: AdoptParts,
  pending: readonly Candidate[],
  imagined: KnownNames,
): Promise<KnownNames> {
  const known = createKnownNames(imagined);
  for (const row of await readStanding(pending.map(({ names }) => names))) known.add(row, row);
  return known;
}

/** Settles what meets a name that is had, and answers those that can be made now: of several that share a name, the first. */
function choose(
  pending: readonly Candidate[],
  known: KnownNames,
  outcomes: Map<number, Adopted>,
): readonly Candidate[] {
  const claimed = new Set<string>();
  return pending.flatMap((one) => {
    const settled = settle(one, known);
    if (settled !== undefined) {
      outcomes.set(one.at, settled);
      return [];
    }
    const chosen = { ...one, names: withoutTaken(one.names, (name) => name !== null && claimed.has(name), known) };
    const names = namesOf(chosen.names);
    if (names.some((name) => claimed.has(name))) return [];
    for (const name of names) claimed.add(name);
    return [chosen];
  });
}

/**
 * The names that a link is made with: one that has a code of its own is made also where another link has its settings, which then is the one that a
 * repeated creation finds; and where another has its id, it gets a new one.
 */
function withoutTaken(names: Names, isClaimed: (name: string | null) => boolean, known: KnownNames): Names {
  if (names.shortCode === null) return names;
  const isTaken = (kind: "id" | "fingerprint"): boolean =>
    known.holderOf(kind, names) !== undefined || isClaimed(nameOf(kind, names));
  return {
    ...names,
    id: isTaken("id") ? null : names.id,
    fingerprint: isTaken("fingerprint") ? null : names.fingerprint,
  };
}

function settle({ names }: Candidate, known: KnownNames): Adopted | undefined {
  const ofCode = known.holderOf("shortCode", names);
  if (ofCode !== undefined) return { kind: "exists", by: "code", holder: ofCode };
  const same = names.shortCode === null ? known.holderOf("fingerprint", names) : undefined;
  if (same !== undefined) return { kind: "exists", by: "settings", holder: same };
  return known.holderOf("externalId", names) === undefined ? undefined : { kind: "external_id_taken" };
}

/** What a dry run would have made. */
function imagine(chosen: readonly Candidate[], imagined: KnownNames, outcomes: Map<number, Adopted>): void {
  for (const { at, names, prepared } of chosen) {
    const type = prepared.customCode === null ? "auto" : "custom";
    outcomes.set(at, { kind: "created", id: null, shortCode: names.shortCode, type });
    imagined.add({ id: null, domain: names.domain, shortCode: names.shortCode ?? "", longUrl: "", type }, names);
  }
}
