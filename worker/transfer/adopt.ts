/**
 * What this room needs of the links: that some are taken in. The wiring hands it in.
 *
 * @module
 */
import type { LinkType } from "../../shared/link.ts";
import type { ProblemCode } from "../../shared/problem.ts";
import type { CreateLinkBody } from "../../shared/schema/link.ts";
import type { UrlPolicy } from "../../shared/url-policy.ts";
import type { Place } from "../http/context.ts";

/** A link to take in. */
export interface RowToAdopt {
  readonly body: Omit<CreateLinkBody, "customCode" | "domain">;
  readonly context: { readonly domain: string; readonly policy: UrlPolicy };
  /** Null: it gets a generated one, unless the same automatic link stands. */
  readonly shortCode: string | null;
  /** The stored form of the hash of its password; null where there is none, or the body has the password itself. */
  readonly passwordHash: string | null;
  /** What is not known of it is null. Times are epoch milliseconds. */
  readonly past: {
    readonly createdAt: number | null;
    readonly updatedAt: number | null;
    readonly clickCount: number | null;
    readonly lastClickAt: number | null;
  };
}

/** A link that stands; its id is null where a dry run only would have made it. */
export interface Holder {
  readonly id: string | null;
  readonly shortCode: string;
  readonly longUrl: string;
}

/** What came of one. */
export type Adopted =
  | { readonly kind: "created"; readonly id: string | null; readonly shortCode: string | null; readonly type: LinkType }
  | { readonly kind: "exists"; readonly by: "code" | "settings"; readonly holder: Holder }
  | { readonly kind: "external_id_taken" }
  | { readonly kind: "refused"; readonly code: ProblemCode; readonly path: string; readonly message: string }
  | { readonly kind: "unavailable" };

/** Takes in some links, and answers in their order; none replaces a link that stands. Rejects with `BackendDown` when nothing could be done. */
export type Adopt = (rows: readonly RowToAdopt[]) => Promise<readonly Adopted[]>;

/** Begins an import. A dry run makes nothing and answers as if it had. */
export type OpenAdoption = (manners: { readonly place: Place; readonly isDryRun: boolean }) => Adopt;
