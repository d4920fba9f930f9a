/**
 * The links in Postgres. Each function is one statement, right under a race without a lock of ours.
 *
 * @module
 */
import { and, eq, getTableColumns, inArray, isNotNull, isNull, sql, type SQL, type WithSubquery } from "drizzle-orm";
import type { CodeKey } from "../../shared/entry.ts";
import type { Link, LinkSettings, LinkType } from "../../shared/link.ts";
import { type Database, diagnose } from "../backends/postgres.ts";
import { shortLinks, type ShortLinkRow } from "../backends/schema.ts";
import type { FilterStamp, StampRefusal } from "../entries/filter.ts";
import type { CheckNote } from "./checks/schedule.ts";
import { type LinkNote, notingToo } from "./checks/store.ts";
import { columnsOf, dateOf } from "./columns.ts";

export { notingToo };

/** What names a link: its code, or its owner's own id of it. */
export type LinkName = CodeKey | { readonly domain: string; readonly externalId: string };

/** A link to be inserted. */
export interface NewLink {
  /** The snowflake in decimal. */
  readonly id: string;
  readonly key: CodeKey;
  readonly type: LinkType;
  readonly settings: LinkSettings;
  /** SHA-256 of the settings in hex, for a link that a repeated creation may find again; null for one it may not. */
  readonly fingerprint: string | null;
  /** What the filter gave a custom code; null for an automatic one. */
  readonly stamp: FilterStamp | null;
  /** When its destinations are to be looked at again; null: never. */
  readonly note: CheckNote | null;
  readonly creatorIp: string | null;
  /** Epoch milliseconds. */
  readonly now: number;
  /** What a link that was made elsewhere brings along. */
  readonly past?: LinkPast;
}

/** What a link has behind it. Times are epoch milliseconds. */
export type LinkPast = Pick<Link, "createdAt" | "updatedAt" | "clickCount" | "lastClickAt">;

/** What an insert found. */
export type Inserted =
  | { readonly kind: "created"; readonly row: ShortLinkRow }
  /** The same automatic link stood already, or was made by whoever won the race. */
  | { readonly kind: "existing"; readonly row: ShortLinkRow }
  /** Another link has the code. */
  | { readonly kind: "taken" }
  /** Another link of the domain has the external id. */
  | { readonly kind: "external_id_taken" }
  /** Another link has the id: whoever shares the database has sequencers of their own. */
  | { readonly kind: "id_taken" }
  /** The code must be added to the filter once more. */
  | { readonly kind: "unfiltered"; readonly reason: StampRefusal };

/**
 * What a row must still be for a change that was decided on: of the very version, or, where all settings are replaced, the same link with the
 * same external id, limited or not as it was.
 */
export type Expected = Pick<ShortLinkRow, "version"> | Pick<ShortLinkRow, "id" | "externalId" | "maxClicks">;

/** What came of an update. */
export type Updated =
  | { readonly kind: "updated"; readonly row: ShortLinkRow }
  /** The row is gone, or is not what was expected. */
  | { readonly kind: "outdated" }
  | { readonly kind: "external_id_taken" };

/** A link that was deleted. */
export interface Removed {
  readonly id: string;
  readonly key: CodeKey;
  /** Of its tombstone: newer than any that the row had. */
  readonly version: number;
  readonly isLimited: boolean;
}

/** The links, by key. Every function rejects with `BackendDown` when the database cannot be asked. */
export interface LinkStore {
  insert(link: NewLink): Promise<Inserted>;
  find(name: LinkName): Promise<ShortLinkRow | undefined>;
  /** Which of some codes have a link. */
  takenAmong(domain: string, codes: readonly string[]): Promise<string[]>;
  /** Changes the row. `fingerprint` as in {@link NewLink}; without a `note`, what was noted of its check stays. */
  update(
    key: CodeKey,
    settings: LinkSettings,
    fingerprint: string | null,
    expected: Expected,
    now: number,
    note: LinkNote | null,
  ): Promise<Updated>;
  /** Deletes the row, if it has the expected version where one is given; answers what it was, or undefined. */
  remove(name: LinkName, expectedVersion: number | null): Promise<Removed | undefined>;
}

