/**
 * Rules that give a link's visitors different destinations: what they are, how far they may go, and how their stored form is read.
 * Whom they fit is in `rule-match.ts`.
 *
 * @module
 */
import { isRecord, type JsonRecord } from "./json.ts";

/** The rules of one link. Stored ones have passed them: a bound may be raised, never lowered. */
export const MAX_RULES = 50;
/** Destinations of one split. */
export const MAX_ARMS = 10;
/** Of one destination of a split; a hundredth of a percent is the finest share. */
export const MAX_WEIGHT = 10_000;
/** Values of one condition: every country fits. */
export const MAX_VALUES = 250;
/**
 * Bytes of all rules of a link as JSON, in their stored form: they are in each cached entry, and a change of them in one message of the
 * queue. A destination may take half of it.
 */
export const MAX_RULES_BYTES = 16 * 1024;

/** The devices that a condition can name; what each means is in `device.ts`. */
export const DEVICE_KINDS = ["ios", "android", "mobile", "tablet", "desktop"] as const;
/** One of {@link DEVICE_KINDS}. */
export type DeviceKind = (typeof DEVICE_KINDS)[number];

/** What must hold of a visitor, all of it; of a list one value is enough. Nothing named: everybody. */
export interface Conditions {
  /** ISO 3166-1, two letters in upper case. */
  readonly country?: readonly string[];
  readonly device?: readonly DeviceKind[];
  /** Language tags (BCP 47), such as `fr` or `pt-BR`. */
  readonly language?: readonly string[];
  /** Epoch milliseconds: from this one on. */
  readonly after?: number;
  /** Epoch milliseconds: up to this one, which is no longer in. */
  readonly before?: number;
}

/** One destination of a split. */
export interface Arm {
  readonly longUrl: string;
  /** Its share is its weight divided by the sum of all; a whole number from 1 to {@link MAX_WEIGHT}. */
  readonly weight: number;
}

/** Destinations that share the visitors. */
export interface Split {
  readonly split: readonly [Arm, ...Arm[]];
}

/** Where a rule leads. */
export type Outcome = { readonly longUrl: string } | Split;

/** A rule for whom its conditions fit, or one that divides all who come to it. */
export type Rule = { readonly if: Conditions; readonly then: Outcome } | Split;

/** What most links have. One list for all, so that reading an entry makes none. */
export const NO_RULES: readonly Rule[] = Object.freeze([]);

/** A tag as `Accept-Language` has it (RFC 9110, section 12.5.4). */
export const LANGUAGE_TAG = /^[a-z]{2,8}(?:-[a-z0-9]{1,8})*$/i;

/**
 * Reads rules that were stored, or undefined when one of them is not understood whole: a condition that a later version added must not be
 * passed over, since the rule would fit more visitors than its owner said. `urlOf` gives the form of a destination that may be used, or
 * undefined for one that may not. The keys come out in one order, whatever the store made of them.
 */
export function readRules(value: unknown, urlOf: (text: string) => string | undefined): readonly Rule[] | undefined {
  const rules = readList(value, MAX_RULES, (item) => readRule(item, urlOf));
  return rules?.length === 0 ? NO_RULES : rules;
}

/** The same rules with every destination as `change` gives it; it is told where each stands, such as `0.then.longUrl`. */
export function mapRules(rules: readonly Rule[], change: (url: string, path: string) => string): readonly Rule[] {
  return rules.map((rule, at) => {
    if ("split" in rule) return mapSplit(rule, `${at}`, change);
    const { if: conditions, then } = rule;
    if ("split" in then) return { if: conditions, then: mapSplit(then, `${at}.then`, change) };
    return { if: conditions, then: { longUrl: change(then.longUrl, `${at}.then.longUrl`) } };
  });
}

/** Where a split has a destination for the second time, such as `1.split.2.longUrl`: each has one share. */
export function repeatedArm(rules: readonly Rule[]): string | undefined {
  let repeated: string | undefined;
  const seen = new Set<string>();
  mapRules(rules, (url, path) => {
    const ofSplit = /^(.*split)\.\d+\.longUrl$/.exec(path)?.[1];
    const name = `${ofSplit} ${url}`;
    if (ofSplit !== undefined && seen.has(name)) repeated ??= path;
    seen.add(name);
    return url;
  });
  return repeated;
}

function mapSplit({ split: [first, ...others] }: Split, path: string, change: (url: string, path: string) => string) {
  const mapArm = ({ longUrl, weight }: Arm, at: number): Arm => ({
    longUrl: change(longUrl, `${path}.split.${at}.longUrl`),
    weight,
  });
  return { split: [mapArm(first, 0), ...others.map((arm, at) => mapArm(arm, at + 1))] } satisfies Split;
}

