/**
 * What the statistics refuse to answer, in words.
 *
 * @module
 */
import { Refusal } from "../http/problem.ts";

/** A parameter that cannot be used. */
export function refused(path: string, message: string): Refusal {
  return new Refusal("invalid_request", message, { errors: [{ path, message }] });
}

/** The period ends before it begins. */
export function reversed(): Refusal {
  return refused("to", "The period ends before it begins: `to` is earlier than `from`.");
}

/** Nobody knows the time zone. */
export function unknownZone(name: string): Refusal {
  return refused("timezone", `The time zone "${name}" is not known.`);
}
