/**
 * Hop's own files: CSV with one column for each field, and JSON Lines with one link a line, as the API shows it.
 *
 * @module
 */
import { csvLine } from "../../../shared/csv.ts";
import { parseJson } from "../../../shared/json.ts";
import { type Fields, type Format, type LinkOrRefusal, flagOf, listOf, rfc3339, said } from "./fields.ts";
import type { ExportedLink } from "./format.ts";
import { timeOf } from "./times.ts";

const cell = (value: string | number | boolean | null | undefined) => String(value ?? "");
/** Empty where there is nothing to tell. Tags are JSON too, since one may hold a comma. */
const json = (value: object) => (Object.keys(value).length === 0 ? "" : JSON.stringify(value));

/** The columns in their order. An empty cell is null, or the default: no text of a link is ever empty. */
const CELLS: { readonly [K in keyof Required<ExportedLink>]: (link: ExportedLink) => string } = {
  domain: (link) => link.domain,
  shortCode: (link) => link.shortCode,
  longUrl: (link) => link.longUrl,
  type: (link) => link.type,
  title: (link) => cell(link.title),
  tags: (link) => json(link.tags),
  notes: (link) => cell(link.notes),
  externalId: (link) => cell(link.externalId),
  redirectStatus: (link) => cell(link.redirectStatus),
  forwardQuery: (link) => cell(link.forwardQuery),
  forwardPath: (link) => cell(link.forwardPath),
  validSince: (link) => cell(link.validSince),
  expireAt: (link) => cell(link.expireAt),
  expiredUrl: (link) => cell(link.expiredUrl),
  maxClicks: (link) => cell(link.maxClicks),
  rules: (link) => json(link.rules),
  disabled: (link) => cell(link.disabled),
  metadata: (link) => json(link.metadata),
  hasPassword: (link) => cell(link.hasPassword),
  passwordHash: (link) => cell(link.passwordHash),
  clickCount: (link) => cell(link.clickCount),
  lastClickAt: (link) => cell(link.lastClickAt),
  createdAt: (link) => link.createdAt,
  updatedAt: (link) => link.updatedAt,
};

/** The first line of a CSV export, its line end included. */
export function csvHeader(): string {
  return csvLine(Object.keys(CELLS));
}

/** One link as CSV, its line end included. What a spreadsheet could take for a formula has a `'` before it. */
export function csvRow(link: ExportedLink): string {
  return csvLine(Object.values(CELLS).map((write) => write(link)));
}

/** One link as a line of JSON, its line end included. */
export function jsonlRow(link: ExportedLink): string {
  return `${JSON.stringify(link)}\n`;
}

/** Names that no other service has beside `longUrl`. */
const OWN =
  "clickcount redirectstatus customcode externalid forwardpath expireat expiredurl maxclicks haspassword passwordhash".split(
    " ",
  );

/** What `csvRow`, `jsonlRow` and the API write, and the body of a `POST` as well. */
export const hop: Format = {
  name: "hop",
  knows: (names) => names.has("longurl") && OWN.some((name) => names.has(name)),
  destination: ["longUrl"],
  harmless: true,
  link: hopLink,
};

function hopLink(fields: Fields): LinkOrRefusal {
  const longUrl = fields.word("longUrl");
  if (longUrl === undefined) return { refused: "longUrl is empty." };
  fields.skip("id", "shortUrl");
  const type = fields.word("type")?.toLowerCase();
  if (type !== undefined && type !== "auto" && type !== "custom") return { refused: "type is “auto” or “custom”." };
  return {
    longUrl,
    shortCode: fields.word("shortCode", "customCode"),
    domain: fields.word("domain")?.toLowerCase(),
    type,
    createdAt: fields.time("createdAt"),
    updatedAt: fields.time("updatedAt"),
    clickCount: fields.count("clickCount"),
    lastClickAt: fields.time("lastClickAt"),
    passwordHash: fields.word("passwordHash"),
    hasPassword: fields.flag("hasPassword"),
    settings: settingsOf(fields),
    notes: fields.notes(),
  };
}

/** The settings by Hop's own names. What cannot be read is passed on as it is, so that the API's schema says why not. */
export function settingsOf(fields: Fields): Readonly<Record<string, unknown>> {
  const setting = (name: string, read: (value: unknown) => unknown) => {
    const value = fields.value(name);
    return value === undefined ? undefined : (read(value) ?? value);
  };
  return said({
    externalId: fields.value("externalId"),
    title: fields.value("title"),
    tags: setting("tags", listOf),
    notes: fields.value("notes"),
    metadata: setting("metadata", jsonOf),
    redirectStatus: setting("redirectStatus", numberOf),
    forwardQuery: setting("forwardQuery", flagOf),
    forwardPath: setting("forwardPath", flagOf),
    validSince: setting("validSince", (value) => rfc3339(timeOf(value))),
    expireAt: setting("expireAt", (value) => rfc3339(timeOf(value))),
    expiredUrl: fields.value("expiredUrl"),
    maxClicks: setting("maxClicks", numberOf),
    rules: setting("rules", jsonOf),
    disabled: setting("disabled", flagOf),
    password: fields.value("password"),
  });
}

function jsonOf(value: unknown): unknown {
  return typeof value === "string" ? parseJson(value) : value;
}

function numberOf(value: unknown): number | undefined {
  return typeof value === "string" && /^\d{1,15}$/.test(value.trim()) ? Number(value) : undefined;
}