function readRule(value: unknown, urlOf: (text: string) => string | undefined): Rule | undefined {
  if (!isRecord(value)) return undefined;
  if ("split" in value) return readSplit(value, urlOf);
  const { if: asked, then: outcome } = value;
  if (!hasOnly(value, RULE_KEYS) || !isRecord(outcome)) return undefined;
  const conditions = readConditions(asked);
  const then = "split" in outcome ? readSplit(outcome, urlOf) : readTarget(outcome, urlOf);
  return conditions === undefined || then === undefined ? undefined : { if: conditions, then };
}

function readTarget(value: JsonRecord, urlOf: (text: string) => string | undefined): Outcome | undefined {
  const longUrl = hasOnly(value, TARGET_KEYS) ? readUrl(value["longUrl"], urlOf) : undefined;
  return longUrl === undefined ? undefined : { longUrl };
}

function readSplit(value: JsonRecord, urlOf: (text: string) => string | undefined): Split | undefined {
  if (!hasOnly(value, SPLIT_KEYS)) return undefined;
  const [first, ...others] = readList(value["split"], MAX_ARMS, (item) => readArm(item, urlOf)) ?? [];
  return first === undefined ? undefined : { split: [first, ...others] };
}

function readArm(value: unknown, urlOf: (text: string) => string | undefined): Arm | undefined {
  if (!isRecord(value) || !hasOnly(value, ARM_KEYS)) return undefined;
  const longUrl = readUrl(value["longUrl"], urlOf);
  const weight = value["weight"];
  if (longUrl === undefined || typeof weight !== "number") return undefined;
  return Number.isInteger(weight) && weight >= 1 && weight <= MAX_WEIGHT ? { longUrl, weight } : undefined;
}

function readUrl(value: unknown, urlOf: (text: string) => string | undefined): string | undefined {
  return typeof value === "string" ? urlOf(value) : undefined;
}

function readConditions(value: unknown): Conditions | undefined {
  if (!isRecord(value) || !hasOnly(value, CONDITION_KEYS)) return undefined;
  const { country, device, language, after, before } = value;
  const countries = readValues(country, (item) => (/^[A-Z]{2}$/.test(item) ? item : undefined));
  const devices = readValues(device, (item) => DEVICE_KINDS.find((kind) => kind === item));
  const languages = readValues(language, (item) => (LANGUAGE_TAG.test(item) ? item : undefined));
  if (countries === undefined || devices === undefined || languages === undefined) return undefined;
  if (!isTimeOrNone(after) || !isTimeOrNone(before)) return undefined;
  return {
    ...(countries !== null && { country: countries }),
    ...(devices !== null && { device: devices }),
    ...(languages !== null && { language: languages }),
    ...(after !== undefined && { after }),
    ...(before !== undefined && { before }),
  };
}

/** The values of a condition; null where it is not named, undefined where it is not understood. */
function readValues<Value>(
  value: unknown,
  read: (item: string) => Value | undefined,
): readonly Value[] | null | undefined {
  if (value === undefined) return null;
  const values = readList(value, MAX_VALUES, (item) => (typeof item === "string" ? read(item) : undefined));
  return values?.length === 0 ? undefined : values;
}

/** Undefined for what is no list, is too long, or has an item that cannot be read. */
function readList<Item>(
  value: unknown,
  most: number,
  read: (item: unknown) => Item | undefined,
): readonly Item[] | undefined {
  if (!Array.isArray(value) || value.length > most) return undefined;
  const items: Item[] = [];
  for (const unread of value) {
    const item = read(unread);
    if (item === undefined) return undefined;
    items.push(item);
  }
  return items;
}

const RULE_KEYS: ReadonlySet<string> = new Set(["if", "then"]);
const TARGET_KEYS: ReadonlySet<string> = new Set(["longUrl"]);
const SPLIT_KEYS: ReadonlySet<string> = new Set(["split"]);
const ARM_KEYS: ReadonlySet<string> = new Set(["longUrl", "weight"]);
const CONDITION_KEYS: ReadonlySet<string> = new Set(["country", "device", "language", "after", "before"]);

function hasOnly(value: JsonRecord, keys: ReadonlySet<string>): boolean {
  return Object.keys(value).every((key) => keys.has(key));
}

function isTimeOrNone(value: unknown): value is number | undefined {
  return value === undefined || (typeof value === "number" && Number.isFinite(value));
}
