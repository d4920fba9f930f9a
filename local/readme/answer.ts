/**
 * Whether a command answered what a document shows. In what is shown, `…` stands for what differs from run to run or is left
 * out: within a line for any text, as a line of its own for any lines, as a JSON value for any value, and as the name of a
 * JSON field for all further fields. White space in JSON does not count.
 *
 * @module
 */
import { isRecord, type JsonRecord, parseJson } from "../../shared/json.ts";

const ANY = "…";

/** What a block may show. */
type Compare = (shown: string, real: string) => string | undefined;

const COMPARERS: Readonly<Record<string, Compare>> = { text: compareText, json: compareJson, http: compareHttp };

/**
 * The difference between what is shown and what came, in words, or undefined when there is none. `language` is that of the
 * block: `text`, `json`, or `http` for a status line, headers in any order, and perhaps a body. Throws for another language.
 */
export function differenceOf(language: string, shown: string, real: string): string | undefined {
  const compare = COMPARERS[language];
  if (compare === undefined) throw new Error(`An answer is shown as text, json or http, not as "${language}".`);
  return compare(shown, real);
}

function compareText(shown: string, real: string): string | undefined {
  const text = `${real.replaceAll("\r\n", "\n").trimEnd()}\n`;
  const lines = shown.trimEnd().split("\n");
  const pattern = lines.map((line) => (line.trim() === ANY ? "(?:.*\\n)*?" : `${patternOf(line)}\\n`)).join("");
  return new RegExp(`^${pattern}$`).test(text) ? undefined : `It answered:\n${text}`;
}

function compareJson(shown: string, real: string): string | undefined {
  const expected = parseJson(shown);
  if (expected === undefined) return "What is shown is not JSON.";
  const given = parseJson(real);
  if (given === undefined) return `It did not answer JSON:\n${real}`;
  const difference = differenceAt("", expected, given);
  return difference === undefined ? undefined : `${difference}\nIt answered:\n${JSON.stringify(given, null, 2)}`;
}

function compareHttp(shown: string, real: string): string | undefined {
  const [shownHead, shownBody] = splitHttp(shown);
  const [head, body] = splitHttp(real);
  const answered = `It answered:\n${head}`;
  const [shownStatus = "", ...shownHeaders] = shownHead.split("\n");
  const [status = "", ...headers] = head.split("\n");
  if (!matchesLine(shownStatus, status)) return answered;

  const left = [...headers];
  for (const header of shownHeaders.filter((line) => line !== ANY)) {
    const at = left.findIndex((line) => matchesHeader(header, line));
    if (at === -1) return `The header "${header}" is not there. ${answered}`;
    left.splice(at, 1);
  }
  if (left.length > 0 && !shownHeaders.includes(ANY)) return `The header "${left[0]}" is not shown. ${answered}`;
  return parseJson(shownBody) === undefined ? compareText(shownBody, body) : compareJson(shownBody, body);
}

function splitHttp(message: string): [head: string, body: string] {
  const text = message.replaceAll("\r\n", "\n");
  const end = text.indexOf("\n\n");
  return end === -1 ? [text.trimEnd(), ""] : [text.slice(0, end), text.slice(end + 2)];
}

/** Names of headers are compared without regard to case. */
function matchesHeader(shown: string, real: string): boolean {
  const [name = "", ...value] = shown.split(":");
  const [realName = "", ...realValue] = real.split(":");
  return name.toLowerCase() === realName.toLowerCase() && matchesLine(value.join(":"), realValue.join(":"));
}

function differenceAt(path: string, shown: unknown, real: unknown): string | undefined {
  if (typeof shown === "string" && typeof real === "string" && matchesLine(shown, real)) return undefined;
  if (shown === ANY) return undefined;
  if (Array.isArray(shown) && Array.isArray(real)) return differenceInList(path, shown, real);
  if (isRecord(shown) && isRecord(real)) return differenceInObject(path, shown, real);
  if (shown === real) return undefined;
  return `${path === "" ? "The value" : path} is ${JSON.stringify(real)}, not ${JSON.stringify(shown)}.`;
}

function differenceInList(path: string, shown: readonly unknown[], real: readonly unknown[]): string | undefined {
  if (shown.length !== real.length) return `${path} has ${real.length} items, not ${shown.length}.`;
  return first(shown.map((item, index) => differenceAt(`${path}[${index}]`, item, real[index])));
}

function differenceInObject(path: string, shown: JsonRecord, real: JsonRecord): string | undefined {
  const { [ANY]: rest, ...fields } = shown;
  const surplus = Object.keys(real).find((name) => !Object.hasOwn(fields, name));
  if (surplus !== undefined && rest === undefined) return `${path}.${surplus} is not shown.`;
  return first(
    Object.entries(fields).map(([name, value]) =>
      Object.hasOwn(real, name) ? differenceAt(`${path}.${name}`, value, real[name]) : `${path}.${name} is not there.`,
    ),
  );
}

function first(differences: readonly (string | undefined)[]): string | undefined {
  return differences.find((difference) => difference !== undefined);
}

function matchesLine(shown: string, real: string): boolean {
  return new RegExp(`^${patternOf(shown)}$`, "s").test(real);
}

function patternOf(shown: string): string {
  return shown.split(ANY).map(escaped).join(".*");
}

function escaped(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`);
}
