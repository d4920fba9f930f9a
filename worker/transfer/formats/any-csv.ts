/**
 * Any table with a column of destinations under one of the usual names, as people keep in a spreadsheet.
 *
 * @module
 */
import { type Fields, firstOf, type Format, type LinkOrRefusal, nameKey, said } from "./fields.ts";
import { tagsOf } from "./foreign.ts";
import { settingsOf } from "./hop.ts";

const DESTINATION =
  "longUrl, url, destination URL, destination, target, target URL, original URL, link URL, redirect, redirect to, to, href".split(
    ", ",
  );
/** Chosen codes before all others, so that a random id beside one never wins. */
const CODE =
  "custom slug, custom code, customCode, custom alias, alias, slug, back half, keyword, shortCode, code, key, path, short, id".split(
    ", ",
  );
const CODES_MADE = ["id", "hash", "random id"];

/** The format of last resort. */
export const anyCsv: Format = {
  name: "csv",
  knows: (names) => DESTINATION.some((name) => names.has(nameKey(name))),
  destination: DESTINATION,
  harmless: true,
  link: anyLink,
};

function anyLink(fields: Fields): LinkOrRefusal {
  const longUrl = fields.word(...DESTINATION);
  if (longUrl === undefined) return { refused: "The row has no destination." };
  const shortCode = fields.word(...CODE)?.replace(/^\//, "");
  for (const name of CODES_MADE) {
    const other = fields.word(name);
    if (other !== undefined && other !== shortCode)
      fields.note(`${name} ${firstOf([other])} was dropped, since the row has a code of its own.`);
  }
  return {
    longUrl,
    shortCode,
    domain: fields.word("domain", "host")?.toLowerCase(),
    createdAt: fields.time("createdAt", "created", "created date", "date created", "created on", "date", "timestamp"),
    updatedAt: fields.time("updatedAt", "updated", "modified"),
    clickCount: fields.count("clickCount", "clicks", "visits", "hits", "visit count"),
    lastClickAt: fields.time("lastClickAt", "last click", "last clicked"),
    settings: said({ ...settingsOf(fields), tags: tagsOf(fields, separatorsOf(fields), "tags", "labels") }),
    notes: fields.notes(),
  };
}

/** What stands between tags: a bar, where there is one, since then a comma may be part of a tag. */
function separatorsOf(fields: Fields): RegExp {
  const tags = fields.value("tags", "labels");
  return typeof tags === "string" && tags.includes("|") ? /\|/ : /[,;]/;
}
