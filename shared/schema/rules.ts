/**
 * Destination rules as requests write them and answers show them.
 *
 * @module
 */
import { z } from "@hono/zod-openapi";
import {
  type Conditions,
  DEVICE_KINDS,
  LANGUAGE_TAG,
  MAX_ARMS,
  MAX_RULES,
  MAX_VALUES,
  MAX_WEIGHT,
  type Outcome,
  type Rule,
  type Split,
} from "../rules.ts";
import { time, timeShown, url } from "./text.ts";

/** ISO 3166-1 (alpha-2), as of 2026. */
const ISO_COUNTRIES =
  "AD AE AF AG AI AL AM AO AQ AR AS AT AU AW AX AZ BA BB BD BE BF BG BH BI BJ BL BM BN BO BQ BR BS BT BV BW BY BZ CA CC CD CF CG CH CI CK CL CM CN " +
  "CO CR CU CV CW CX CY CZ DE DJ DK DM DO DZ EC EE EG EH ER ES ET FI FJ FK FM FO FR GA GB GD GE GF GG GH GI GL GM GN GP GQ GR GS GT GU GW GY HK HM " +
  "HN HR HT HU ID IE IL IM IN IO IQ IR IS IT JE JM JO JP KE KG KH KI KM KN KP KR KW KY KZ LA LB LC LI LK LR LS LT LU LV LY MA MC MD ME MF MG MH MK " +
  "ML MM MN MO MP MQ MR MS MT MU MV MW MX MY MZ NA NC NE NF NG NI NL NO NP NR NU NZ OM PA PE PF PG PH PK PL PM PN PR PS PT PW PY QA RE RO RS RU RW " +
  "SA SB SC SD SE SG SH SI SJ SK SL SM SN SO SR SS ST SV SX SY SZ TC TD TF TG TH TJ TK TL TM TN TO TR TT TV TW TZ UA UG UM US UY UZ VA VC VE VG VI " +
  "VN VU WF WS YE YT ZA ZM ZW";
/** Kosovo has no code of ISO's; Cloudflare, as others do, calls it XK. */
const COUNTRIES: ReadonlySet<string> = new Set([...ISO_COUNTRIES.split(" "), "XK"]);

/** The length that BCP 47 (4.4.1) asks everybody to be ready for. */
const MAX_LANGUAGE_CHARACTERS = 35;

const country = z
  .string()
  .transform((value) => value.toUpperCase())
  .refine(
    (value) => COUNTRIES.has(value),
    "takes a country in two letters of ISO 3166-1, such as DE, or GB for the United Kingdom",
  );

const language = z
  .string()
  .max(MAX_LANGUAGE_CHARACTERS)
  .regex(LANGUAGE_TAG, "takes a language tag, such as fr or pt-BR")
  .transform(writtenAsUsual);

const conditions = z
  .strictObject({
    country: valuesOf(country).optional(),
    device: valuesOf(z.enum(DEVICE_KINDS)).optional(),
    language: valuesOf(language).optional(),
    after: time.optional(),
    before: time.optional(),
  })
  .refine(({ after, before }) => after === undefined || before === undefined || after < before, {
    path: ["before"],
    error: "must be later than after: the rule would fit nobody",
  })
  .transform(({ country: countries, device: devices, language: languages, after, before }): Conditions => ({
    ...(countries !== undefined && { country: countries }),
    ...(devices !== undefined && { device: devices }),
    ...(languages !== undefined && { language: languages }),
    ...(after !== undefined && { after }),
    ...(before !== undefined && { before }),
  }));

const arm = z.strictObject({ longUrl: url, weight: z.int().min(1).max(MAX_WEIGHT) });

const split = z
  .array(arm)
  .min(1)
  .max(MAX_ARMS)
  .transform(([first, ...others], context): Split["split"] => {
    if (first !== undefined) return [first, ...others];
    context.addIssue({ code: "custom", message: "is empty" });
    return z.NEVER;
  });

