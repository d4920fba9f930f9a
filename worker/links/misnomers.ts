/**
 * Fields that a link does not have, under the names that people bring along: those of other services' APIs, other spellings, and what
 * only the service itself sets. Whoever writes one is told what to write.
 *
 * @module
 */
import { createLinkBody } from "../../shared/schema/link.ts";

/** What the service sets, and what to do instead of sending it. */
const SET_BY_THE_SERVICE: ReadonlyMap<string, string> = new Map([
  ["id", "is given by the service; leave it out"],
  ["shortcode", "is given by the service; ask for a code of your own with `customCode` when you create the link"],
  ["shorturl", "follows from the domain and the code; leave it out"],
  ["type", "follows from `customCode`; leave it out"],
  ["haspassword", "follows from `password`; leave it out"],
  ["clickcount", "is counted by the service; leave it out"],
  ["lastclickat", "is counted by the service; leave it out"],
  ["createdat", "is set by the service; leave it out"],
  ["updatedat", "is set by the service; leave it out"],
]);

/**
 * Names in other APIs, and ours. Sources: the API references of Bitly (`long_url`, `custom_bitlinks`), Dub (`url`, `key`, `expiresAt`,
 * `expiredUrl`, `comments`, `tagNames`), Shlink (`customSlug`, `validUntil`, `maxVisits`, `forwardQuery`), YOURLS (`keyword`) and Kutt
 * (`target`, `customurl`, `expire_in`, `description`).
 */
const ELSEWHERE: ReadonlyMap<string, string> = new Map([
  ["url", "longUrl"],
  ["target", "longUrl"],
  ["targeturl", "longUrl"],
  ["destination", "longUrl"],
  ["destinationurl", "longUrl"],
  ["originalurl", "longUrl"],
  ["link", "longUrl"],
  ["slug", "customCode"],
  ["customslug", "customCode"],
  ["customurl", "customCode"],
  ["custombitlinks", "customCode"],
  ["key", "customCode"],
  ["keyword", "customCode"],
  ["alias", "customCode"],
  ["code", "customCode"],
  ["backhalf", "customCode"],
  ["validfrom", "validSince"],
  ["startsat", "validSince"],
  ["validuntil", "expireAt"],
  ["expiresat", "expireAt"],
  ["expires", "expireAt"],
  ["expirein", "expireAt"],
  ["expiration", "expireAt"],
  ["expirationurl", "expiredUrl"],
  ["maxvisits", "maxClicks"],
  ["clicklimit", "maxClicks"],
  ["comments", "notes"],
  ["note", "notes"],
  ["description", "notes"],
  ["tag", "tags"],
  ["tagnames", "tags"],
  ["name", "title"],
  ["statuscode", "redirectStatus"],
  ["redirecttype", "redirectStatus"],
  ["archived", "disabled"],
  ["findifexists", "unique"],
  ["targeting", "rules"],
  ["geo", "rules"],
  ["ios", "rules"],
  ["android", "rules"],
]);

const FIELDS = Object.keys(createLinkBody.shape);
const BY_SPELLING: ReadonlyMap<string, string> = new Map(FIELDS.map((field) => [spellingOf(field), field]));

/** What is wrong with the name of a field that is none of a link's, and what to write instead. */
export function misnomer(name: string): string {
  const spelling = spellingOf(name);
  const meant = BY_SPELLING.get(spelling) ?? ELSEWHERE.get(spelling);
  if (meant === name) return "cannot be set by this call; leave it out";
  if (meant !== undefined) return `is not a field of a link; did you mean \`${meant}\`?`;
  return SET_BY_THE_SERVICE.get(spelling) ?? `is not a field of a link; those that can be set are ${FIELDS.join(", ")}`;
}

/** `long_url`, `longurl` and `Long-URL` are one name. */
function spellingOf(name: string): string {
  return name.toLowerCase().replace(/[\s_-]/g, "");
}
