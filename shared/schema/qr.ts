/**
 * What requests say of a link's QR code.
 *
 * @module
 */
import { z } from "@hono/zod-openapi";

/** Pixels: enough for the largest code, and no more than is drawn within the CPU time of a free plan. */
const MIN_SIZE = 64;
const MAX_SIZE = 2048;
/** Modules. */
const MAX_MARGIN = 16;

const COLOR = /^#?(?:[\da-f]{3}|[\da-f]{6})$/i;

/** A colour as six digits behind a `#`. The `#` may be missing: an address needs it as `%23`. */
function sixDigits(color: string): string {
  const digits = color.replace("#", "").toLowerCase();
  return `#${digits.length === 3 ? digits.replaceAll(/./g, "$&$&") : digits}`;
}

const color = z.string().regex(COLOR, "takes a colour of three or six hexadecimal digits, such as 1a2b3c");
const background = z
  .string()
  .refine((value) => value === "transparent" || COLOR.test(value), "takes a colour such as 1a2b3c, or transparent");

/** The query of a QR code. */
export const qrQuery = {
  format: z.enum(["svg", "png"]).default("svg"),
  size: z.coerce
    .number()
    .int()
    .min(MIN_SIZE)
    .max(MAX_SIZE)
    .default(512)
    .openapi({ description: "Width and height in pixels, margins included." }),
  margin: z.coerce.number().int().min(0).max(MAX_MARGIN).default(4).openapi({
    description: "The empty border in modules, the squares of the code. Scanners expect four.",
  }),
  errorCorrection: z.enum(["L", "M", "Q", "H"]).default("M").openapi({
    description: "How much may be dirty or covered: 7, 15, 25 or 30 %.",
  }),
  color: color.default("#000000").transform(sixDigits).openapi({ type: "string", example: "1a2b3c" }),
  background: background
    .default("#ffffff")
    .transform((value) => (value === "transparent" ? value : sixDigits(value)))
    .openapi({ type: "string", example: "transparent" }),
};
