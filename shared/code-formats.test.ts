/**
 * What an operator writes down becomes formats, newest first, or one sentence that says what is wrong.
 *
 * @module
 */
import { test } from "vitest";
import { createCodeBook } from "./code.ts";
import { type CodeSettings, parseCodeFormats } from "./code-formats.ts";
import { compose, EPOCH_AT, LAYOUTS } from "./snowflake.ts";

const NOTHING: CodeSettings = { layout: "", alphabet: "", history: "", keys: "", shards: 4 };
const [OLD, NEW] = ["00112233445566778899aabbccddeeff", "FFEEDDCCBBAA99887766554433221100"];

function shapeOf(settings: Partial<CodeSettings>): string[] | string {
  const parsed = parseCodeFormats({ ...NOTHING, ...settings });
  if (!parsed.ok) return `${parsed.variable}: ${parsed.message}`;
  return parsed.formats.map(
    ({ layout, alphabet, key }) => `${layout.name}/${alphabet}/${key === undefined ? "plain" : "keyed"}`,
  );
}

test.for([
  [{}, ["classic/safe/plain"]],
  [{ layout: "compact", alphabet: "base62" }, ["compact/base62/plain"]],
  [{ keys: `${NEW}, none` }, ["classic/safe/keyed", "classic/safe/plain"]],
  [
    { alphabet: "base62", history: "classic/safe, classic/base62", keys: OLD },
    ["classic/base62/keyed", "classic/safe/keyed"],
  ],
  [
    { layout: "compact", history: "classic/safe", keys: `${NEW},${OLD}` },
    ["compact/safe/keyed", "compact/safe/keyed", "classic/safe/keyed", "classic/safe/keyed"],
  ],
] as const)("%o gives %o", ([settings, formats], { expect }) => {
  expect(shapeOf(settings)).toEqual(formats);
});

test.for([
  [{ layout: "tiny" }, "CODE_LAYOUT"],
  [{ alphabet: "hex" }, "CODE_ALPHABET"],
  [{ history: "classic" }, "CODE_HISTORY"],
  [{ history: "classic/safe/x" }, "CODE_HISTORY"],
  [{ keys: "abc" }, "CODE_KEYS"],
  [{ keys: `${OLD},${OLD.toUpperCase()}` }, "CODE_KEYS"],
  [{ layout: "compact", shards: 65 }, "SEQUENCER_SHARDS"],
  [{ history: "compact/safe", shards: 65 }, "SEQUENCER_SHARDS"],
  [{ shards: 1025 }, "SEQUENCER_SHARDS"],
  [{ shards: 0 }, "SEQUENCER_SHARDS"],
] as const)("%o is refused and names %s", ([settings, variable], { expect }) => {
  expect(shapeOf(settings)).toContain(variable);
});

test("a key is never quoted", ({ expect }) => {
  expect(shapeOf({ keys: `${OLD}x` })).not.toContain(OLD);
});

test("a code made under any earlier layout, alphabet or key keeps working after all of them changed", ({ expect }) => {
  const rules = { launchedAtMs: EPOCH_AT, shards: 4, reserved: [] };
  const now = EPOCH_AT + 1e11;
  const bookOf = (settings: Partial<CodeSettings>) => {
    const parsed = parseCodeFormats({ ...NOTHING, ...settings });
    if (!parsed.ok) throw new Error(parsed.message);
    return { layout: parsed.layout, book: createCodeBook(parsed.formats, rules) };
  };
  const stages: Partial<CodeSettings>[] = [
    { alphabet: "base62" },
    { alphabet: "base62", keys: `${OLD},none` },
    { alphabet: "safe", history: "classic/base62", keys: `${OLD},none` },
    { alphabet: "safe", history: "classic/base62", keys: `${NEW},${OLD},none` },
    { layout: "compact", alphabet: "safe", history: "classic/safe,classic/base62", keys: `${NEW},${OLD},none` },
  ];
  const made: { readonly code: string; readonly id: bigint }[] = [];
  for (const [index, stage] of stages.entries()) {
    const { layout, book } = bookOf(stage);
    const tick = Math.floor(1e11 / LAYOUTS[layout.name].tickMs) - 1000 + index;
    const id = compose(layout, { tick, machine: 2, sequence: index });
    made.push({ code: book.encode(id), id });
    for (const earlier of made) {
      expect(book.classify(earlier.code).kind).toBe("generated");
      expect(book.prove(earlier.code, now)).toBe(earlier.id);
    }
  }
});
