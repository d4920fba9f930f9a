/**
 * `npm run id` tells of an id or a code what is in it, and says so when there is nothing.
 *
 * @module
 */
import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { test } from "vitest";
import { createCodeBook } from "../shared/code.ts";
import { parseCodeFormats } from "../shared/code-formats.ts";
import { compose, EPOCH_AT, LAYOUTS } from "../shared/snowflake.ts";

const SCRIPT = fileURLToPath(new URL("id.ts", import.meta.url));
const KEY = "00112233445566778899aabbccddeeff";

async function run(
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<{ out: string; code: number }> {
  try {
    const { stdout } = await promisify(execFile)(process.execPath, [SCRIPT, ...args], {
      env: { ...process.env, ...env },
    });
    return { out: stdout, code: 0 };
  } catch (error) {
    const { stderr, code } = Object(error);
    return { out: String(stderr), code: Number(code) };
  }
}

const classic = compose(LAYOUTS.classic, { tick: 86_400_000, machine: 5, sequence: 7 });
const compact = compose(LAYOUTS.compact, { tick: 86_400, machine: 5, sequence: 7 });
const day = new Date(EPOCH_AT + 86_400_000).toISOString();

function codeOf(id: bigint, layout: string): string {
  const parsed = parseCodeFormats({ layout, alphabet: "base62", history: "", keys: KEY, shards: 64 });
  if (!parsed.ok) throw new Error(parsed.message);
  return createCodeBook(parsed.formats, { launchedAtMs: EPOCH_AT, shards: 64, reserved: [] }).encode(id);
}

test("an id of either layout is told by its size", async ({ expect }) => {
  expect((await run([String(classic)])).out).toContain(`layout    classic\ntime      ${day}\nmachine   5\nsequence  7`);
  expect((await run([String(compact)])).out).toContain(`layout    compact\ntime      ${day}\nmachine   5\nsequence  7`);
});

test("a code is told with the key it was made with", async ({ expect }) => {
  const env = { CODE_ALPHABET: "base62", CODE_KEYS: KEY };
  expect((await run([codeOf(classic, "classic")], env)).out).toContain(`id        ${classic}`);
  expect((await run([codeOf(compact, "compact")], { ...env, CODE_LAYOUT: "compact" })).out).toContain(
    `id        ${compact}`,
  );
});

test("what is neither is refused with a hint, and so is no argument", async ({ expect }) => {
  expect(await run(["hello"])).toMatchObject({ code: 1, out: expect.stringContaining("CODE_KEYS") });
  expect(await run([])).toMatchObject({ code: 1, out: expect.stringContaining("npm run id --") });
});
