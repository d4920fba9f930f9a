/**
 * Lists links: one statement a page, which begins where the page before it ended.
 *
 * @module
 */
import { and, arrayContains, asc, desc, eq, sql, type SQL } from "drizzle-orm";
import type { LinksQuery } from "../../shared/schema/link-list.ts";
import { askDatabase, type Database } from "../backends/postgres.ts";
import { shortLinks, type ShortLinkRow } from "../backends/schema.ts";
import type { ListPosition } from "./cursor.ts";

/** Which links, in which order, behind which one. */
export interface ListQuestion extends Pick<
  LinksQuery,
  "search" | "tag" | "type" | "domain" | "status" | "sort" | "order"
> {
  readonly after: ListPosition | undefined;
  /** The most rows that are answered. */
  readonly limit: number;
  /** Epoch milliseconds: what has expired by then. */
  readonly now: number;
}

/** Reads a page of links. Rejects with `BackendDown` when the database cannot be asked. */
export type ListLinks = (asked: ListQuestion) => Promise<readonly ShortLinkRow[]>;

/** Builds it. */
export function createListLinks(database: Database): ListLinks {
  return (asked) =>
    askDatabase(() => {
      const column = asked.sort === "createdAt" ? shortLinks.createdAt : shortLinks.clickCount;
      const direction = asked.order === "asc" ? asc : desc;
      return database
        .select()
        .from(shortLinks)
        .where(and(...filters(asked), behind(asked)))
        .orderBy(direction(column), direction(shortLinks.id))
        .limit(asked.limit);
    });
}

function filters({ search, tag, type, domain, status, now }: ListQuestion): (SQL | undefined)[] {
  return [
    search === undefined ? undefined : holds(search),
    tag.length === 0 ? undefined : arrayContains(shortLinks.tags, tag),
    type === undefined ? undefined : eq(shortLinks.type, type),
    domain === undefined ? undefined : eq(shortLinks.domain, domain),
    status === undefined ? undefined : isIn(status, new Date(now).toISOString()),
  ];
}

/** The table and its index are in `migrations/0015_link_list.sql`. */
function holds(search: string): SQL {
  const pattern = `%${search.replaceAll(/[\\%_]/g, String.raw`\$&`)}%`;
  return sql`EXISTS (SELECT FROM link_texts WHERE link_id = ${shortLinks.id} AND searched ILIKE ${pattern})`;
}

function isIn(status: NonNullable<LinksQuery["status"]>, now: string): SQL {
  const { disabled, expireAt } = shortLinks;
  switch (status) {
    case "disabled":
      return sql`${disabled}`;
    case "expired":
      return sql`(NOT ${disabled} AND ${expireAt} <= ${now}::timestamptz)`;
    case "active":
      return sql`(NOT ${disabled} AND (${expireAt} IS NULL OR ${expireAt} > ${now}::timestamptz))`;
  }
}

/** Both columns in one comparison, as they stand in the order: nothing between two pages is skipped or seen twice, also among equals. */
function behind({ after, sort, order }: ListQuestion): SQL | undefined {
  if (after === undefined) return undefined;
  const sign = order === "asc" ? sql`>` : sql`<`;
  return sort === "createdAt"
    ? sql`(${shortLinks.createdAt}, ${shortLinks.id}) ${sign} (${new Date(after.value).toISOString()}::timestamptz, ${after.id}::bigint)`
    : sql`(${shortLinks.clickCount}, ${shortLinks.id}) ${sign} (${after.value}::bigint, ${after.id}::bigint)`;
}
