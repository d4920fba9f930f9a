/**
 * Builds clicks for tests.
 *
 * @module
 */
import type { Click } from "../../shared/click.ts";

/** A click of which nothing is known; name what matters to the test. Each has an id of its own. */
export function someClick(fields: Pick<Click, "linkId" | "at"> & Partial<Click>): Click {
  return {
    id: crypto.randomUUID(),
    country: null,
    region: null,
    city: null,
    referrer: null,
    language: null,
    userAgent: null,
    ip: null,
    utmSource: null,
    utmMedium: null,
    utmCampaign: null,
    utmTerm: null,
    utmContent: null,
    destination: null,
    trigger: "link",
    visitor: null,
    untracked: false,
    ...fields,
  };
}
