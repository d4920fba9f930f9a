/**
 * Makes a link: checks it, gives it a code, stores it in one statement and makes it seen.
 *
 * @module
 */
import type { CodeBook } from "../../shared/code.ts";
import type { CodeKey, Entry } from "../../shared/entry.ts";
import { type Link, LINK_DEFAULTS, type LinkSettings } from "../../shared/link.ts";
import { idsOf, type Run } from "../../shared/sequence.ts";
import type { CreateLinkBody } from "../../shared/schema/link.ts";
import type { UrlPolicy } from "../../shared/url-policy.ts";
import { BackendDown } from "../../shared/backend-down.ts";
import type { ShortLinkRow } from "../backends/schema.ts";
import type { FilterStamp, StampRefusal } from "../entries/filter.ts";
import type { Place } from "../http/context.ts";
import { log } from "../telemetry/log.ts";
import type { CheckDestinations } from "./checks/check.ts";
import { checkOne, NOT_NOTED } from "./noted.ts";
import { chooseCode } from "./custom-code.ts";
import { type HashForLink, hashOnce, type Passwords } from "./passwords.ts";
import { linkOf } from "./rows.ts";
import { checkSettings, fingerprintOf, type Refused } from "./settings.ts";
import type { LinkStore } from "./store.ts";

/** What the making of links needs, handed in. */
export interface CreateParts {
  readonly store: LinkStore;
  readonly codes: Pick<CodeBook, "checkCustom" | "encode" | "isShadowed">;
  /** The next snowflakes, never given before, in rising runs. Rejects with `BackendDown` when no sequencer answers. */
  readonly nextIds: (count: number, place: Place, now: number) => Promise<readonly Run[]>;
  /** Adds a custom code to the filter, before its row is inserted. Rejects with `BackendDown` when it cannot be added. */
  readonly addToFilter: (key: CodeKey, refused?: StampRefusal) => Promise<FilterStamp>;
  /** Makes a stored row seen by redirects; never rejects. */
  readonly publish: (key: CodeKey, entry: Entry) => Promise<void>;
  readonly entryOf: (row: ShortLinkRow, now: number) => Entry;
  readonly passwords: Passwords;
  /** Asks others about destinations; null: nobody is asked. */
  readonly check: CheckDestinations | null;
}

/** Where and when a link is asked for. */
export interface CreateContext {
  readonly domain: string;
  readonly policy: UrlPolicy;
  readonly creatorIp: string | null;
  readonly place: Place;
  readonly now: number;
}

/** What came of it. */
export type Created =
  | { readonly kind: "created"; readonly link: Link }
  /** The same automatic link stood already. */
  | { readonly kind: "existing"; readonly link: Link }
  | { readonly kind: "taken"; readonly shortCode: string }
  /** Another link of the domain has the external id. */
  | { readonly kind: "external_id_taken" }
  | Refused;

/** How often an automatic link whose code turns out to be taken gets another id, and a custom one is added to the filter. */
const MAX_ATTEMPTS = 3;

/** Makes one link, or finds the automatic one that has the same settings. */
export async function createLink(parts: CreateParts, body: CreateLinkBody, context: CreateContext): Promise<Created> {
  const prepared = await prepare(parts.codes, parts.store, hashOnce(parts.passwords), body, context);
  if (prepared.kind === "refused") return prepared;
  const { settings, customCode, fingerprint } = prepared;
  const noted = parts.check === null ? NOT_NOTED : await checkOne(parts.check, settings, context.now);
  if (noted.kind === "refused") return noted;
  let refused: StampRefusal | undefined;
  for (let attempt = 1; ; attempt += 1) {
    const [id, stamp] = await Promise.all([
      mintId(parts, context),
      customCode === null ? null : parts.addToFilter({ domain: context.domain, code: customCode }, refused),
    ]);
    const code = customCode ?? parts.codes.encode(id);
    const inserted = await parts.store.insert({
      id: String(id),
      key: { domain: context.domain, code },
      type: customCode === null ? "auto" : "custom",
      settings,
      fingerprint,
      stamp,
      note: noted.note,
      creatorIp: context.creatorIp,
      now: context.now,
    });
    if (inserted.kind === "unfiltered") {
      if (attempt === MAX_ATTEMPTS) throw new BackendDown("filter", new Error(`a stamp was ${inserted.reason}`), 1);
      refused = inserted.reason;
      continue;
    }
    if (inserted.kind === "external_id_taken") return inserted;
    if (inserted.kind === "id_taken") {
      log("error", "id_taken", { id: String(id) });
      if (attempt === MAX_ATTEMPTS) throw new BackendDown("sequencer", new Error("other links have its ids"), 1);
      continue;
    }
    if (inserted.kind === "taken") {
      if (customCode !== null || attempt === MAX_ATTEMPTS) return { kind: "taken", shortCode: code };
      continue;
    }
    const { row } = inserted;
    if (inserted.kind === "created") {
      await parts.publish({ domain: row.domain, code: row.shortCode }, parts.entryOf(row, context.now));
    }
    return { kind: inserted.kind, link: linkOf(row) };
  }
}

