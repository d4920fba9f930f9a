/**
 * Dub's links: the CSV of its dashboard, whose columns the user chooses (`Short link`, `Destination URL`, `Clicks`, `Created
 * at`, …, or their ids in older versions: dubinc/dub, `apps/web/app/api/links/export/route.ts`), and what `GET /links` answers,
 * an object a line (`apps/web/lib/zod/schemas/links.ts`).
 *
 * An archived link still redirects at Dub, so it does here. A campaign's `utm_…` values stand in the destination already; where
 * they do not they are added. Targets for devices and countries become rules, a test with variants a split until the day it ends.
 * A visitor's query is passed on, as Dub does for every link (`getFinalUrl` in `apps/web/lib/middleware/utils`).
 *
 * @module
 */
import { isRecord, parseJson } from "../../../shared/json.ts";
import { type Fields, type Format, type LinkOrRefusal, rfc3339, said } from "./fields.ts";
import { deviceRule, notesOf, shortLinkOf, STILL_REDIRECTS, tagsOf, titleOf } from "./foreign.ts";

const UTM = ["utm_source", "utm_medium", "utm_campaign", "utm_term", "utm_content", "ref"] as const;
/** Of no use elsewhere: who and where at Dub, and figures beside the clicks. */
const DUBS_OWN =
  "id linkId identifier trackConversion publicStats workspaceId projectId userId programId partnerId folderId folder tagId tagIds user creator qrCode webhookIds image video tenantId testStartedAt lastLeadAt lastConversionAt".split(
    " ",
  );
/** The key of the link that is the domain itself. */
const ROOT = "_root";

/** Dub's files. */
export const dub: Format = {
  name: "dub",
  knows: (names) =>
    (names.has("destinationurl") && names.has("shortlink")) ||
    (names.has("url") && ((names.has("key") && names.has("domain")) || names.has("shortlink") || names.has("link"))),
  destination: ["url", "destination URL"],
  nothing: ["null"],
  link: dubLink,
};

function dubLink(fields: Fields): LinkOrRefusal {
  const destination = fields.word("url", "destination URL");
  if (destination === undefined) return { refused: "The row has no destination URL." };
  const short = shortLinkOf(fields.word("shortLink", "link"));
  const shortCode = fields.word("key") ?? short?.shortCode;
  if (shortCode === ROOT || (shortCode === undefined && short !== undefined)) {
    return { refused: "The link is the domain itself, not a code on it." };
  }
  fields.skip(...DUBS_OWN);
  for (const name of ["archived", "proxy", "rewrite", "doIndex"]) {
    if (fields.flag(name) === true) fields.note(NOTES[name] ?? "");
  }
  const password = fields.text("password");
  const rules = rulesOf(fields);
  return {
    longUrl: withCampaign(destination, fields),
    shortCode,
    domain: (fields.word("domain") ?? short?.domain)?.toLowerCase(),
    createdAt: fields.time("createdAt"),
    updatedAt: fields.time("updatedAt"),
    clickCount: fields.count("clicks", "total clicks"),
    lastClickAt: fields.time("lastClicked"),
    settings: said({
      externalId: fields.word("externalId"),
      title: titleOf(fields, "title"),
      tags: tagsOf(fields, /,/, "tags"),
      notes: notesOf(fields, "comments", "description"),
      expireAt: rfc3339(fields.time("expiresAt")),
      expiredUrl: fields.word("expiredUrl"),
      forwardQuery: true,
      rules: rules.length > 0 ? rules : undefined,
      password,
    }),
    notes: fields.notes(),
  };
}

const NOTES: Readonly<Record<string, string>> = {
  archived: STILL_REDIRECTS,
  proxy: "It had a preview card of its own for social media (proxy), which Hop does not make.",
  rewrite: "It showed the destination under its own address (rewrite); here it redirects.",
  doIndex: "Search engines could index it; Hop's short links are not indexed.",
};

/** Devices before countries before the test, in the order in which Dub decides (`apps/web/lib/middleware/link.ts`). */
function rulesOf(fields: Fields): readonly unknown[] {
  const geo = objectOf(fields.value("geo"));
  return [
    ...deviceRule("ios", fields.word("ios")),
    ...deviceRule("android", fields.word("android")),
    ...(isRecord(geo)
      ? Object.entries(geo).map(([country, longUrl]) => ({ if: { country: [country] }, then: { longUrl } }))
      : []),
    ...testOf(fields),
  ];
}

/** A test runs until its end, and without one it does not run (`utils/resolve-ab-test-url.ts`). */
function testOf(fields: Fields): readonly unknown[] {
  const variants = objectOf(fields.value("testVariants"));
  const end = rfc3339(fields.time("testCompletedAt"));
  if (!Array.isArray(variants) || end === undefined) return [];
  const split = variants.flatMap((variant) =>
    isRecord(variant) ? [{ longUrl: variant["url"], weight: variant["percentage"] }] : [],
  );
  return split.length > 0 ? [{ if: { before: end }, then: { split } }] : [];
}

/** An object or list, also where a CSV holds it as JSON. */
function objectOf(value: unknown): unknown {
  return typeof value === "string" ? parseJson(value) : value;
}

/** The destination with the campaign's values that it does not have yet, its other parts untouched. */
function withCampaign(destination: string, fields: Fields): string {
  const query = URL.parse(destination)?.searchParams;
  const added = UTM.flatMap((name) => {
    const value = fields.text(name);
    return value === undefined || query === undefined || query.has(name)
      ? []
      : [`${name}=${encodeURIComponent(value)}`];
  });
  if (added.length === 0) return destination;
  const [base = "", ...fragment] = destination.split("#");
  const joint = !base.includes("?") ? "?" : /[?&]$/.test(base) ? "" : "&";
  return [`${base}${joint}${added.join("&")}`, ...fragment].join("#");
}
