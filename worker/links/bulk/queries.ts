/**
 * Which links stand in the way of some others, by their names.
 *
 * @module
 */
import { and, inArray, or } from "drizzle-orm";
import { askDatabase, type Database } from "../../backends/postgres.ts";
import { shortLinks, type ShortLinkRow } from "../../backends/schema.ts";

/** What names a link: its id, its code, the hash of its settings (where a repeated creation may find it), its owner's id. */
export interface Names {
  readonly domain: string;
  /** The snowflake in decimal. */
  readonly id: string | null;
  readonly shortCode: string | null;
  readonly fingerprint: string | null;
  readonly externalId: string | null;
}

/** A link that stands, as far as those need to know who meet it. */
export type Standing = Pick<
  ShortLinkRow,
  "id" | "domain" | "shortCode" | "longUrl" | "type" | "fingerprint" | "externalId"
>;

/** Reads the links that have one of the names, and maybe a few others. Rejects with `BackendDown` when the database cannot be asked. */
export type ReadStanding = (names: readonly Names[]) => Promise<readonly Standing[]>;

/** Builds it: one statement, or none where there is nothing to look for. */
export function createReadStanding(database: Database): ReadStanding {
  const { id, domain, shortCode, longUrl, type, fingerprint, externalId } = shortLinks;
  return async (names) => {
    const ids = names.flatMap((one) => one.id ?? []);
    const codes = names.flatMap((one) => one.shortCode ?? []);
    const fingerprints = names.flatMap((one) => one.fingerprint ?? []);
    const externalIds = names.flatMap((one) => one.externalId ?? []);
    if (ids.length + codes.length + fingerprints.length + externalIds.length === 0) return [];
    const isIn = inArray(domain, [...new Set(names.map((one) => one.domain))]);
    return askDatabase(() =>
      database
        .select({ id, domain, shortCode, longUrl, type, fingerprint, externalId })
        .from(shortLinks)
        .where(
          or(
            ids.length === 0 ? undefined : inArray(id, ids),
            codes.length === 0 ? undefined : and(isIn, inArray(shortCode, codes)),
            fingerprints.length === 0 ? undefined : and(isIn, inArray(fingerprint, fingerprints)),
            externalIds.length === 0 ? undefined : and(isIn, inArray(externalId, externalIds)),
          ),
        ),
    );
  };
}
