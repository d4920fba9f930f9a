/**
 * A page of links, and the cursor of the next one.
 *
 * @module
 */
import type { Link } from "../../shared/link.ts";
import type { LinksQuery } from "../../shared/schema/link-list.ts";
import { cursorOf, positionIn } from "./cursor.ts";
import type { ListLinks } from "./queries.ts";
import { linkOf } from "./rows.ts";

/** What came of it. */
export type Listed =
  | { readonly kind: "page"; readonly links: readonly Link[]; readonly nextCursor: string | null }
  /** The cursor is none of a list in this order. */
  | { readonly kind: "bad_cursor" };

/**
 * Reads a page. Of all pages together: a link that stands all the while, and whose place in the order does not change, is on exactly one,
 * whatever is made and deleted meanwhile. Its place by clicks changes with each click.
 */
export async function listLinks(listRows: ListLinks, query: LinksQuery, now: number): Promise<Listed> {
  const { cursor, limit, domain, ...asked } = query;
  const after = cursor === undefined ? undefined : positionIn(cursor, query);
  if (after === null) return { kind: "bad_cursor" };
  // One more than is shown tells whether there is another page.
  const rows = await listRows({ ...asked, domain: domain?.toLowerCase(), after, limit: limit + 1, now });
  const links = rows.slice(0, limit).map(linkOf);
  const last = rows.length > limit ? links.at(-1) : undefined;
  const nextCursor = last === undefined ? null : cursorOf(query, { value: last[query.sort], id: last.id });
  return { kind: "page", links, nextCursor };
}
