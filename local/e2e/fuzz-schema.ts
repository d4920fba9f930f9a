/**
 * What the served OpenAPI document says of calls, and values that its schemas allow.
 *
 * @module
 */
import type { Dice } from "../../shared/testing/dice.ts";
import { isRecord, type JsonRecord } from "../../shared/json.ts";

/** One call of the API. */
export interface Call {
  readonly method: string;
  /** With its parameters in braces. */
  readonly path: string;
  readonly parameters: readonly Parameter[];
  /** Of its body by media type; empty: it takes none. */
  readonly bodies: readonly (readonly [string, JsonRecord])[];
}

/** A parameter of a call. */
export interface Parameter {
  readonly name: string;
  readonly in: string;
  readonly schema: JsonRecord;
}

const METHODS = new Set(["get", "post", "put", "patch", "delete"]);

/** Every call of a document, schemas resolved where they stand. */
export function callsOf(document: unknown): Call[] {
  const paths = recordAt(document, "paths");
  return Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(isRecord(item) ? item : {})
      .filter(([method]) => METHODS.has(method))
      .map(([method, operation]) => ({
        method: method.toUpperCase(),
        path,
        parameters: listAt(operation, "parameters").map((parameter) => ({
          name: String(valueAt(parameter, "name")),
          in: String(valueAt(parameter, "in")),
          schema: resolve(document, recordAt(parameter, "schema")),
        })),
        bodies: Object.entries(recordAt(valueAt(operation, "requestBody"), "content")).map(
          ([type, media]) => [type, resolve(document, recordAt(media, "schema"))] as const,
        ),
      })),
  );
}

/** The value of a name that fields often have, where a service would refuse what merely has the right type. */
export type Named = (name: string, dice: Dice) => unknown;

/** A value that a schema allows; `named` knows better for some names. */
export function valueOf(document: unknown, schema: JsonRecord, name: string, named: Named, dice: Dice): unknown {
  const known = named(name, dice);
  if (known !== undefined) return known;
  const whole = resolve(document, schema);
  const [choice, ...choices] = [...listAt(whole, "anyOf"), ...listAt(whole, "oneOf")].filter((one) => isRecord(one));
  if (choice !== undefined) return valueOf(document, dice.pick([choice, ...choices]), name, named, dice);
  if (whole["const"] !== undefined) return whole["const"];
  const [option, ...options] = listAt(whole, "enum");
  if (option !== undefined) return dice.pick([option, ...options]);
  const { type } = whole;
  const [first = "object", ...rest] = Array.isArray(type) ? type.map(String) : [String(type)];
  return typed(document, whole, dice.below(8) === 0 ? dice.pick([first, ...rest]) : first, { name, named, dice });
}

interface Making {
  readonly name: string;
  readonly named: Named;
  readonly dice: Dice;
}

function typed(document: unknown, schema: JsonRecord, type: string, making: Making): unknown {
  const { name, named, dice } = making;
  switch (type) {
    case "null":
      return null;
    case "boolean":
      return dice.below(2) === 0;
    case "integer":
    case "number": {
      const [least, most] = [Number(schema["minimum"] ?? 0), Number(schema["maximum"] ?? 1000)];
      return dice.pick([least, most, least + dice.below(Math.min(most - least, 20) + 1)]);
    }
    case "array": {
      const count = dice.below(name === "" ? 12 : 4);
      return Array.from({ length: count }, () => valueOf(document, recordAt(schema, "items"), name, named, dice));
    }
    case "string":
      return schema["format"] === "date-time" ? timeSomewhere(dice) : `${name}-${dice.below(50)}`;
    default: {
      const required = new Set(listAt(schema, "required"));
      const fields = Object.entries(recordAt(schema, "properties")).filter(
        ([key]) => required.has(key) || dice.below(4) === 0,
      );
      return Object.fromEntries(
        fields.map(([key, field]) => [key, valueOf(document, isRecord(field) ? field : {}, key, named, dice)]),
      );
    }
  }
}

/** A time around the runs of these tests: as often gone as ahead. */
export function timeSomewhere(dice: Dice): string {
  return new Date(Date.UTC(2026, 0, 1) + dice.below(2 ** 20) * 60_000).toISOString();
}

function resolve(document: unknown, schema: JsonRecord): JsonRecord {
  const reference = schema["$ref"];
  if (typeof reference === "string") {
    const found = reference.slice(2).split("/").reduce(valueAt, document);
    return isRecord(found) ? resolve(document, found) : {};
  }
  const parts = listAt(schema, "allOf").map((part) => (isRecord(part) ? resolve(document, part) : {}));
  if (parts.length === 0) return schema;
  return {
    ...Object.assign({}, ...parts),
    ...schema,
    properties: Object.assign({}, ...parts.map((part) => recordAt(part, "properties")), recordAt(schema, "properties")),
    required: [...parts, schema].flatMap((part) => listAt(part, "required")),
  };
}

function valueAt(value: unknown, name: string): unknown {
  return isRecord(value) ? value[name] : undefined;
}

function recordAt(value: unknown, name: string): JsonRecord {
  const found = valueAt(value, name);
  return isRecord(found) ? found : {};
}

function listAt(value: unknown, name: string): unknown[] {
  const found = valueAt(value, name);
  return Array.isArray(found) ? found : [];
}
