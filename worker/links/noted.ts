/**
 * Checks the destinations that a link is to get, and says what is to be noted of it with the link.
 *
 * @module
 */
import { destinationsOf } from "../../shared/destinations.ts";
import type { LinkSettings } from "../../shared/link.ts";
import type { Checked, CheckDestinations } from "./checks/check.ts";
import { type CheckNote, firstNote } from "./checks/schedule.ts";
import type { Refused } from "./settings.ts";

/** What is noted of destinations that nobody refused; null: nobody was asked. */
export interface Noted {
  readonly kind: "noted";
  readonly note: CheckNote | null;
}

/** Nobody was asked. */
export const NOT_NOTED: Noted = { kind: "noted", note: null };

const UNCHECKED = { kind: "unchecked" } as const satisfies Checked;

/** What is noted of a link whose destinations are to be asked about later. */
export function noteUnchecked(now: number): CheckNote | null {
  return firstNote(UNCHECKED.kind, now);
}

/** Asks about the destinations of one link. */
export async function checkOne(
  check: CheckDestinations,
  settings: LinkSettings,
  now: number,
): Promise<Noted | Refused> {
  const [noted] = await checkSome(check, [settings], now);
  return noted ?? NOT_NOTED;
}

/** Asks about those of many; answers in their order. */
export async function checkSome(
  check: CheckDestinations,
  links: readonly LinkSettings[],
  now: number,
): Promise<readonly (Noted | Refused)[]> {
  const results = await check(links.map(destinationsOf));
  return links.map((_, at) => {
    const checked = results[at] ?? UNCHECKED;
    return checked.kind === "refused" ? checked : { kind: "noted", note: firstNote(checked.kind, now) };
  });
}
