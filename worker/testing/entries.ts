/**
 * Builders of entries and links for tests.
 *
 * @module
 */
import type { AbsentEntry, PresentEntry } from "../../shared/entry.ts";

/** A living entry; name what matters to the test. */
export function present(fields: Partial<PresentEntry> = {}): PresentEntry {
  return {
    kind: "present",
    version: 1_700_000_000_000_000,
    vouchedAt: 1_800_000_000_000,
    linkId: "421234567890123456",
    longUrl: "https://example.com/landing?a=1#top",
    redirectStatus: 302,
    validSince: null,
    expireAt: null,
    expiredUrl: null,
    disabled: false,
    maxClicks: null,
    forwardQuery: false,
    forwardPath: false,
    passwordHash: null,
    rules: [],
    ...fields,
  };
}

/** A code that is known not to exist. */
export function absent(fields: Partial<AbsentEntry> = {}): AbsentEntry {
  return { kind: "absent", version: 0, vouchedAt: 1_800_000_000_000, tombstone: false, ...fields };
}
