/**
 * Inserts many links at once: one statement for all of them, and one more when some were not inserted.
 *
 * @module
 */
import { and, eq, inArray, or, type SQL } from "drizzle-orm";
import { type Database, insertUnderLock } from "../../backends/postgres.ts";
import { shortLinks, type ShortLinkRow } from "../../backends/schema.ts";
import type { StampRefusal } from "../../entries/filter.ts";
import { ask, FILTER_FENCE, type Inserted, type NewLink, newRow, notingToo } from "../store.ts";

/** What came of one link; `again`: whoever was in its way has gone since, or has its id. */
export type InsertedOfMany = Exclude<Inserted, { readonly kind: "id_taken" }> | { readonly kind: "again" };

/**
 * Inserts links in their order, each for itself: one that meets another link's name takes no other one along. Rejects with `BackendDown` when
 * the database cannot be asked; then all may have been inserted, or none.
 */
export type InsertAll = (links: readonly NewLink[]) => Promise<readonly InsertedOfMany[]>;

/** Two that insert the same links in different orders would wait for each other; in turn they do not. */
const LOCK = "hop:bulk";

/** Builds it. `isImport`: nobody is told of the links. */
export function createInsertAll(database: Database, isImport = false): InsertAll {
  const insert = async (links: readonly NewLink[]): Promise<readonly ShortLinkRow[] | StampRefusal> => {
    const insertion = database.insert(shortLinks).values(links.map(newRow)).onConflictDoNothing().returning();
    const notes = links.flatMap(({ id, note }) => (note === null ? [] : [{ linkId: id, ...note }]));
    if (notes.length === 0) return await insertUnderLock(database, LOCK, insertion, isImport);
    const written = database.$with("short_links").as(insertion);
    return await insertUnderLock(
      database,
      LOCK,
      notingToo(database, written, notes).select().from(shortLinks),
      isImport,
    );
  };
  const readInTheWay = async (links: readonly NewLink[]): Promise<readonly ShortLinkRow[]> =>
    links.length === 0 ? [] : database.select().from(shortLinks).where(mayBeInTheWayOf(links));

  return async (links) => {
    const rows = await ask(
      () => insert(links),
      async (constraint) => (constraint === FILTER_FENCE ? "outdated" : undefined),
    );
    if (typeof rows === "string") return links.map(() => ({ kind: "unfiltered", reason: rows }));
    const made = new Map(rows.map((row) => [row.id, row]));
    const standing = indexed(await ask(() => readInTheWay(links.filter(({ id }) => !made.has(id)))));
    return links.map((link) => {
      const row = made.get(link.id);
      return row === undefined ? explain(link, standing) : { kind: "created", row };
    });
  };
}

/** The rows that have one of the names, or one of the stamps. */
function mayBeInTheWayOf(links: readonly NewLink[]): SQL | undefined {
  const { domain, shortCode, fingerprint, externalId, filterEpoch, filterAdds } = shortLinks;
  const domains = [...new Set(links.map(({ key }) => key.domain))];
  const fingerprints = links.flatMap((link) => link.fingerprint ?? []);
  const externalIds = links.flatMap(({ settings }) => settings.externalId ?? []);
  const stamps = links.flatMap(({ stamp }) => stamp ?? []);
  const [epoch] = stamps.map((stamp) => stamp.epoch);
  const isIn = inArray(domain, domains);
  return or(
    and(
      isIn,
      inArray(
        shortCode,
        links.map(({ key }) => key.code),
      ),
    ),
    fingerprints.length === 0 ? undefined : and(isIn, inArray(fingerprint, fingerprints)),
    externalIds.length === 0 ? undefined : and(isIn, inArray(externalId, externalIds)),
    // One addition to the filter gave them all.
    epoch === undefined
      ? undefined
      : and(
          eq(filterEpoch, epoch),
          inArray(
            filterAdds,
            stamps.map(({ adds }) => adds),
          ),
        ),
  );
}

/** The rows by each of their names. */
function indexed(rows: readonly ShortLinkRow[]): ReadonlyMap<string, ShortLinkRow> {
  return new Map(
    rows.flatMap((row) => [
      [nameOf("code", row.domain, row.shortCode), row],
      [nameOf("fingerprint", row.domain, row.fingerprint), row],
      [nameOf("externalId", row.domain, row.externalId), row],
      [nameOf("stamp", row.filterEpoch, row.filterAdds), row],
    ]),
  );
}

function explain(link: NewLink, standing: ReadonlyMap<string, ShortLinkRow>): InsertedOfMany {
  const { key, fingerprint, settings, stamp } = link;
  const same = fingerprint === null ? undefined : standing.get(nameOf("fingerprint", key.domain, fingerprint));
  if (same !== undefined) return { kind: "existing", row: same };
  if (standing.has(nameOf("code", key.domain, key.code))) return { kind: "taken" };
  if (settings.externalId !== null && standing.has(nameOf("externalId", key.domain, settings.externalId))) {
    return { kind: "external_id_taken" };
  }
  if (stamp !== null && standing.has(nameOf("stamp", stamp.epoch, stamp.adds))) {
    return { kind: "unfiltered", reason: "duplicate" };
  }
  return { kind: "again" };
}

function nameOf(...parts: readonly unknown[]): string {
  return JSON.stringify(parts);
}
