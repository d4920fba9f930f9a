/**
 * Bodies that a schema allows, and what is left of them when something hostile is put in.
 *
 * @module
 */
import type { JsonRecord } from "../../shared/json.ts";
import type { Dice } from "../../shared/testing/dice.ts";
import type { Hostile } from "./fuzz-hostile.ts";
import { type Named, timeSomewhere, valueOf } from "./fuzz-schema.ts";
import type { Making } from "./fuzz-making.ts";

/** What bodies are made with. */
export interface BodyMaking {
  readonly hostile: Hostile;
  readonly named: Named;
  readonly dice: Dice;
}

/** A body: every other one is what the schema allows. */
export function bodyOf(document: unknown, schema: JsonRecord, { hostile, named, dice }: BodyMaking): Buffer {
  const valid = valueOf(document, schema, "", named, dice);
  if (dice.below(2) === 0) return Buffer.from(JSON.stringify(valid) ?? "");
  let text = JSON.stringify(valid) ?? "";
  // Values are replaced in the text, since most that are put there JavaScript could not hold.
  const values = [...text.matchAll(/(?<=[[:,])(?:"(?:[^"\\]|\\.)*"(?!:)|[\d.eE+-]+|true|false|null|\{\}|\[\])/g)];
  const [first, ...others] = values;
  for (let bend = dice.below(3); bend >= 0; bend -= 1) {
    if (first === undefined) break;
    const value = dice.pick([first, ...others]);
    text = text.replace(value[0], () => hostile.json(dice));
  }
  switch (dice.below(16)) {
    case 0:
      text = text.replace("{", () => `{${JSON.stringify(hostile.text(dice))}:${hostile.json(dice)},`);
      break;
    case 1:
      text = text.replace(
        "{",
        () => `{"longUrl":${hostile.json(dice)},"__proto__":{"longUrl":"https://evil.example/"},`,
      );
      break;
    case 2:
      return Buffer.from(text).subarray(0, dice.below(text.length + 1));
    case 3:
      return Buffer.from(hostile.json(dice));
    case 4:
      return Buffer.concat([Buffer.from([0xef, 0xbb, 0xbf]), Buffer.from(text)]);
    case 5:
      return spoilt(Buffer.from(text), dice);
    case 6:
      return Buffer.from(text, "utf16le");
    default:
  }
  return Buffer.from(text);
}

/** With a byte that is no UTF-8, or any other, somewhere. */
function spoilt(bytes: Buffer, dice: Dice): Buffer {
  const at = dice.below(bytes.length);
  const byte = dice.pick([0xff, 0xc0, 0x80, 0xed, 0x00, 0x0a, 0x22, 0x5c]);
  return Buffer.concat([bytes.subarray(0, at), Buffer.from([byte]), bytes.subarray(at + dice.below(2))]);
}

/** Values for names that a service would refuse if they merely had the right type. */
export function createNamed({ hosts, world }: Making): Named {
  return (field, dice) => {
    switch (field) {
      case "longUrl":
      case "expiredUrl":
        return urlFor(dice);
      case "url":
        return `https://hooks.example.com/${dice.below(9)}`;
      case "customCode":
        return dice.pick([nameOf(dice, "c"), nameOf(dice, "ü.x"), `e\u0301${dice.below(99)}`, null]);
      case "externalId":
        return dice.pick([nameOf(dice, "e"), nameOf(dice, "e"), `é/${dice.below(99)}?`, null]);
      case "domain":
        return dice.pick([...hosts, null, null]) ?? hosts[0];
      case "country":
        return dice.pick(["DE", "FR", "US"]);
      case "language":
        return dice.pick(["de", "fr", "pt-BR"]);
      case "timezone":
        return dice.pick(["UTC", "Europe/Berlin", "America/New_York", "Asia/Kathmandu"]);
      case "password":
        return nameOf(dice, "password");
      case "from":
      case "to":
        return dice.pick([timeSomewhere(dice), timeSomewhere(dice).slice(0, 10)]);
      case "cursor":
        return world.some("cursor", dice) ?? "x";
      case "color":
      case "background":
        return dice.pick(["ff0000", "#00ff00", "fff", "transparent"]);
      default:
        return undefined;
    }
  };
}

function nameOf(dice: Dice, stem: string): string {
  return `${stem}-${dice.below(300)}`;
}

function urlFor(dice: Dice): string {
  return dice.pick([
    `https://example.com/${dice.below(60)}`,
    `https://example.com/a%20b/${dice.below(9)}?x=1&x=2&y=%C3%A9#frag`,
    `http://bücher.example/${dice.below(9)}/ü?q=a+b`,
    `HTTPS://Example.ORG:443/./a/../${dice.below(9)}`,
  ]);
}
