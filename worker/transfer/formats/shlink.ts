/**
 * Shlink's short URLs. Three files tell of them:
 *
 * - the CSV of its web client, `createdAt,domain,shortCode,shortUrl,longUrl,title,tags,visits`, tags with `|` between
 *   (shlinkio/shlink-web-component, `src/short-urls/helpers/ExportShortUrlsBtn.tsx`);
 * - the CSV that its own importer takes, `Long URL;Tags;Domain;Short code;Title` (shlinkio/shlink-importer,
 *   `src/Sources/Csv/CsvImporter.php`);
 * - its REST API, `GET /rest/v3/short-urls`, with `dateCreated`, `tags`, `meta`, `visitsSummary`, `forwardQuery`.
 *
 * The CSVs do not say whether a link adds the visitor's query to the destination's; Shlink's links do unless told not to, so
 * theirs are imported with `forwardQuery`.
 *
 * @module
 */
import { isRecord } from "../../../shared/json.ts";
import { type Fields, type Format, type LinkOrRefusal, rfc3339, said } from "./fields.ts";
import { deviceRule, shortLinkOf, tagsOf, titleOf } from "./foreign.ts";
import { timeOf } from "./times.ts";

const TOLD_BY_SHLINK = ["visits", "visitssummary", "visitscount", "datecreated", "devicelongurls"];

/** Shlink's files. */
export const shlink: Format = {
  name: "shlink",
  knows: (names) =>
    names.has("longurl") &&
    (names.has("shortcode") || names.has("shorturl")) &&
    TOLD_BY_SHLINK.some((name) => names.has(name)),
  destination: ["longUrl"],
  link: shlinkLink,
};

function shlinkLink(fields: Fields): LinkOrRefusal {
  const longUrl = fields.word("longUrl");
  if (longUrl === undefined) return { refused: "The row has no long URL." };
  const short = shortLinkOf(fields.word("shortUrl"));
  const code = fields.word("shortCode");
  const meta = record(fields.value("meta"));
  const devices = record(fields.value("deviceLongUrls"));
  const visits = record(fields.value("visitsSummary"));
  const maxVisits = meta["maxVisits"];
  const rules = (["ios", "android", "desktop"] as const).flatMap((device) => deviceRule(device, word(devices[device])));
  if (fields.flag("crawlable") === true)
    fields.note("Search engines could index it (crawlable); Hop's short links are not indexed.");
  if (fields.flag("hasRedirectRules") === true) fields.note("It had redirect rules, which the file does not hold.");
  return {
    longUrl,
    // The web client writes the code as it stands in the URL, percent-encoded.
    shortCode: code === undefined || code.includes("%") ? (short?.shortCode ?? code) : code,
    domain: fields.word("domain")?.toLowerCase() ?? short?.domain,
    createdAt: fields.time("createdAt", "dateCreated"),
    clickCount: count(visits["total"]) ?? fields.count("visits", "visitsCount"),
    settings: said({
      title: titleOf(fields, "title"),
      tags: tagsOf(fields, /\|/, "tags"),
      validSince: rfc3339(timeOf(meta["validSince"])),
      expireAt: rfc3339(timeOf(meta["validUntil"])),
      maxClicks: typeof maxVisits === "number" ? maxVisits : undefined,
      forwardQuery: fields.flag("forwardQuery") ?? true,
      rules: rules.length > 0 ? rules : undefined,
    }),
    notes: fields.notes(),
  };
}

function record(value: unknown): Readonly<Record<string, unknown>> {
  return isRecord(value) ? value : {};
}

function word(value: unknown): string | undefined {
  return typeof value === "string" && value !== "" ? value : undefined;
}

function count(value: unknown): number | undefined {
  return Number.isSafeInteger(value) ? Number(value) : undefined;
}
