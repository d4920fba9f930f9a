/**
 * What an import reads and an export writes, whatever the file looks like.
 *
 * @module
 */

/** A link as another service, or an export of ours, tells it. Everything but the destination may be unsaid (undefined). */
export interface ImportedLink {
  /** As written; the URL policy judges it later. */
  readonly longUrl: string;
  /** As written. Undefined asks for a generated one. */
  readonly shortCode?: string | undefined;
  /** The host that the file names, in lower case, also one of the other service such as `bit.ly`. */
  readonly domain?: string | undefined;
  readonly type?: "auto" | "custom" | undefined;
  /** Epoch milliseconds. */
  readonly createdAt?: number | undefined;
  /** Epoch milliseconds. */
  readonly updatedAt?: number | undefined;
  readonly clickCount?: number | undefined;
  /** Epoch milliseconds. */
  readonly lastClickAt?: number | undefined;
  /** The stored form that an export of ours wrote. */
  readonly passwordHash?: string | undefined;
  /** The link had a password, and where `passwordHash` is unsaid the file does not hold it. */
  readonly hasPassword?: boolean | undefined;
  /** Settable fields in the shape of a `POST` body; not validated yet. What the file leaves out is left out. */
  readonly settings: Readonly<Record<string, unknown>>;
  /** What the file says that Hop has no place for, as sentences for the report. */
  readonly notes: readonly string[];
}

/** One data row of a file. `line` is the 1-based line on which the row begins. */
export type ImportedRow =
  | { readonly kind: "link"; readonly line: number; readonly link: ImportedLink }
  | { readonly kind: "refused"; readonly line: number; readonly message: string };

/** Whose file it is. `csv` is any CSV whose header has a URL column by one of the usual names. */
export type FormatName = "hop" | "bitly" | "shlink" | "yourls" | "kutt" | "dub" | "csv";

/** Each format's name, for the schema of the request. */
export const FORMAT_NAMES = [
  "hop",
  "bitly",
  "shlink",
  "yourls",
  "kutt",
  "dub",
  "csv",
] as const satisfies readonly FormatName[];

/** A file that cannot be read at all. The message is for whoever sent it. */
export class FileRefused extends Error {
  override readonly name = "FileRefused";
}

/** A link as an export tells it: times are RFC 3339 text, settings are in the form the API shows. */
export interface ExportedLink {
  readonly domain: string;
  readonly shortCode: string;
  readonly longUrl: string;
  readonly type: "auto" | "custom";
  readonly externalId: string | null;
  readonly title: string | null;
  readonly tags: readonly string[];
  readonly notes: string | null;
  readonly metadata: Readonly<Record<string, unknown>>;
  readonly redirectStatus: number;
  readonly forwardQuery: boolean;
  readonly forwardPath: boolean;
  readonly validSince: string | null;
  readonly expireAt: string | null;
  readonly expiredUrl: string | null;
  readonly maxClicks: number | null;
  readonly rules: readonly unknown[];
  readonly disabled: boolean;
  readonly hasPassword: boolean;
  /** The stored form; unsaid where the export shall not hold it. */
  readonly passwordHash?: string | undefined;
  readonly clickCount: number;
  readonly lastClickAt: string | null;
  readonly createdAt: string;
  readonly updatedAt: string;
}
