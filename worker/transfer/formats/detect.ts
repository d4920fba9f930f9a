/**
 * Whose file it is, by the names in its header or its first object.
 *
 * @module
 */
import { anyCsv } from "./any-csv.ts";
import { bitly } from "./bitly.ts";
import { dub } from "./dub.ts";
import type { Format } from "./fields.ts";
import { nameKey } from "./fields.ts";
import type { FormatName } from "./format.ts";
import { hop } from "./hop.ts";
import { kutt } from "./kutt.ts";
import { shlink } from "./shlink.ts";
import { yourls } from "./yourls.ts";

/** In the order in which they are tried. */
const FORMATS: readonly Format[] = [hop, bitly, shlink, dub, yourls, kutt, anyCsv];

/** The format that knows these names, or undefined. Given a format, that one if the names have a destination of it. */
export function formatOf(names: readonly string[], given: FormatName | undefined): Format | undefined {
  const keys = new Set(names.map(nameKey));
  if (given === undefined) return FORMATS.find((format) => format.knows(keys));
  return FORMATS.find(
    ({ name, destination }) => name === given && destination.some((column) => keys.has(nameKey(column))),
  );
}