/** A link as it is to be made, judged. */
export interface Prepared {
  readonly kind: "prepared";
  readonly settings: LinkSettings;
  /** In its stored form; null for a generated one. */
  readonly customCode: string | null;
  /** Of a link that a repeated creation finds again. */
  readonly fingerprint: string | null;
}

/** Judges what is asked for, and last of all hashes the password. `store` tells which codes can be suggested in the place of one that cannot be had. */
export async function prepare(
  codes: Pick<CodeBook, "checkCustom">,
  store: Pick<LinkStore, "takenAmong">,
  hashForLink: HashForLink,
  body: CreateLinkBody,
  { domain, policy }: Pick<CreateContext, "domain" | "policy">,
): Promise<Prepared | Refused> {
  const checked = checkSettings(settingsOf(body), policy);
  if (checked.kind === "refused") return checked;
  const asked = body.customCode ?? undefined;
  const chosen = asked === undefined ? undefined : await chooseCode(codes, store, domain, asked);
  if (chosen?.kind === "refused") return chosen;

  const hashed = await hashForLink(body.password ?? null, null);
  if (hashed.kind === "refused") return hashed;
  const settings = { ...checked.settings, passwordHash: hashed.passwordHash };

  // Whether a limited link is still alive is for its object to say, and whether two passwords are the same for nobody: each such creation
  // is a link of its own.
  const isPlain = settings.maxClicks === null && settings.passwordHash === null;
  const isShared = chosen === undefined && body.unique !== true && isPlain;
  const fingerprint = isShared ? await fingerprintOf(settings) : null;
  return { kind: "prepared", settings, customCode: chosen?.code ?? null, fingerprint };
}

async function mintId(parts: CreateParts, { place, now }: CreateContext): Promise<bigint> {
  const [id] = await mintIds(parts, 1, place, now);
  if (id === undefined) throw new Error("the sequencer gave no id");
  return id;
}

/** Ids whose codes no other id can ever have had, also under an earlier key. */
export async function mintIds(
  { nextIds, codes }: Pick<CreateParts, "nextIds" | "codes">,
  count: number,
  place: Place,
  now: number,
): Promise<readonly bigint[]> {
  const minted: bigint[] = [];
  while (minted.length < count) {
    const ids = idsOf(await nextIds(count - minted.length, place, now));
    minted.push(...ids.filter((id) => !codes.isShadowed(codes.encode(id), now)));
  }
  return minted;
}

/** The settings that a body asks for, with their defaults; without its password, which takes time to hash. */
export function settingsOf(body: Omit<CreateLinkBody, "customCode" | "domain" | "unique">): LinkSettings {
  return {
    longUrl: body.longUrl,
    externalId: body.externalId ?? LINK_DEFAULTS.externalId,
    title: body.title ?? LINK_DEFAULTS.title,
    tags: body.tags ?? LINK_DEFAULTS.tags,
    notes: body.notes ?? LINK_DEFAULTS.notes,
    metadata: body.metadata ?? LINK_DEFAULTS.metadata,
    redirectStatus: body.redirectStatus ?? LINK_DEFAULTS.redirectStatus,
    validSince: body.validSince ?? LINK_DEFAULTS.validSince,
    expireAt: body.expireAt ?? LINK_DEFAULTS.expireAt,
    maxClicks: body.maxClicks ?? LINK_DEFAULTS.maxClicks,
    forwardQuery: body.forwardQuery ?? LINK_DEFAULTS.forwardQuery,
    forwardPath: body.forwardPath ?? LINK_DEFAULTS.forwardPath,
    rules: body.rules ?? LINK_DEFAULTS.rules,
    expiredUrl: body.expiredUrl ?? LINK_DEFAULTS.expiredUrl,
    passwordHash: LINK_DEFAULTS.passwordHash,
    disabled: body.disabled ?? LINK_DEFAULTS.disabled,
  };
}