/** Microseconds since 1970 by the database's clock: one clock for all writers. */
const NOW_MICROSECONDS = sql<number>`(extract(epoch FROM clock_timestamp()) * 1000000)::bigint`;
/** Rises with each change, also when the clock does not. */
const NEXT_VERSION = sql`greatest(${shortLinks.version} + 1, ${NOW_MICROSECONDS})`.mapWith(Number);
/** The constraint that fences off stamps of past epochs. */
export const FILTER_FENCE = "short_links_filter_fence";
const CODE_KEY = "short_links_domain_short_code_key";
const EXTERNAL_ID_KEY = "short_links_domain_external_id_key";
const FINGERPRINT_KEY = "short_links_domain_fingerprint_key";
/** What refuses an insertion without saying anything of the link. */
const REFUSALS: Readonly<Record<string, Inserted>> = {
  [CODE_KEY]: { kind: "taken" },
  [EXTERNAL_ID_KEY]: { kind: "external_id_taken" },
  short_links_pkey: { kind: "id_taken" },
  [FILTER_FENCE]: { kind: "unfiltered", reason: "outdated" },
  short_links_filter_key: { kind: "unfiltered", reason: "duplicate" },
};

/** Builds the store. */
export function createLinkStore(database: Database): LinkStore {
  // It takes the table's name, so drizzle maps its columns as those of the table.
  const asLinks = database.$with("short_links");
  const noting = (written: WithSubquery, note: LinkNote) => notingToo(database, written, [note]);

  const columns = getTableColumns(shortLinks);

  const insertOnce = async (link: NewLink): Promise<Inserted> => {
    const note = link.note && { linkId: link.id, ...link.note };
    const insert = database.insert(shortLinks).values(newRow(link));
    if (link.fingerprint === null) {
      const inserting = insert.onConflictDoNothing({ target: [shortLinks.domain, shortLinks.shortCode] }).returning();
      const [row] = await (note === null ? inserting : noting(asLinks.as(inserting), note).select().from(shortLinks));
      return row === undefined ? { kind: "taken" } : { kind: "created", row };
    }
    // An update that changes nothing: unlike DO NOTHING it answers the row that stood there, also one committed
    // a moment ago by another transaction. `xmax` is 0 only on a row that this statement inserted.
    const upserting = insert
      .onConflictDoUpdate({
        target: [shortLinks.domain, shortLinks.fingerprint],
        targetWhere: sql`${shortLinks.fingerprint} IS NOT NULL`,
        set: { fingerprint: sql`excluded.fingerprint` },
      })
      .returning({ ...columns, isNew: sql<boolean>`(xmax = 0)`.as("is_new") });
    const [answer] = await (note === null
      ? upserting
      : noting(asLinks.as(upserting), note)
          .select({ ...columns, isNew: sql<boolean>`is_new` })
          .from(shortLinks));
    if (answer === undefined) throw new Error("an upsert answered no row");
    const { isNew, ...row } = answer;
    return { kind: isNew ? "created" : "existing", row };
  };

  const updateOnce: LinkStore["update"] = async (key, settings, fingerprint, expected, now, note) => {
    const updating = database
      .update(shortLinks)
      .set({ ...columnsOf(settings), fingerprint, version: NEXT_VERSION, updatedAt: new Date(now) })
      .where(and(at(key), isStill(expected)))
      .returning();
    const [row] = await (note === null ? updating : noting(asLinks.as(updating), note).select().from(shortLinks));
    return row === undefined ? { kind: "outdated" } : { kind: "updated", row };
  };

  return {
    insert: (link) =>
      ask(
        () => insertOnce(link),
        async (constraint) => (constraint === undefined ? undefined : REFUSALS[constraint]),
      ),
    find: (name) =>
      ask(async () => {
        const [row] = await database.select().from(shortLinks).where(at(name)).limit(1);
        return row;
      }),
    takenAmong: (domain, codes) =>
      ask(async () => {
        const rows = await database
          .select({ shortCode: shortLinks.shortCode })
          .from(shortLinks)
          .where(and(eq(shortLinks.domain, domain), inArray(shortLinks.shortCode, [...codes])));
        return rows.map((row) => row.shortCode);
      }),
    update: (key, settings, fingerprint, expected, now, note) =>
      ask(
        () => updateOnce(key, settings, fingerprint, expected, now, note),
        async (constraint) => {
          if (constraint === EXTERNAL_ID_KEY) return { kind: "external_id_taken" };
          if (constraint !== FINGERPRINT_KEY) return undefined;
          // Another link has these very settings already and is the one to be found again. An external id is one of them.
          if (settings.externalId !== null) return { kind: "external_id_taken" };
          return ask(() => updateOnce(key, settings, null, expected, now, note));
        },
      ),
    remove: (name, expectedVersion) =>
      ask(async () => {
        const isExpected = expectedVersion === null ? undefined : eq(shortLinks.version, expectedVersion);
        const [row] = await database
          .delete(shortLinks)
          .where(and(at(name), isExpected))
          .returning({
            id: shortLinks.id,
            domain: shortLinks.domain,
            code: shortLinks.shortCode,
            version: NEXT_VERSION,
            maxClicks: shortLinks.maxClicks,
          });
        if (row === undefined) return undefined;
        const { id, domain, code, version, maxClicks } = row;
        return { id, key: { domain, code }, version, isLimited: maxClicks !== null };
      }),
  };
}

