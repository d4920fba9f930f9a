/**
 * What an owner sets, as a row holds it.
 *
 * @module
 */
import type { LinkSettings } from "../../shared/link.ts";

/** The columns of the settings, by their names in `worker/backends/schema.ts`. */
export function columnsOf(settings: LinkSettings) {
  return {
    longUrl: settings.longUrl,
    externalId: settings.externalId,
    title: settings.title,
    tags: [...settings.tags],
    notes: settings.notes,
    metadata: settings.metadata,
    redirectStatus: settings.redirectStatus,
    validSince: dateOf(settings.validSince),
    expireAt: dateOf(settings.expireAt),
    expiredUrl: settings.expiredUrl,
    maxClicks: settings.maxClicks,
    forwardQuery: settings.forwardQuery,
    forwardPath: settings.forwardPath,
    passwordHash: settings.passwordHash,
    rules: settings.rules,
    disabled: settings.disabled,
  };
}

/** An instant as its column takes it. */
export function dateOf(epochMs: number | null): Date | null {
  return epochMs === null ? null : new Date(epochMs);
}
