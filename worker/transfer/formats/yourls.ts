/**
 * YOURLS' links. It has no export of its own; files come from
 *
 * - its table `yourls_url`, `keyword,url,title,timestamp,ip,clicks`, as CSV, as `mysql --batch` writes it, or as an object a
 *   line (YOURLS/YOURLS, `includes/functions-install.php`);
 * - the Import Export plugin, `source,target,hits` with `/keyword/` (GautamGupta/YOURLS-Import-Export, `fileio/csv.php`);
 * - its API, `action=stats`, with `shorturl` in place of `keyword`.
 *
 * Times are in UTC, as YOURLS stores them. The address of whoever made a link (`ip`) is left behind.
 *
 * @module
 */
import { type Fields, type Format, type LinkOrRefusal, said } from "./fields.ts";
import { shortLinkOf, titleOf } from "./foreign.ts";

/** YOURLS' files. */
export const yourls: Format = {
  name: "yourls",
  knows: (names) =>
    (names.has("keyword") && names.has("url")) ||
    (names.has("shorturl") && names.has("url") && names.has("timestamp")) ||
    (names.has("source") && names.has("target") && names.has("hits")),
  destination: ["url", "target"],
  nothing: ["NULL", String.raw`\N`],
  link: yourlsLink,
};

function yourlsLink(fields: Fields): LinkOrRefusal {
  const longUrl = fields.word("url", "target");
  if (longUrl === undefined) return { refused: "The row has no URL." };
  const short = shortLinkOf(fields.word("shorturl"));
  const keyword = fields.word("keyword") ?? fields.word("source")?.replaceAll(/^\/|\/$/g, "");
  const title = titleOf(fields, "title");
  fields.skip("ip");
  return {
    longUrl,
    shortCode: keyword ?? short?.shortCode,
    domain: short?.domain,
    createdAt: fields.time("timestamp"),
    clickCount: fields.count("clicks", "hits"),
    // Where it could not fetch a title, YOURLS writes the URL.
    settings: said({ title: title === longUrl ? undefined : title }),
    notes: fields.notes(),
  };
}
