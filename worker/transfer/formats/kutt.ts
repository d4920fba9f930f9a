/**
 * Kutt's links: what `GET /api/v2/links` answers, an object a line or as CSV, or the table `links` with the same names
 * (thedevs-network/kutt, `server/utils/utils.js` `sanitize.link`, `server/models/link.model.js`). Kutt has no export of its own.
 *
 * A banned link leads to a page that says so; it is imported disabled. The password is not in the file, or as a bcrypt hash
 * that Hop cannot check.
 *
 * @module
 */
import { type Fields, type Format, type LinkOrRefusal, rfc3339, said } from "./fields.ts";
import { notesOf, PASSWORD_MISSING, shortLinkOf, titleOf } from "./foreign.ts";

/** Longer descriptions are notes. */
const TITLE_LENGTH = 512;

/** Kutt's files. */
export const kutt: Format = {
  name: "kutt",
  knows: (names) => names.has("target") && names.has("address"),
  destination: ["target"],
  nothing: ["NULL", String.raw`\N`],
  link: kuttLink,
};

function kuttLink(fields: Fields): LinkOrRefusal {
  const longUrl = fields.word("target");
  if (longUrl === undefined) return { refused: "The row has no target." };
  fields.skip("id", "uuid", "userId", "domainId", "bannedById", "relativeCreatedAt", "relativeExpireIn");
  const short = shortLinkOf(fields.word("link"));
  const password = fields.word("password")?.toLowerCase();
  const hasPassword = password !== undefined && !["false", "f", "0"].includes(password);
  if (hasPassword) fields.note(PASSWORD_MISSING);
  const banned = fields.word("banned")?.toLowerCase();
  const disabled = banned !== undefined && ["true", "t", "1"].includes(banned);
  if (disabled) fields.note("It was banned there: it is imported disabled.");
  const isTitle = (fields.text("description")?.length ?? 0) <= TITLE_LENGTH;
  return {
    longUrl,
    shortCode: fields.word("address") ?? short?.shortCode,
    domain: (fields.word("domain") ?? short?.domain)?.toLowerCase(),
    createdAt: fields.time("created_at"),
    updatedAt: fields.time("updated_at"),
    clickCount: fields.count("visit_count"),
    hasPassword: hasPassword ? true : undefined,
    settings: said({
      title: isTitle ? titleOf(fields, "description") : undefined,
      notes: isTitle ? undefined : notesOf(fields, "description"),
      expireAt: rfc3339(fields.time("expire_in")),
      disabled: disabled ? true : undefined,
    }),
    notes: fields.notes(),
  };
}
