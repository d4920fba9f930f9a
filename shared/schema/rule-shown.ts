/**
 * Makes what an answer shows of a rule.
 *
 * @module
 */
import type { Rule, Split } from "../rules.ts";
import type { RuleShown } from "./rules.ts";

/** A rule as an answer shows it. */
export function showRule(rule: Rule): RuleShown {
  if ("split" in rule) return showSplit(rule);
  const { country, device, language, after, before } = rule.if;
  return {
    if: {
      ...(country !== undefined && { country: [...country] }),
      ...(device !== undefined && { device: [...device] }),
      ...(language !== undefined && { language: [...language] }),
      ...(after !== undefined && { after: new Date(after).toISOString() }),
      ...(before !== undefined && { before: new Date(before).toISOString() }),
    },
    then: "split" in rule.then ? showSplit(rule.then) : { longUrl: rule.then.longUrl },
  };
}

function showSplit({ split }: Split) {
  return { split: split.map(({ longUrl, weight }) => ({ longUrl, weight })) };
}
