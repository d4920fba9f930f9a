/**
 * Creates a link, or replaces the settings of the one that has the name that is asked for: its external id, or else its custom code.
 * The unique indexes decide who creates; whoever comes later replaces.
 *
 * @module
 */
import type { CodeBook } from "../../shared/code.ts";
import type { Link, LinkSettings } from "../../shared/link.ts";
import type { UpsertLinkBody } from "../../shared/schema/link.ts";
import type { ShortLinkRow } from "../backends/schema.ts";
import { type ChangeParts, checkChange } from "./change.ts";
import { NOT_NOTED } from "./noted.ts";
import { type CreateContext, type Created, createLink, type CreateParts, settingsOf } from "./create.ts";
import { hashOnce } from "./passwords.ts";
import { isAlready, linkOf } from "./rows.ts";
import { checkSettings, fingerprintOf, type Refused } from "./settings.ts";
import type { LinkName } from "./store.ts";

/** What came of it. `existing`: it stood, and is now as the body says. `conflict`: it was made and deleted over and over. */
export type Upserted = Created | { readonly kind: "conflict" };

/** How often a link that appeared or went meanwhile is looked for anew. */
const MAX_ATTEMPTS = 8;

/**
 * What the body does not name gets its default, but for the external id of a link that is named by its code: that stays. Of many at once
 * one creates; each of the others replaces all settings together, so the link is in the end what one of them asked for.
 */
export async function upsertLink(
  parts: CreateParts & ChangeParts,
  body: UpsertLinkBody,
  context: CreateContext,
): Promise<Upserted> {
  const checked = checkSettings(settingsOf(body), context.policy);
  if (checked.kind === "refused") return checked;
  const name = nameIn(parts.codes, body, context.domain);
  const hashForLink = hashOnce(parts.passwords);
  let made: Created | undefined;
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt += 1) {
    const row = name === undefined ? undefined : await parts.store.find(name);
    if (row === undefined) {
      // Its code is taken, and not by the link that has the external id.
      if (made?.kind === "taken" && body.externalId !== undefined && body.externalId !== null) return made;
      made = await createLink(parts, body, context);
      if (made.kind === "taken" || made.kind === "external_id_taken") continue;
      return made;
    }
    if (isOfAnotherCode(parts.codes, row, body)) return { kind: "external_id_taken" };
    const externalId = body.externalId === undefined ? row.externalId : body.externalId;
    const hashed = await hashForLink(body.password ?? null, row.passwordHash);
    if (hashed.kind === "refused") return hashed;
    const { passwordHash } = hashed;
    const replaced = await replace(parts, row, { ...checked.settings, externalId, passwordHash }, context.now);
    if (replaced !== undefined) return replaced;
  }
  return { kind: "conflict" };
}

/** Undefined for a custom code that cannot be had: creating says why. */
function nameIn(codes: Pick<CodeBook, "checkCustom">, body: UpsertLinkBody, domain: string): LinkName | undefined {
  const { externalId } = body;
  if (externalId !== undefined && externalId !== null) return { domain, externalId };
  const code = codeIn(codes, body);
  return code === undefined ? undefined : { domain, code };
}

function codeIn(codes: Pick<CodeBook, "checkCustom">, { customCode }: UpsertLinkBody): string | undefined {
  const checked = codes.checkCustom(customCode ?? "");
  return checked.ok ? checked.code : undefined;
}

/** A code is never changed, so the external id stays with the link that has it. */
function isOfAnotherCode(codes: Pick<CodeBook, "checkCustom">, row: ShortLinkRow, body: UpsertLinkBody): boolean {
  return body.customCode !== undefined && body.customCode !== null && codeIn(codes, body) !== row.shortCode;
}

/** Undefined: the row has gone or changed in what this rests on. Settings that others replace at the same time are no reason. */
async function replace(
  parts: ChangeParts,
  row: ShortLinkRow,
  settings: LinkSettings,
  now: number,
): Promise<
  { readonly kind: "existing"; readonly link: Link } | { readonly kind: "external_id_taken" } | Refused | undefined
> {
  const link = linkOf(row);
  if (isAlready(row, settings)) return { kind: "existing", link };
  const noted = parts.check === null ? NOT_NOTED : await checkChange(parts.check, link, settings, now);
  if (noted.kind === "refused") return noted;
  const key = { domain: row.domain, code: row.shortCode };
  const fingerprint = row.fingerprint === null ? null : await fingerprintOf(settings);
  if (settings.maxClicks !== null && link.maxClicks === null) await parts.countEarlier(link.id, link.clickCount);
  const { id, externalId, maxClicks } = row;
  const note = noted.note && { linkId: id, ...noted.note };
  const updated = await parts.store.update(key, settings, fingerprint, { id, externalId, maxClicks }, now, note);
  if (updated.kind === "external_id_taken") return updated;
  if (updated.kind === "outdated") return undefined;
  await parts.publish(key, parts.entryOf(updated.row, now));
  return { kind: "existing", link: linkOf(updated.row) };
}
