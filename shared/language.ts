/**
 * Which language a visitor wants most, by `Accept-Language` (RFC 9110, section 12.5.4).
 *
 * @module
 */
import { LANGUAGE_TAG } from "./rules.ts";

/** Browsers send five or so. */
const MAX_READ = 50;
/** A quality as the standard writes it, from 0 to 1. */
const QUALITY = /^q=(0(?:\.\d{0,3})?|1(?:\.0{0,3})?)$/;

/**
 * The tags with the highest quality, in lower case: one for nearly everybody, and more where several are wanted equally. What is merely
 * accepted as well is left out: nearly every browser accepts English at last, and a page in the visitor's own language is what a rule is for.
 * `*`, quality 0 and nonsense name no language.
 */
export function preferredLanguages(header: string | null): readonly string[] {
  let highest = 0;
  let tags: string[] = [];
  for (const item of (header ?? "").toLowerCase().split(",", MAX_READ)) {
    const [tag = "", weight = "q=1"] = item.split(";").map((part) => part.trim());
    const quality = Number(QUALITY.exec(weight.replace(/\s/g, ""))?.[1] ?? 0);
    if (quality === 0 || quality < highest || !LANGUAGE_TAG.test(tag)) continue;
    if (quality > highest) tags = [];
    highest = quality;
    tags.push(tag);
  }
  return tags;
}

/** Whether a tag in lower case is of a range: `fr` has `fr` and `fr-ca`, `pt-BR` only `pt-br` and what is below it (RFC 4647, 3.3.1). */
export function isOfLanguage(tag: string, range: string): boolean {
  const wanted = range.toLowerCase();
  return tag === wanted || tag.startsWith(`${wanted}-`);
}
