/**
 * Where Cloudflare may be asked to put a Durable Object (Durable Objects, "Provide a location hint").
 *
 * @module
 */

/** Each hint and the continent that it serves best, by the two letters of `request.cf.continent`. */
const CONTINENTS = {
  wnam: "NA",
  enam: "NA",
  sam: "SA",
  weur: "EU",
  eeur: "EU",
  apac: "AS",
  "apac-ne": "AS",
  "apac-se": "AS",
  oc: "OC",
  afr: "AF",
  me: "AS",
} as const;

/** A hint that Cloudflare takes. */
export type LocationHint = keyof typeof CONTINENTS;

/** Every hint. */
export const LOCATION_HINTS: readonly string[] = Object.keys(CONTINENTS);

/** Whether a text is a hint. */
export function isLocationHint(text: string): text is LocationHint {
  return Object.hasOwn(CONTINENTS, text);
}

/** The continent that a hint serves best. */
export function continentOf(hint: LocationHint): string {
  return CONTINENTS[hint];
}
