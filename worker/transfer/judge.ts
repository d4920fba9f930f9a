/**
 * Judges a row of a file before the links are asked: whose domain it is for, whether its settings have the form that the API takes, and what
 * must never become a link that anybody can follow.
 *
 * @module
 */
import { parsePasswordHash } from "../../shared/password.ts";
import { importedSettings } from "../../shared/schema/transfer.ts";
import type { UrlPolicy } from "../../shared/url-policy.ts";
import { Refusal } from "../http/problem.ts";
import { invalid } from "../http/validation.ts";
import type { RowToAdopt } from "./adopt.ts";
import type { ImportedLink, ImportedRow } from "./formats/format.ts";

/** What rows are judged by. */
export interface RowContext {
  /** The domain that a row names if it is one of the service's; undefined for any other. */
  readonly ownDomain: (named: string) => string | undefined;
  /** For rows that name none of ours; undefined: such a row fails. */
  readonly givenDomain: string | undefined;
  /** For rows that name none at all. */
  readonly defaultDomain: string;
  readonly policyFor: (domain: string) => UrlPolicy;
}

/** What is known of any row. */
interface RowWeight {
  readonly line: number;
  /** About how much text it has. */
  readonly characters: number;
  /** How many requests to a backend it costs by itself. */
  readonly requests: number;
}

/** A row that the links are asked to take in. */
export interface GoodRow extends RowWeight {
  readonly row: RowToAdopt;
  readonly notes: readonly string[];
}

/** A row of which no link can come. */
export interface BadRow extends RowWeight {
  readonly row: null;
  readonly refusal: Refusal;
  /** What it says of itself, as far as it could be read. */
  readonly link: Pick<ImportedLink, "domain" | "shortCode" | "notes">;
}

/** A row that was judged. */
export type Judged = GoodRow | BadRow;

/** Judges one. */
export function judgeRow(row: ImportedRow, context: RowContext): Judged {
  const { line } = row;
  if (row.kind === "refused") {
    return { line, ...FREE, row: null, refusal: new Refusal("invalid_request", row.message), link: { notes: [] } };
  }
  const { link } = row;
  try {
    const toAdopt = readLink(link, context);
    const characters = JSON.stringify(toAdopt.body).length;
    const isCounted = (toAdopt.body.maxClicks ?? null) !== null && (link.clickCount ?? 0) > 0;
    return { line, notes: link.notes, characters, requests: isCounted ? 1 : 0, row: toAdopt };
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    return { line, ...FREE, row: null, refusal: error, link };
  }
}

const FREE = { characters: 0, requests: 0 };

function readLink(link: ImportedLink, context: RowContext): RowToAdopt {
  const domain = domainOf(link.domain, context);
  const { passwordHash = null } = link;
  if (passwordHash !== null && parsePasswordHash(passwordHash) === undefined) {
    throw refused("passwordHash", "This is no hash of a password that this service can check.");
  }
  if (link.hasPassword === true && passwordHash === null && link.settings["password"] === undefined) {
    throw refused(
      "password",
      "This link has a password, which the file does not hold. Without it everybody could follow the link.",
    );
  }
  const parsed = importedSettings.safeParse({ ...link.settings, longUrl: link.longUrl });
  if (!parsed.success) throw invalid(parsed.error.issues);
  return {
    body: parsed.data,
    context: { domain, policy: context.policyFor(domain) },
    shortCode: link.shortCode ?? null,
    passwordHash,
    past: {
      createdAt: timeOf("createdAt", link.createdAt),
      updatedAt: timeOf("updatedAt", link.updatedAt),
      clickCount: countOf(link.clickCount),
      lastClickAt: timeOf("lastClickAt", link.lastClickAt),
    },
  };
}

function domainOf(named: string | undefined, { ownDomain, givenDomain, defaultDomain }: RowContext): string {
  if (named === undefined) return givenDomain ?? defaultDomain;
  const domain = ownDomain(named) ?? givenDomain;
  if (domain === undefined) {
    throw refused(
      "domain",
      `"${named}" is no domain of this service; send the file with ?domain= to say which one such rows are for.`,
    );
  }
  return domain;
}

/** The end of the year 9999: what every store takes. */
const MAX_AT = 253_402_300_799_999;

function timeOf(path: string, at: number | undefined): number | null {
  if (at === undefined) return null;
  if (!Number.isInteger(at) || at < 0 || at > MAX_AT)
    throw refused(path, "takes a time between the years 1970 and 9999");
  return at;
}

function countOf(clicks: number | undefined): number | null {
  if (clicks === undefined) return null;
  if (!Number.isSafeInteger(clicks) || clicks < 0) throw refused("clickCount", "takes a whole number from 0 on");
  return clicks;
}

function refused(path: string, message: string): Refusal {
  return new Refusal("invalid_request", message, { errors: [{ path, message }] });
}
