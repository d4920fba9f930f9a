/**
 * The kinds of text and time that requests carry, as schemas.
 *
 * @module
 */
import { z } from "@hono/zod-openapi";

/** Text that every store takes: no control characters but line breaks and tabs, no lone surrogates; 1 to `max` UTF-16 units. */
export function text(max: number) {
  return (
    z
      .string()
      .min(1)
      .max(max)
      .refine((value) => value.isWellFormed(), "holds half a surrogate pair, which is no character")
      // oxlint-disable-next-line no-control-regex -- control characters are what it looks for
      .refine((value) => !/[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f]/.test(value), "holds a control character")
  );
}

/** 1970 to 9999: what RFC 3339 can write in UTC, and what every store takes. */
const TIME_MAX = Date.UTC(9999, 11, 31, 23, 59, 59, 999);

/** An RFC 3339 time with any offset, as epoch milliseconds. */
export const time = z.iso
  .datetime({
    offset: true,
    error: "takes an RFC 3339 time, such as 2026-12-01T08:00:00Z or 2026-12-01T09:00:00+01:00",
  })
  .transform((value) => Date.parse(value))
  .refine((at) => at >= 0 && at <= TIME_MAX, "takes a time between the years 1970 and 9999")
  .openapi({ type: "string", format: "date-time" });

/** The same, or null; a schema that says its type itself has to say this as well. */
export const timeOrNull = time.nullable().openapi({ type: ["string", "null"], format: "date-time" });

/** The form in which times are answered: UTC with milliseconds. */
export const timeShown = z.string().openapi({ format: "date-time", example: "2026-12-01T08:00:00.000Z" });

/** A destination as written; the URL policy judges it afterwards, with reasons of its own. */
export const url = z.string({ error: (issue) => (issue.input === undefined ? "is required" : "takes a URL as text") });
