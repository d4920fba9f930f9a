/**
 * Every place that a link can send a visitor to. Whoever judges, checks or compares destinations comes here, so that a setting that
 * brings more of them is known to all.
 *
 * @module
 */
import type { LinkSettings } from "./link.ts";
import { mapRules } from "./rules.ts";

/** One of a link's destinations. */
export interface Destination {
  /** Where it stands among the settings, as an API's caller names it: `longUrl`, `rules.2.then.longUrl`. */
  readonly path: string;
  readonly url: string;
}

/** The settings with each destination replaced by what `change` answers for it, in the order of the settings. */
export function mapDestinations(settings: LinkSettings, change: (destination: Destination) => string): LinkSettings {
  const longUrl = change({ path: "longUrl", url: settings.longUrl });
  const expiredUrl = settings.expiredUrl === null ? null : change({ path: "expiredUrl", url: settings.expiredUrl });
  const rules = mapRules(settings.rules, (url, path) => change({ path: `rules.${path}`, url }));
  return { ...settings, longUrl, expiredUrl, rules };
}

/** All destinations, the one that most visitors see first. */
export function destinationsOf(settings: LinkSettings): readonly Destination[] {
  const found: Destination[] = [];
  mapDestinations(settings, (destination) => {
    found.push(destination);
    return destination.url;
  });
  return found;
}

/** Whether a change of settings leads somewhere new: to a URL that was not among the destinations, or anywhere again after none. */
export function leadsElsewhere(before: LinkSettings, after: LinkSettings): boolean {
  if (before.disabled && !after.disabled) return true;
  const known = new Set(destinationsOf(before).map(({ url }) => url));
  return destinationsOf(after).some(({ url }) => !known.has(url));
}