const outcome = z
  .strictObject({ longUrl: url.optional(), split: split.optional() })
  .transform((value, context): Outcome => {
    const { longUrl, split: arms } = value;
    if (longUrl !== undefined && arms === undefined) return { longUrl };
    if (longUrl === undefined && arms !== undefined) return { split: arms };
    const error =
      longUrl === undefined
        ? { path: ["longUrl"], message: "is required, or a split" }
        : { path: ["split"], message: "cannot stand beside longUrl" };
    context.addIssue({ code: "custom", ...error });
    return z.NEVER;
  });

const rule = z
  .strictObject({ if: conditions.optional(), then: outcome.optional(), split: split.optional() })
  .transform((value, context): Rule => {
    const { if: asked, then, split: arms } = value;
    if (arms !== undefined && asked === undefined && then === undefined) return { split: arms };
    if (arms === undefined && asked !== undefined && then !== undefined) return { if: asked, then };
    const [path, message] =
      arms !== undefined
        ? ["split", "stands alone, or in then where there are conditions"]
        : asked === undefined && then === undefined
          ? ["if", "and then are required, or a split alone"]
          : asked === undefined
            ? ["if", "is required; {} fits everybody"]
            : ["then", "is required"];
    context.addIssue({ code: "custom", path: [path], message });
    return z.NEVER;
  });

/** The rules as they are set; null for none. */
export const rules = z
  .array(rule)
  .max(MAX_RULES)
  .nullable()
  .openapi({
    type: ["array", "null"],
    maxItems: MAX_RULES,
    items: { $ref: "#/components/schemas/Rule" },
    description: "The first rule that fits a visitor gives the destination; where none does, it is `longUrl`.",
  });

const splitShown = z
  .object({
    split: z
      .array(
        z.object({
          longUrl: z.string(),
          weight: z.number().int().min(1).max(MAX_WEIGHT).openapi({
            description: "The share is the weight divided by the sum of all weights.",
          }),
        }),
      )
      .min(1)
      .max(MAX_ARMS)
      .openapi({ description: "Each destination once. A visitor gets the same one each time." }),
  })
  .openapi("Split");

const conditionsShown = z
  .object({
    country: z
      .array(z.string().openapi({ example: "DE" }))
      .optional()
      .openapi({
        description: "ISO 3166-1, two letters. Who comes from nowhere known fits none.",
      }),
    device: z.array(z.enum(DEVICE_KINDS)).optional().openapi({
      description:
        "`mobile` is a phone of any system; `ios` and `android` have tablets too. A phone or tablet is no `desktop`.",
    }),
    language: z
      .array(z.string().openapi({ example: "pt-BR" }))
      .optional()
      .openapi({
        description: "What the visitor prefers, by `Accept-Language`. `fr` fits `fr-CA` too.",
      }),
    after: timeShown.optional().openapi({ description: "From this moment on." }),
    before: timeShown.optional().openapi({ description: "Up to this moment, which is not in." }),
  })
  .openapi("Conditions", {
    description: "All that is named must hold; of a list one value is enough. `{}` fits everybody.",
  });

/** A rule as it is shown. */
export const ruleShown = z
  .union([
    z.object({ if: conditionsShown, then: z.union([z.object({ longUrl: z.string() }), splitShown]) }),
    splitShown,
  ])
  .openapi("Rule");

/** A rule as JSON. */
export type RuleShown = z.input<typeof ruleShown>;

/** A list with something in it, each value once. */
function valuesOf<Value>(schema: z.ZodType<Value>) {
  return z
    .array(schema)
    .min(1)
    .max(MAX_VALUES)
    .transform((values) => [...new Set(values)]);
}

/** Subtags in the case of RFC 5646 (2.1.1): `pt-BR`, `zh-Hant`. Matching ignores it. */
function writtenAsUsual(tag: string): string {
  return tag
    .toLowerCase()
    .split("-")
    .map((part, at) => {
      if (at > 0 && part.length === 2) return part.toUpperCase();
      return at > 0 && /^[a-z]{4}$/.test(part) ? `${part.slice(0, 1).toUpperCase()}${part.slice(1)}` : part;
    })
    .join("-");
}
