/**
 * README.md is true: its tour answers what it shows, and the commands, variables, queues and files that the documents name
 * are those that exist.
 *
 * @module
 */
import { execFile } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, test } from "vitest";
import { isRecord, parseJson } from "../../shared/json.ts";
import { differenceOf } from "../readme/answer.ts";
import { type Block, readMarkdown, stepsOf } from "../readme/blocks.ts";
import { type DevProcess, startDev } from "./dev-process.ts";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const DOCUMENTS = ["README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "SECURITY.md", "CHANGELOG.md"];
/** What the README writes for the address of the service. */
const ADDRESS = "http://localhost:8787";
const COMMAND_WITHIN_MS = 30_000;
const MIN_STEPS = 10;

const read = (path: string): string => readFileSync(join(ROOT, path), "utf8");
const readme = readMarkdown(read("README.md"));
const wranglerToml = read("wrangler.toml");

/** Every text that the first group of `pattern` finds, once, in order. */
function allOf(pattern: RegExp, text: string): string[] {
  return [...new Set([...text.matchAll(pattern)].map((match) => match[1] ?? ""))].toSorted();
}

function commandsOf(section: string): string {
  const inside = readme.blocks.filter((block) => block.section === section && block.language === "sh");
  return inside.map((block) => block.text).join("\n");
}

/** The rows of the configuration's tables by variable: its default, or undefined for a secret. */
function variablesOfReadme(): Map<string, string | undefined> {
  const rows = readme.rows.filter(({ section }) => section === "Configuration");
  return new Map(
    rows.flatMap(({ cells: [first = "", , third, fourth] }) => {
      const name = /^`([A-Z][A-Z_]+)`$/.exec(first)?.[1];
      if (name === undefined) return [];
      return [[name, fourth === undefined ? undefined : third?.replaceAll("`", "").replace(/^empty$/, "")]];
    }),
  );
}

describe("the tour", () => {
  let dataDir = "";
  let service: DevProcess | undefined;

  beforeAll(async () => {
    dataDir = await mkdtemp(join(tmpdir(), "hop-readme-"));
    service = await startDev(dataDir);
  });
  afterAll(async () => {
    await service?.stop();
    await rm(dataDir, { recursive: true, force: true });
  });

  const localized = (block: Block): string => block.text.replaceAll(ADDRESS, service?.origin ?? ADDRESS);

  test("begins with what the first command prints", ({ expect }) => {
    const [start] = readme.blocks.filter(({ section, language }) => section === "Two commands" && language === "text");
    expect(start).toBeDefined();
    if (start !== undefined) {
      expect(differenceOf("text", `…\n${localized(start)}`, service?.output() ?? "")).toBeUndefined();
    }
  });

  const steps = stepsOf(readme.blocks, "A minute's tour");
  for (const { command, answer } of steps) {
    test(`README.md:${command.line} answers what is shown`, async ({ expect }) => {
      const { stdout } = await promisify(execFile)("sh", ["-c", localized(command)], { timeout: COMMAND_WITHIN_MS });
      const difference = differenceOf(answer.language, localized(answer), stdout);
      expect(difference, `README.md:${answer.line} shows something else. ${difference ?? ""}`).toBeUndefined();
    });
  }

  test("is whole", ({ expect }) => {
    expect(steps.length).toBeGreaterThanOrEqual(MIN_STEPS);
  });
});

describe("the README", () => {
  test("names scripts that exist", ({ expect }) => {
    const scripts: unknown = Reflect.get(Object(parseJson(read("package.json"))), "scripts");
    const named = allOf(/npm run ([a-z][a-z:-]*)/g, read("README.md"));
    expect(named).toContain("dev");
    expect(isRecord(scripts) ? named.filter((name) => !Object.hasOwn(scripts, name)) : scripts).toEqual([]);
  });

  test("has every variable that the Worker reads, and no other", ({ expect }) => {
    const known = allOf(/"([A-Z][A-Z_]+)"/g, read("worker/config.ts"));
    expect(known).toContain("DOMAINS");
    expect([...variablesOfReadme().keys()].toSorted()).toEqual(known);
  });

  test("gives the defaults that wrangler.toml sets", ({ expect }) => {
    const [, vars = ""] = /^\[vars\]$(.*?)^\[/ms.exec(wranglerToml) ?? [];
    const set = [...vars.matchAll(/^([A-Z_]+) = "(.*)"$/gm)].map(([, name = "", value = ""]) => [name, value] as const);
    expect(set.length).toBeGreaterThan(0);
    const shown = variablesOfReadme();
    expect(set.map(([name]) => [name, shown.get(name)])).toEqual(set);
  });

  test("creates the queues that wrangler.toml uses", ({ expect }) => {
    const used = allOf(/^(?:queue|dead_letter_queue) = "([^"]+)"$/gm, wranglerToml);
    expect(used.length).toBeGreaterThan(0);
    expect(allOf(/wrangler queues create (\S+)/g, commandsOf("Deploy"))).toEqual(used);
  });

  test("sets the secrets that wrangler.toml requires, and none that is not explained", ({ expect }) => {
    const [, required = ""] = /^required = \[(.*)\]$/m.exec(wranglerToml) ?? [];
    const secrets = allOf(/wrangler secret put ([A-Z_]+)/g, commandsOf("Deploy"));
    expect(allOf(/"([A-Z_]+)"/g, required).filter((name) => !secrets.includes(name))).toEqual([]);
    expect(required).not.toBe("");
    expect(secrets.filter((name) => !variablesOfReadme().has(name))).toEqual([]);
  });
});

describe.for(DOCUMENTS)("%s", (name) => {
  test("links to files and headings that exist", ({ expect }) => {
    const links = allOf(/\]\(([^)\s]+)\)/g, read(name)).filter((link) => !/^https?:/.test(link));
    expect(links.filter((link) => !leadsSomewhere(name, link))).toEqual([]);
  });

  test("names files that exist", ({ expect }) => {
    const files = allOf(/`([a-z.-]+\/[\w./-]*\.(?:tsx?|mjs|sql|json|toml))`/g, read(name));
    expect(files.filter((file) => !existsSync(join(ROOT, file)))).toEqual([]);
  });
});

function leadsSomewhere(from: string, link: string): boolean {
  const [file = "", anchor] = link.split("#");
  const target = file === "" ? from : file;
  if (!existsSync(join(ROOT, target))) return false;
  return anchor === undefined || allOf(/^#+ +(.+)$/gm, read(target)).some((heading) => anchorOf(heading) === anchor);
}

/** As code hosts make anchors of headings. */
function anchorOf(heading: string): string {
  return heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, "")
    .trim()
    .replace(/\s/g, "-");
}
