/**
 * The formats of codes as an operator writes them down: what new codes look like, and what older ones looked like, so that
 * they keep working.
 *
 * @module
 */
import { ALPHABET_NAMES, type AlphabetName, type CodeFormat } from "./code.ts";
import { type CipherKey, parseKey } from "./permutation.ts";
import { type Layout, LAYOUT_NAMES, LAYOUTS, shardsProblem } from "./snowflake.ts";

/** The variables, as text; empty where one is not set. */
export interface CodeSettings {
  /** `CODE_LAYOUT`: classic (default) or compact. */
  readonly layout: string;
  /** `CODE_ALPHABET`: safe (default) or base62. */
  readonly alphabet: string;
  /** `CODE_HISTORY`: earlier pairs, such as `classic/base62, classic/safe`, newest first. */
  readonly history: string;
  /** `CODE_KEYS`: keys of 32 hex digits, newest first; `none` for the time without one. Empty: there never was a key. */
  readonly keys: string;
  /** `SEQUENCER_SHARDS` */
  readonly shards: number;
}

/** The formats, newest first, or the variable that cannot be used and why. The message never quotes a key. */
export type ParsedFormats =
  | { readonly ok: true; readonly layout: Layout; readonly formats: readonly CodeFormat[] }
  | { readonly ok: false; readonly variable: string; readonly message: string };

/** The word that stands for codes without a key. */
const NO_KEY = "none";

interface Pair {
  readonly layout: Layout;
  readonly alphabet: AlphabetName;
}

/** Reads the settings. Every pair of layout and alphabet may occur with every key, so all of them are formats. */
export function parseCodeFormats(settings: CodeSettings): ParsedFormats {
  const layout = layoutOf(settings.layout === "" ? LAYOUT_NAMES[0] : settings.layout);
  if (layout === undefined) return refuse("CODE_LAYOUT", `"${settings.layout}" is none of ${LAYOUT_NAMES.join(", ")}.`);
  const alphabet = alphabetOf(settings.alphabet === "" ? ALPHABET_NAMES[0] : settings.alphabet);
  if (alphabet === undefined) {
    return refuse("CODE_ALPHABET", `"${settings.alphabet}" is none of ${ALPHABET_NAMES.join(", ")}.`);
  }

  const pairs: Pair[] = [{ layout, alphabet }];
  for (const text of listOf(settings.history)) {
    const pair = pairOf(text);
    if (pair === undefined) return refuse("CODE_HISTORY", `"${text}" is no pair such as classic/base62.`);
    if (!pairs.some((known) => known.layout === pair.layout && known.alphabet === pair.alphabet)) pairs.push(pair);
  }
  for (const pair of pairs) {
    const problem = shardsProblem(pair.layout, settings.shards);
    if (problem !== undefined) return refuse("SEQUENCER_SHARDS", problem);
  }

  const keys: (CipherKey | undefined)[] = [];
  const texts = listOf(settings.keys);
  if (new Set(texts.map((text) => text.toLowerCase())).size !== texts.length)
    return refuse("CODE_KEYS", "A key stands twice.");
  for (const [index, text] of texts.entries()) {
    const key = text.toLowerCase() === NO_KEY ? undefined : parseKey(text);
    if (key === undefined && text.toLowerCase() !== NO_KEY) {
      return refuse("CODE_KEYS", `Key ${index + 1} is not 32 hex digits. Make one with: openssl rand -hex 16`);
    }
    keys.push(key);
  }
  if (keys.length === 0) keys.push(undefined);
  return { ok: true, layout, formats: pairs.flatMap((pair) => keys.map((key) => ({ ...pair, key }))) };
}

function refuse(variable: string, message: string): ParsedFormats {
  return { ok: false, variable, message };
}

function listOf(text: string): string[] {
  return text.split(",").flatMap((item) => (item.trim() === "" ? [] : [item.trim()]));
}

function pairOf(text: string): Pair | undefined {
  const [layoutName = "", alphabetName = "", ...rest] = text.split("/");
  const layout = layoutOf(layoutName.trim());
  const alphabet = alphabetOf(alphabetName.trim());
  return layout === undefined || alphabet === undefined || rest.length > 0 ? undefined : { layout, alphabet };
}

function layoutOf(name: string): Layout | undefined {
  const known = LAYOUT_NAMES.find((candidate) => candidate === name);
  return known === undefined ? undefined : LAYOUTS[known];
}

function alphabetOf(name: string): AlphabetName | undefined {
  return ALPHABET_NAMES.find((candidate) => candidate === name);
}
