/**
 * Bitly's links. Bitly documents no columns of its CSV, and has named them differently over the years; each name that is known
 * from those who read such files is taken:
 *
 * - `Bitlink`, `Long URL`, `Title`, `Tags`, `Created`, `Total Clicks`, `Archived`, and a column of custom bitlinks;
 * - `Link`, `Custom Link`, `Destination URL` (URLR/urlr-docs, `migration/bitly.md`);
 * - what its API calls them, `link`, `long_url`, `custom_bitlinks`, `created_at`, in CSV or in an object a line
 *   (dev.bitly.com, `GET /v4/groups/{guid}/bitlinks`; shlinkio/shlink-importer, `src/Sources/Bitly/BitlyApiImporter.php`).
 *
 * Every link has a random code, and those that were printed mostly a chosen one beside it. The chosen one is used: whoever
 * needs the other as well finds it in the report. An archived ("hidden") link still redirects at Bitly, so it does here.
 *
 * @module
 */
import { type Fields, firstOf, type Format, type LinkOrRefusal, rfc3339, said } from "./fields.ts";
import { shortLinkOf, STILL_REDIRECTS, tagsOf, titleOf } from "./foreign.ts";

const DESTINATION = ["long_url", "destination URL", "original URL"];
const RANDOM = ["link", "bitlink", "short link", "short URL", "id"];
const CHOSEN = [
  "custom_bitlinks",
  "custom bitlink",
  "custom link",
  "custom links",
  "custom back-half",
  "custom short URL",
];
const ITS_OWN =
  "id client_id created_by references deeplinks campaign_ids launchpad_ids group group_guid encoding_login qr_code_ids".split(
    " ",
  );

/** Bitly's files. */
export const bitly: Format = {
  name: "bitly",
  knows: (names) =>
    ["longurl", "destinationurl", "originalurl"].some((name) => names.has(name)) &&
    (names.has("bitlink") ||
      names.has("custombitlinks") ||
      names.has("custombitlink") ||
      names.has("customlink") ||
      (names.has("link") && names.has("longurl"))),
  destination: DESTINATION,
  link: bitlyLink,
};

function bitlyLink(fields: Fields): LinkOrRefusal {
  const longUrl = fields.word(...DESTINATION);
  if (longUrl === undefined) return { refused: "The row has no long URL." };
  if (fields.flag("is_deleted") === true) return { refused: "The link was deleted at Bitly." };
  const [first, ...others] = codesOf(fields);
  fields.skip(...ITS_OWN);
  if (others.length > 0) fields.note(`Other short links of it were dropped: ${firstOf(others)}.`);
  if (fields.flag("archived", "hidden") === true) fields.note(STILL_REDIRECTS);
  const short = shortLinkOf(first);
  return {
    longUrl,
    shortCode: short?.shortCode,
    domain: short?.domain,
    createdAt: fields.time("created_at", "created", "created date", "date created", "creation date"),
    clickCount: fields.count("total clicks", "clicks", "link clicks", "engagements", "total engagements"),
    settings: said({
      title: titleOf(fields, "title"),
      tags: tagsOf(fields, /[,;|]/, "tags"),
      expireAt: rfc3339(fields.time("expiration_at")),
    }),
    notes: fields.notes(),
  };
}

/** The short links of a row, chosen ones before the random one, each once. A back-half on its own gets the domain of the other. */
function codesOf(fields: Fields): readonly string[] {
  const random = fields.word(...RANDOM);
  const value = fields.value(...CHOSEN);
  const chosen = Array.isArray(value)
    ? value.filter((item) => typeof item === "string")
    : typeof value === "string"
      ? value.split(/[\s,;|]+/)
      : [];
  const domain = shortLinkOf(random)?.domain ?? "bit.ly";
  const all = [...chosen, ...(random === undefined ? [] : [random])]
    .filter((text) => text !== "")
    .map((text) => (text.includes("/") ? text : `${domain}/${text}`))
    .map((text) => text.replace(/^https?:\/\//i, ""));
  return [...new Set(all)];
}
