/**
 * `npm run id -- <id or code>`: what an id, or a generated code, tells: when it was made, by which machine, in which layout.
 * Reads the formats of codes where the service does: the environment, `.dev.vars` and `wrangler.toml`.
 *
 * @module
 */
import { fileURLToPath } from "node:url";
import { createCodeBook } from "../shared/code.ts";
import { parseCodeFormats } from "../shared/code-formats.ts";
import { decompose, EPOCH_AT, type Layout, LAYOUTS, tickStartAt } from "../shared/snowflake.ts";
import { readSettings } from "./settings.ts";

/** Ids of the compact layout have 46 bits; a classic one below that would be of the first quarter of an hour of its epoch. */
const COMPACT_BITS = 46n;

function main(): void {
  const [text, ...rest] = process.argv.slice(2);
  if (text === undefined || rest.length > 0) throw new Error("Name one id or code: npm run id -- 403224963655405568");
  console.log(explain(text));
}

/** Digits that are a code as well are rare; then both readings are shown. */
function explain(text: string): string {
  const readings = codeReadings(text);
  if (/^\d{1,20}$/.test(text)) {
    const id = BigInt(text);
    readings.push(describe(id, id >> COMPACT_BITS === 0n ? LAYOUTS.compact : LAYOUTS.classic));
  }
  if (readings.length > 0) return readings.join("\n\n");
  throw new Error(
    `"${text}" is no id, and no code that this configuration could have made. Is CODE_KEYS set as in production?`,
  );
}

function codeReadings(text: string): string[] {
  const settings = readSettings(fileURLToPath(new URL("..", import.meta.url)));
  const parsed = parseCodeFormats({
    layout: settings("CODE_LAYOUT"),
    alphabet: settings("CODE_ALPHABET"),
    history: settings("CODE_HISTORY"),
    keys: settings("CODE_KEYS"),
    shards: 1,
  });
  if (!parsed.ok) throw new Error(`${parsed.variable}: ${parsed.message}`);
  return parsed.formats.flatMap((format) => {
    const { machines } = format.layout;
    const book = createCodeBook([format], { launchedAtMs: EPOCH_AT, shards: machines, reserved: [] });
    const id = book.prove(text, Date.now());
    return id === undefined ? [] : [describe(id, format.layout)];
  });
}

function describe(id: bigint, layout: Layout): string {
  const parts = decompose(layout, id);
  if (parts === undefined) throw new Error(`${id} is no ${layout.name} id.`);
  return [
    `id        ${id}`,
    `layout    ${layout.name}`,
    `time      ${new Date(tickStartAt(layout, parts.tick)).toISOString()}`,
    `machine   ${parts.machine}`,
    `sequence  ${parts.sequence}`,
  ].join("\n");
}

try {
  main();
} catch (error) {
  console.error(error instanceof Error ? error.message : String(error));
  process.exitCode = 1;
}
