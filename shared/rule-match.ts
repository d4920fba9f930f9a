/**
 * Whom a rule fits, and so where a visitor goes.
 *
 * @module
 */
import { devicesOf } from "./device.ts";
import { isOfLanguage, preferredLanguages } from "./language.ts";
import type { Conditions, DeviceKind, Rule, Split } from "./rules.ts";
import { armOf, visitorOf } from "./split.ts";

/** What rules ask of a visitor. Each is read only when a rule asks for it. */
export interface RuleVisitor {
  /** Epoch milliseconds of the visit. */
  readonly now: number;
  /** ISO 3166-1 in upper case; null when it is not known, which no country fits. */
  readonly country: string | null;
  readonly userAgent: string | null;
  /** `Accept-Language`. */
  readonly acceptLanguage: string | null;
  /** The client's address. */
  readonly address: string | null;
}

/** Where the first rule that fits leads, or null when none does. */
export function destinationFor(rules: readonly Rule[], linkId: string, visitor: RuleVisitor): string | null {
  const traits = new Traits(visitor);
  for (const rule of rules) {
    if ("split" in rule) return drawn(rule, linkId, visitor);
    if (!fits(rule.if, traits)) continue;
    return "split" in rule.then ? drawn(rule.then, linkId, visitor) : rule.then.longUrl;
  }
  return null;
}

function drawn(split: Split, linkId: string, { address, userAgent }: RuleVisitor): string {
  return armOf(split, visitorOf(linkId, address, userAgent)).longUrl;
}

/** The cheapest first. */
function fits({ after, before, country, device, language }: Conditions, traits: Traits): boolean {
  const { now } = traits.visitor;
  if (after !== undefined && now < after) return false;
  if (before !== undefined && now >= before) return false;
  if (country !== undefined && !isAmong(traits.visitor.country, country)) return false;
  if (device !== undefined && !device.some((kind) => traits.devices.includes(kind))) return false;
  return language === undefined || language.some((range) => traits.languages.some((tag) => isOfLanguage(tag, range)));
}

function isAmong(value: string | null, values: readonly string[]): boolean {
  return value !== null && values.includes(value);
}

/** What must be worked out, once for all rules. */
class Traits {
  readonly visitor: RuleVisitor;
  #devices: readonly DeviceKind[] | undefined;
  #languages: readonly string[] | undefined;

  constructor(visitor: RuleVisitor) {
    this.visitor = visitor;
  }

  get devices(): readonly DeviceKind[] {
    this.#devices ??= devicesOf(this.visitor.userAgent);
    return this.#devices;
  }

  get languages(): readonly string[] {
    this.#languages ??= preferredLanguages(this.visitor.acceptLanguage);
    return this.#languages;
  }
}
