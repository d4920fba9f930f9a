/**
 * JSON Lines: an object a line. A line that is a list of objects, or an answer of a service's API with such a list in it,
 * counts as its objects, so that `curl` and `jq -c` need no more between them.
 *
 * @module
 */
import { isRecord, type JsonRecord, parseJson } from "../../../shared/json.ts";
import { type Line, ROW_MAX_BYTES } from "./lines.ts";

/** Objects of a list: who goes on with a file goes on with a line, so one must not hold too many. No service's page has more. */
const MAX_LIST = 1000;

/** One object, or why a line gives none. */
export type JsonRow =
  | { readonly kind: "object"; readonly line: number; readonly object: JsonRecord }
  | { readonly kind: "broken"; readonly line: number; readonly message: string };

/** The objects of a line; none for an empty one. */
export function objectsOf({ number, text, fault }: Line): readonly JsonRow[] {
  const broken = (message: string): readonly JsonRow[] => [{ kind: "broken", line: number, message }];
  if (fault === "length") return broken(`The line is longer than ${ROW_MAX_BYTES} bytes.`);
  if (fault === "encoding") return broken("The line is not UTF-8 text.");
  if (text.trim() === "") return [];
  const value = parseJson(text);
  if (value === undefined) return broken("The line is no JSON. Each line holds one whole object.");
  const list = listIn(value);
  if (list.length > MAX_LIST) {
    return broken(`The line is a list of more than ${MAX_LIST} objects. Give each a line: jq -c '.[]' file.json`);
  }
  return list.map((object) =>
    isRecord(object)
      ? { kind: "object", line: number, object }
      : { kind: "broken", line: number, message: "The line holds something that is no object." },
  );
}

/** `links` is Hop's and Bitly's list, `shortUrls.data` is Shlink's, `data` Kutt's; Dub answers a bare list. */
function listIn(value: unknown): readonly unknown[] {
  if (Array.isArray(value)) return value;
  if (!isRecord(value)) return [value];
  const { links, data, shortUrls } = value;
  if (Array.isArray(links)) return links;
  if (Array.isArray(data)) return data;
  if (isRecord(shortUrls) && Array.isArray(shortUrls["data"])) return shortUrls["data"];
  return [value];
}
