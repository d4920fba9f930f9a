/**
 * The links in Postgres. Each function is one statement, right under a race without a lock of ours.
 *
 * @module
 */
import { and, eq, getTableColumns, inArray, sql, type SQL } from "drizzle-orm";
import type { CodeKey } from "../../shared/entry.ts";
import type { LinkSettings, LinkType } from "../../shared/link.ts";
import { type Database, diagnose } from "../backends/postgres.ts";
import { shortLinks, type ShortLinkRow } from "../backends/schema.ts";
import type { FilterStamp, StampRefusal } from "../entries/filter.ts";

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
  readonly creatorIp: string | null;
  /** Epoch milliseconds. */
  readonly now: number;
}

/** What an insert found. */
export type Inserted =
  | { readonly kind: "created"; readonly row: ShortLinkRow }
  /** The same automatic link stood already, or was made by whoever won the race. */
  | { readonly kind: "existing"; readonly row: ShortLinkRow }
  /** Another link has the code. */
  | { readonly kind: "taken" }
  /** The code must be added to the filter once more. */
  | { readonly kind: "unfiltered"; readonly reason: StampRefusal };

/** A link that was deleted. */
export interface Removed {
  readonly id: string;
  /** Of its tombstone: newer than any that the row had. */
  readonly version: number;
  readonly isLimited: boolean;
}

/** The links, by key. Every function rejects with `BackendDown` when the database cannot be asked. */
export interface LinkStore {
  insert(link: NewLink): Promise<Inserted>;
  find(key: CodeKey): Promise<ShortLinkRow | undefined>;
  /** Which of some codes have a link. */
  takenAmong(domain: string, codes: readonly string[]): Promise<string[]>;
  /** Changes the row and answers it, or undefined when there is none. `fingerprint` as in {@link NewLink}. */
  update(
    key: CodeKey,
    settings: LinkSettings,
    fingerprint: string | null,
    expectedVersion: number,
    now: number,
  ): Promise<ShortLinkRow | undefined>;
  /** Deletes the row, if it has the expected version where one is given; answers what it was, or undefined. */
  remove(key: CodeKey, expectedVersion: number | null): Promise<Removed | undefined>;
}

/** Microseconds since 1970 by the database's clock: one clock for all writers. */
const NOW_MICROSECONDS = sql<number>`(extract(epoch FROM clock_timestamp()) * 1000000)::bigint`;
/** Rises with each change, also when the clock does not. */
const NEXT_VERSION = sql`greatest(${shortLinks.version} + 1, ${NOW_MICROSECONDS})`.mapWith(Number);
const CODE_KEY = "short_links_domain_short_code_key";
const FINGERPRINT_KEY = "short_links_domain_fingerprint_key";
/** What refuses an insertion without saying anything of the link. */
const REFUSALS: Readonly<Record<string, Inserted>> = {
  [CODE_KEY]: { kind: "taken" },
  short_links_filter_fence: { kind: "unfiltered", reason: "outdated" },
  short_links_filter_key: { kind: "unfiltered", reason: "duplicate" },
};

/** Builds the store. */
export function createLinkStore(database: Database): LinkStore {
  const insertOnce = async (link: NewLink): Promise<Inserted> => {
    const insert = database.insert(shortLinks).values({
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
      createdAt: new Date(link.now),
      updatedAt: new Date(link.now),
    });
    if (link.fingerprint === null) {
      const [row] = await insert.onConflictDoNothing({ target: [shortLinks.domain, shortLinks.shortCode] }).returning();
      return row === undefined ? { kind: "taken" } : { kind: "created", row };
    }
    // An update that changes nothing: unlike DO NOTHING it answers the row that stood there, also one committed
    // a moment ago by another transaction. `xmax` is 0 only on a row that this statement inserted.
    const [answer] = await insert
      .onConflictDoUpdate({
        target: [shortLinks.domain, shortLinks.fingerprint],
        targetWhere: sql`${shortLinks.fingerprint} IS NOT NULL`,
        set: { fingerprint: sql`excluded.fingerprint` },
      })
      .returning({ ...getTableColumns(shortLinks), isNew: sql<boolean>`(xmax = 0)` });
    if (answer === undefined) throw new Error("an upsert answered no row");
    const { isNew, ...row } = answer;
    return { kind: isNew ? "created" : "existing", row };
  };

  const updateOnce: LinkStore["update"] = async (key, settings, fingerprint, expectedVersion, now) => {
    const [row] = await database
      .update(shortLinks)
      .set({ ...columnsOf(settings), fingerprint, version: NEXT_VERSION, updatedAt: new Date(now) })
      .where(and(at(key), eq(shortLinks.version, expectedVersion)))
      .returning();
    return row;
  };

  return {
    insert: (link) =>
      ask(
        () => insertOnce(link),
        async (constraint) => (constraint === undefined ? undefined : REFUSALS[constraint]),
      ),
    find: (key) =>
      ask(async () => {
        const [row] = await database.select().from(shortLinks).where(at(key)).limit(1);
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
    update: (key, settings, fingerprint, expectedVersion, now) =>
      ask(
        () => updateOnce(key, settings, fingerprint, expectedVersion, now),
        // Another link has these very settings already and is the one to be found again.
        async (constraint) =>
          constraint === FINGERPRINT_KEY ? updateOnce(key, settings, null, expectedVersion, now) : undefined,
      ),
    remove: (key, expectedVersion) =>
      ask(async () => {
        const isExpected = expectedVersion === null ? undefined : eq(shortLinks.version, expectedVersion);
        const [row] = await database
          .delete(shortLinks)
          .where(and(at(key), isExpected))
          .returning({ id: shortLinks.id, version: NEXT_VERSION, maxClicks: shortLinks.maxClicks });
        return row === undefined ? undefined : { id: row.id, version: row.version, isLimited: row.maxClicks !== null };
      }),
  };
}

/** Rows of links as JSON (`to_jsonb`, kept by `migrations/0012_webhooks.sql`), read as the rows they were, in the same order. */
export type ReadSnapshots = (rows: readonly string[]) => Promise<readonly ShortLinkRow[]>;

/** Builds it. Postgres reads them, which knows every column's type; the ids are too wide for JSON's numbers here. */
export function createReadSnapshots(database: Database): ReadSnapshots {
  return (rows) =>
    ask(() => {
      // It takes the table's name, so drizzle maps its columns as those of the table.
      const snapshots = database.$with("short_links", {}).as(sql`
        SELECT item.place, link.* FROM jsonb_array_elements(${`[${rows.join()}]`}::jsonb) WITH ORDINALITY AS item(value, place),
          jsonb_populate_record(NULL::short_links, item.value) AS link`);
      return database
        .with(snapshots)
        .select()
        .from(shortLinks)
        .orderBy(sql`place`);
    });
}

/** Runs a statement; `otherwise` may answer for a violated constraint, or leave the error to be thrown. */
async function ask<T>(
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

function at(key: CodeKey): SQL | undefined {
  return and(eq(shortLinks.domain, key.domain), eq(shortLinks.shortCode, key.code));
}

function columnsOf(settings: LinkSettings) {
  return {
    longUrl: settings.longUrl,
    title: settings.title,
    tags: [...settings.tags],
    notes: settings.notes,
    metadata: settings.metadata,
    redirectStatus: settings.redirectStatus,
    validSince: dateOf(settings.validSince),
    expireAt: dateOf(settings.expireAt),
    expiredUrl: settings.expiredUrl,
    maxClicks: settings.maxClicks,
    disabled: settings.disabled,
  };
}

function dateOf(epochMs: number | null): Date | null {
  return epochMs === null ? null : new Date(epochMs);
}