/** What a row that was kept before a column came has in it. */
const ADDED_LATER = JSON.stringify({ forward_query: false, forward_path: false, rules: [] });

/** Rows of links as JSON (`to_jsonb`, kept by `migrations/0012_webhooks.sql`), read as the rows they were, in the same order. */
export type ReadSnapshots = (rows: readonly string[]) => Promise<readonly ShortLinkRow[]>;

/** Builds it. Postgres reads them, which knows every column's type; the ids are too wide for JSON's numbers here. */
export function createReadSnapshots(database: Database): ReadSnapshots {
  return (rows) =>
    ask(() => {
      // It takes the table's name, so drizzle maps its columns as those of the table.
      const snapshots = database.$with("short_links", {}).as(sql`
        SELECT item.place, link.* FROM jsonb_array_elements(${`[${rows.join()}]`}::jsonb) WITH ORDINALITY AS item(value, place),
          jsonb_populate_record(NULL::short_links, ${ADDED_LATER}::jsonb || item.value) AS link`);
      return database
        .with(snapshots)
        .select()
        .from(shortLinks)
        .orderBy(sql`place`);
    });
}

/** Runs a statement; `otherwise` may answer for a violated constraint, or leave the error to be thrown. */
export async function ask<T>(
  statement: () => Promise<T>,
  otherwise?: (constraint: string | undefined) => Promise<T | undefined>,
): Promise<T> {
  try {
    return await statement();
  } catch (error) {
    const failure = diagnose(error);
    if (failure.kind === "down") throw failure.error;
    const answer = await otherwise?.(failure.constraint);
    if (answer === undefined) throw error;
    return answer;
  }
}

function at(name: LinkName): SQL | undefined {
  const isNamed = "code" in name ? eq(shortLinks.shortCode, name.code) : eq(shortLinks.externalId, name.externalId);
  return and(eq(shortLinks.domain, name.domain), isNamed);
}

function isStill(expected: Expected): SQL | undefined {
  if ("version" in expected) return eq(shortLinks.version, expected.version);
  const { id, externalId, maxClicks } = expected;
  return and(
    eq(shortLinks.id, id),
    externalId === null ? isNull(shortLinks.externalId) : eq(shortLinks.externalId, externalId),
    maxClicks === null ? isNull(shortLinks.maxClicks) : isNotNull(shortLinks.maxClicks),
  );
}

/** The row of a new link, as it is inserted. */
export function newRow(link: NewLink) {
  return {
    id: link.id,
    domain: link.key.domain,
    shortCode: link.key.code,
    type: link.type,
    ...columnsOf(link.settings),
    fingerprint: link.fingerprint,
    filterEpoch: link.stamp?.epoch ?? null,
    filterAdds: link.stamp?.adds ?? null,
    version: NOW_MICROSECONDS,
    creatorIp: link.creatorIp,
    createdAt: new Date(link.past?.createdAt ?? link.now),
    updatedAt: new Date(link.past?.updatedAt ?? link.now),
    clickCount: link.past?.clickCount ?? 0,
    lastClickAt: dateOf(link.past?.lastClickAt ?? null),
  };
}
