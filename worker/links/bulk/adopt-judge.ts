/**
 * Judges a link that was made elsewhere as its creation would be judged, and reads of its code whose it is.
 *
 * @module
 */
import type { CodeBook } from "../../../shared/code.ts";
import type { LinkType } from "../../../shared/link.ts";
import type { CreateLinkBody } from "../../../shared/schema/link.ts";
import { type CreateContext, prepare, type Prepared } from "../create.ts";
import type { HashForLink } from "../passwords.ts";
import type { Refused } from "../settings.ts";
import type { LinkPast } from "../store.ts";
import type { Holder } from "./adopt-names.ts";
import { SUGGEST_NOTHING } from "./create.ts";
import type { Names } from "./queries.ts";

/** A link to take in. */
export interface RowToAdopt {
  readonly body: Omit<CreateLinkBody, "customCode" | "domain">;
  readonly context: Pick<CreateContext, "domain" | "policy">;
  /** Null: it gets a generated one, unless the same automatic link stands. */
  readonly shortCode: string | null;
  /** The stored form of the hash of its password; null where there is none, or the body has the password itself. */
  readonly passwordHash: string | null;
  /** What is not known of it is null. */
  readonly past: { readonly [name in keyof LinkPast]: LinkPast[name] | null };
}

/** What came of one. */
export type Adopted =
  /** A dry run knows no id, and no generated code. */
  | { readonly kind: "created"; readonly id: string | null; readonly shortCode: string | null; readonly type: LinkType }
  /** A link has the code, or is automatic and has the same settings. Of one that a dry run would have made there is no id. */
  | { readonly kind: "exists"; readonly by: "code" | "settings"; readonly holder: Holder }
  | { readonly kind: "external_id_taken" }
  | Refused
  /** It was not made, or is found when it is asked for again. */
  | { readonly kind: "unavailable" };

/** A link that was judged. */
export interface Candidate {
  readonly at: number;
  readonly names: Names;
  readonly prepared: Prepared;
  readonly past: LinkPast;
}

/** What codes are judged with. */
export type JudgingCodes = Pick<CodeBook, "checkCustom" | "classify" | "prove">;

/** The same judgement that a creation gets. */
export async function judge(
  codes: JudgingCodes,
  hashForLink: HashForLink,
  { body, context, shortCode, passwordHash, past }: RowToAdopt,
  at: number,
  now: number,
): Promise<Candidate | Refused> {
  const isGenerated = shortCode !== null && codes.classify(shortCode).kind === "generated";
  const ownId = isGenerated ? codes.prove(shortCode, now) : undefined;
  if (isGenerated && ownId === undefined) return unprovable();
  const customCode = isGenerated ? null : shortCode;
  const hash: HashForLink = passwordHash === null ? hashForLink : async () => ({ kind: "hashed", passwordHash });
  const prepared = await prepare(codes, SUGGEST_NOTHING, hash, { ...body, customCode }, context);
  if (prepared.kind === "refused") return prepared;
  const createdAt = past.createdAt ?? past.updatedAt ?? now;
  return {
    at,
    names: {
      domain: context.domain,
      // The id that its code was made from: so code, id and time stay one thing.
      id: ownId === undefined ? null : String(ownId),
      shortCode: prepared.customCode ?? (isGenerated ? shortCode : null),
      fingerprint: prepared.fingerprint,
      externalId: prepared.settings.externalId,
    },
    prepared,
    past: {
      createdAt,
      updatedAt: past.updatedAt ?? createdAt,
      clickCount: past.clickCount ?? 0,
      lastClickAt: past.lastClickAt,
    },
  };
}

/** Redirects refuse such a code without a look-up, so the link could never be followed. */
function unprovable(): Refused {
  const message =
    "This code has the form of a generated one, but none of this service's keys can have made it, so visitors would never reach the link. " +
    "If it comes from another Hop, add that one's keys to CODE_KEYS (and its layout to CODE_HISTORY) first.";
  return { kind: "refused", code: "invalid_code", path: "shortCode", message };
}
