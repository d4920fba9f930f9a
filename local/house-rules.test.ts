/**
 * The law of floors and the house rules hold: the real linter with the real configuration runs over a synthetic tree, in
 * which every folder imports every other one in every way, and over a small offence against each rule. The tree is a
 * temporary folder with copies of the configuration and the plugin: their paths and globs count from where they lie.
 *
 * @module
 */
import { execFile } from "node:child_process";
import { cp, mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join, posix } from "node:path";
import { afterAll, beforeAll, describe, test } from "vitest";

const REPOSITORY = join(import.meta.dirname, "..");
const LINT_LIMIT_MS = 60_000;
/** What is linted, by name: a link to `node_modules` would be followed. */
const TREE = ["worker", "shared", "migrations", "local", "bench", "vitest.config.ts"];
const OUTPUT_LIMIT_BYTES = 64 * 1024 * 1024;

const ROOMS = ["redirect", "links", "clicks", "stats", "webhooks", "keys", "docs", "transfer", "maintenance"].map(
  (name) => `worker/${name}`,
);
const SERVICES = ["entries", "access", "sequencer", "quota", "spill"].map((name) => `worker/${name}`);
const OUTSIDE = ["backends", "http", "telemetry", "pages"].map((name) => `worker/${name}`);
const DOORS = ["worker/app.ts", "worker/api.ts", "worker/jobs.ts"];
const WIRING = "worker/wiring";
const OBJECTS = ["sequencer", "quota", "spill", "webhooks"].map((name) => `worker/${name}/object.ts`);

/** Each folder's floor; a file that lies in `worker` itself counts as a folder. `shared/schema` stands on `shared`. */
const FLOORS = new Map([
  ["worker/index.ts", 5],
  ...[...DOORS, WIRING].map((door) => [door, 4] as const),
  ...ROOMS.map((room) => [room, 3] as const),
  ...SERVICES.map((service) => [service, 2] as const),
  ["worker/testing", 1.5],
  ...[...OUTSIDE, "worker/config.ts"].map((folder) => [folder, 1] as const),
  ["shared/schema", 0.5],
  ["shared", 0],
]);
/** Beside the house there are no floors, only these arrows. */
const BESIDE = new Map([
  ["migrations", ["shared"]],
  ["local", ["migrations", "shared"]],
  ["bench", ["local", "shared"]],
]);
/** A folder and a file that nobody has given a place. */
const UNPLACED = ["worker/attic", "worker/stray.ts"];

const FOLDERS = [...ROOMS, ...SERVICES, ...OUTSIDE, "shared", "shared/schema", ...BESIDE.keys()];
/** Files that have a law, or a target, of their own. */
const OF_THEIR_OWN = ["worker/index.ts", "worker/config.ts", ...DOORS, ...OBJECTS];
const STORAGE = "links/store stats/queries entries/store entries/tiers/postgres"
  .split(" ")
  .map((name) => `worker/${name}.ts`);
const NESTED = ["worker/entries/tiers", "worker/transfer/formats", "worker/pages/dashboard", "local/redis"];
const TARGETS = [
  ...OF_THEIR_OWN,
  `${WIRING}/target.ts`,
  "worker/testing/target.ts",
  ...[...FOLDERS, "worker/attic"].map((folder) => `${folder}/target.ts`),
];
const SOURCES = [
  ...OF_THEIR_OWN,
  ...STORAGE,
  `${WIRING}/source.ts`,
  "worker/testing/source.ts",
  "worker/app.test.ts",
  "worker/entries/tier.contract.ts",
  "worker/stray.ts",
  ...[...FOLDERS, "worker/attic"].flatMap((folder) => [`${folder}/source.ts`, `${folder}/source.test.ts`]),
  ...NESTED.flatMap((folder) => [`${folder}/source.tsx`, `${folder}/source.test.tsx`]),
];
/** Each way to import; `import()` comes last, since it alone is lazy. */
const WAYS = [
  (path: string, n: number) => `import { value${n} } from "${path}";`,
  (path: string, n: number) => `import type { Type${n} } from "${path}";`,
  (path: string, n: number) => `import "${path}"; // ${n}`,
  (path: string, n: number) => `export { again${n} } from "${path}";`,
  (path: string, n: number) => `export type { Again${n} } from "${path}";`,
  (path: string, n: number) => `export * from "${path}"; // ${n}`,
  (path: string, n: number) => `import("${path}"); // ${n}`,
] as const;
const PACKAGES = `hono hono/utils/accept @hono/zod-openapi zod zod/mini lru-cache @upstash/redis/cloudflare drizzle-orm
  drizzle-orm/pg-core @neondatabase/serverless node:fs fs pg vitest fast-check cloudflare:workers cloudflare:test
  cloudflare:sockets crawler-user-agents top-user-agents top-user-agents/desktop standardwebhooks /etc/passwd`.split(
  /\s+/,
);

const isTest = (file: string) => /\.(?:test|contract)\.tsx?$/.test(file);

function folderOf(file: string): string {
  const [top = "", second = "", third] = file.split("/");
  const isFolder = top === "worker" || (second === "schema" && third !== undefined);
  return isFolder ? `${top}/${second}` : top;
}

function floorOf(folder: string): number {
  return FLOORS.get(folder) ?? Number.NaN;
}

/** The law, written a second time: what the configuration must agree with. */
function mayImport(source: string, target: string, lazily: boolean): boolean {
  const [from, to] = [folderOf(source), folderOf(target)];
  const beside = BESIDE.get(from);
  if (UNPLACED.includes(from)) return to.startsWith("shared");
  if (from === to) return true;
  if (beside !== undefined) return beside.includes(to.replace("/schema", ""));
  if (to === "worker/testing") return isTest(source) && from.startsWith("worker/");
  if (isTest(from)) return to.startsWith("worker/") || to.startsWith("shared");
  if (from === "shared") return isTest(source) && to === "shared/schema";
  if (from === "worker/index.ts")
    return [...OBJECTS, "worker/app.ts"].includes(target) || (lazily && to === "worker/jobs.ts");
  if (DOORS.includes(from) && floorOf(to) === 4) {
    return to === WIRING || (lazily && `${from} ${to}` === "worker/app.ts worker/api.ts");
  }
  if (STORAGE.includes(source) && to === "worker/http") return false;
  return floorOf(to) < floorOf(from);
}

/** Which packages a file may use, likewise. */
function mayUse(source: string, specifier: string): boolean {
  const name = /^(?:@[^/]+\/)?[^/]+/.exec(specifier)?.[0] ?? specifier;
  const folder = folderOf(source);
  if (BESIDE.has(folder)) return true;
  if (UNPLACED.includes(folder)) return false;
  const testing = isTest(source) || folder === "worker/testing";
  if (testing && ["vitest", "fast-check"].includes(name)) return true;
  if (folder.startsWith("shared")) return folder === "shared/schema" && ["zod", "@hono/zod-openapi"].includes(name);
  if (["crawler-user-agents", "top-user-agents"].includes(name)) return isTest(source) && floorOf(folder) === 1;
  if (name === "standardwebhooks") return isTest(source) && floorOf(folder) === 3;
  if (testing && specifier === "cloudflare:test") return true;
  if (specifier === "cloudflare:workers") return testing || floorOf(folder) >= 4 || OBJECTS.includes(source);
  if (["worker/index.ts", "worker/config.ts", "worker/testing"].includes(folder) || OBJECTS.includes(source))
    return false;
  const storage = STORAGE.includes(source);
  const backend = folder === "worker/backends" && !testing;
  if (["drizzle-orm", "@neondatabase/serverless"].includes(name)) return storage || backend;
  if (name === "@upstash/redis") return backend;
  if (name === "lru-cache") return !storage;
  if (name === "@hono/zod-openapi" && source === "worker/app.ts") return false;
  return ["hono", "@hono/zod-openapi"].includes(name) && !storage && !backend;
}

interface Arrow {
  readonly target: string;
  readonly text: string;
  readonly legal: boolean;
}

/** Every arrow that starts at a file, one a line. */
function arrowsFrom(source: string): readonly Arrow[] {
  const files = TARGETS.filter((target) => target !== source).flatMap((target) => {
    const path = posix.relative(posix.dirname(source), target);
    return WAYS.map((way, index) => ({
      target,
      path: path.startsWith(".") ? path : `./${path}`,
      way,
      lazily: index === WAYS.length - 1,
    }));
  });
  const packages = PACKAGES.flatMap((target) => WAYS.map((way) => ({ target, path: target, way, lazily: false })));
  return [
    ...files.map(({ target, path, way, lazily }, n) => ({
      target,
      text: way(path, n),
      legal: mayImport(source, target, lazily),
    })),
    ...packages.map(({ target, path, way }, n) => ({
      target,
      text: way(path, files.length + n),
      legal: mayUse(source, target),
    })),
  ];
}

/** The head that every file needs. */
const HEAD = "/**\n * A file.\n *\n * @module\n */\n";
const BINDINGS = `declare const clicks: Queue<string>;
declare const counters: DurableObjectNamespace<Counter>;
interface Counter extends Rpc.DurableObjectBranded { next(count: number): Promise<number>; }
declare function later(): Promise<boolean>;
`;
const LONG = Array.from({ length: 300 }, (_, n) => `// ${n}`).join("\n");

/** What is promised, the rule that keeps the promise, an offence, and where it lies when that matters. */
const OFFENCES: readonly (readonly [promise: string, rule: string, code: string, file?: string])[] = [
  ["a queue send is awaited", "typescript/no-floating-promises", `${BINDINGS}clicks.send("one");`],
  [
    "a cache put is awaited",
    "typescript/no-floating-promises",
    'caches.default.put("https://a.example", new Response());',
  ],
  [
    "a Durable Object call is awaited",
    "typescript/no-floating-promises",
    `${BINDINGS}counters.getByName("a").next(1);`,
  ],
  ["a fetch is awaited", "typescript/no-floating-promises", 'fetch("https://a.example");'],
  ["a promise is not a condition", "typescript/no-misused-promises", `${BINDINGS}if (later()) later;`],
  [
    "forEach gets no async function",
    "typescript/no-misused-promises",
    `${BINDINGS}[1].forEach(async () => { await later(); });`,
  ],
  [
    "a switch names every case",
    "typescript/switch-exhaustiveness-check",
    'declare const a: "x" | "y";\nswitch (a) { case "x": break; }',
  ],
  ["nothing is any", "typescript/no-explicit-any", "export const a: any = 1;"],
  [
    "nothing is asserted to exist",
    "typescript/no-non-null-assertion",
    "declare const a: string | null;\nexport const b = a!.length;",
  ],
  [
    "no type is asserted unsafely",
    "typescript/no-unsafe-type-assertion",
    "declare const a: unknown;\nexport const b = a as string;",
  ],
  [
    "types are imported as types",
    "typescript/consistent-type-imports",
    'import { Link } from "./a.ts";\nexport type B = Link;',
  ],
  ["types are imported at the top", "typescript/consistent-type-imports", 'export type B = import("./a.ts").A;'],
  ["only errors are thrown", "typescript/only-throw-error", 'throw "no";'],
  ["what is expected to fail to compile says why", "typescript/ban-ts-comment", "// @ts-ignore\nexport const a = 1;"],
  ["modules are not required", "typescript/no-require-imports", 'import a = require("./a.ts");\nvoid a;'],
  [
    "files do not import in a circle",
    "import/no-cycle",
    'import { b } from "./circle-b.ts";\nexport const a = b;',
    "worker/links/circle-a.ts",
  ],
  [
    "types do not either",
    "import/no-cycle",
    'import type { a } from "./circle-a.ts";\nexport type B = typeof a;\nexport const b = 1;',
    "worker/links/circle-b.ts",
  ],
  ["nothing is a default export", "import/no-default-export", "export default 1;"],
  ["the Worker speaks through its log", "eslint/no-console", "console.log(1);"],
  ["a file has at most 300 lines", "eslint/max-lines", LONG],
  ["a file is named in kebab-case", "unicorn/filename-case", "", "worker/links/camelCase.ts"],
  [
    "no test is alone",
    "vitest/no-focused-tests",
    'import { test } from "vitest";\ntest.only("a", () => {});',
    "worker/links/a.test.ts",
  ],
  [
    "no test is skipped",
    "vitest/no-disabled-tests",
    'import { test } from "vitest";\ntest.skip("a", () => {});',
    "worker/links/b.test.ts",
  ],
  [
    "expect is not imported",
    "house/expect-from-context",
    'import { expect, test } from "vitest";\ntest("a", () => expect(1).toBe(1));',
    "worker/links/c.test.ts",
  ],
  [
    "expect is not a global",
    "eslint/no-restricted-globals",
    'import { test } from "vitest";\ntest("a", () => expect(1).toBe(1));',
    "worker/links/d.test.ts",
  ],
  [
    "a switched-off rule has a reason",
    "house/disable-reason",
    "// oxlint-disable-next-line no-console\nconsole.log(1);",
  ],
  [
    "the reason stands on the same line",
    "house/disable-reason",
    "/* oxlint-disable-next-line no-console\n -- why */\nconsole.log(1);",
  ],
  [
    "the rule that is switched off is named",
    "house/disable-reason",
    "// oxlint-disable-next-line -- why\nconsole.log(1);",
  ],
  ["switching all off does not hide it", "house/disable-reason", "/* oxlint-disable */\nconsole.log(1);"],
  ["ESLint's spelling counts too", "house/disable-reason", "console.log(1); // eslint-disable-line no-console"],
  [
    "an exception that is not needed goes",
    "unused directive",
    "// oxlint-disable-next-line no-console -- why\nexport const a = 1;",
  ],
  ["a function says what it promises", "house/export-docstring", "export function a(): void {}"],
  ["a class does", "house/export-docstring", "export class A {}"],
  ["a type does", "house/export-docstring", "export type A = 1;"],
  ["an interface does", "house/export-docstring", "export interface A { a: 1 }"],
  ["a constant does", "house/export-docstring", "export const a = 1;"],
  ["what is exported by name does", "house/export-docstring", "const a = 1;\nexport { a };"],
  ["a docstring stands directly above", "house/export-docstring", "/** A. */\n\nexport const a = 1;"],
  [
    "the module's docstring is not an export's",
    "house/module-docstring",
    "/** A. */\nexport const a = 1;",
    "worker/links/no-head.ts",
  ],
  ["a file is named by what lives in it", "house/module-docstring", "/** @module */\n", "worker/links/empty-head.ts"],
  ["a path has no detours", "house/plain-imports", 'import "./../links/a.ts";'],
  ["not when it is lazy either", "house/plain-imports", 'await import("../entries/../stats/a.ts");'],
  ["a lazy import names its module", "house/plain-imports", "await import(`../stats/a.ts`);"],
  ["no module is loaded for nothing", "unicorn/require-module-specifiers", 'export {} from "../stats/a.ts";'],
  ...[
    "Date.now()",
    "new Date()",
    "Date()",
    "Math.random()",
    "performance.now()",
    'Date["now"]()',
    "globalThis.Date.now()",
  ].map(
    (code, n) =>
      [`the rules never ask ${code}`, "house/no-clock-no-dice", `void ${code};`, `shared/clock-${n}.ts`] as const,
  ),
  ["nor take the clock apart", "house/no-clock-no-dice", "const { now } = Date;\nvoid now;", "shared/clock.ts"],
  ["nor hand it on", "house/no-clock-no-dice", "void [1].map(Math.random);", "shared/dice.ts"],
];

/** Files to which no rule objects. */
const INNOCENT: readonly (readonly [file: string, code: string])[] = [
  [
    "worker/links/innocent.ts",
    "/** A. */\nexport function a(b: string): string;\nexport function a(b: number): string;\n/** Both. */\nexport function a(b: unknown): string {\n  return typeof b;\n}\n",
  ],
  [
    "worker/links/excused.ts",
    "// oxlint-disable-next-line no-console -- the log itself is broken here\nconsole.log(1);\n",
  ],
  ["worker/links/awaited.ts", `${BINDINGS}await clicks.send("one");\nawait counters.getByName("a").next(1);\n`],
  [
    "worker/links/innocent.test.ts",
    'import { test } from "vitest";\n\ntest("a", ({ expect }) => {\n  expect(1).toBe(1);\n});\n',
  ],
  ["worker/links/exporting.test.ts", "export const a = 1;\n"],
  ["vitest.config.ts", "export default {};\n"],
  ["worker/telemetry/log.ts", "console.log(1);\n"],
  ["shared/innocent.ts", "/** A. */\nexport const a = new Date(0).getTime();\n"],
  ["worker/links/long.test.ts", `${LONG}\n/** A. */\nexport const a = 1;\n`],
];

const offenceFile = (index: number) => OFFENCES[index]?.[3] ?? `worker/links/offence-${index}.ts`;

let tree: string;
/** File → line → rules that object to it. */
const findings = new Map<string, Map<number, string[]>>();

const rulesOn = (file: string) => [...new Set([...(findings.get(file)?.values() ?? [])].flat())];

async function put(file: string, text: string): Promise<void> {
  const path = join(tree, file);
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, text);
}

/** Runs the linter over the tree. Its exit status says only that there are findings, so the count of them is checked instead. */
async function lint(): Promise<void> {
  const output = await new Promise<string>((resolve) => {
    const binary = join(REPOSITORY, "node_modules/.bin/oxlint");
    const options = { cwd: tree, maxBuffer: OUTPUT_LIMIT_BYTES, timeout: LINT_LIMIT_MS };
    execFile(process.execPath, [binary, "--format=unix", ...TREE], options, (_error, out, complaint) =>
      resolve(out + complaint),
    );
  });
  let count = 0;
  for (const [, file = "", line, rule = "unused directive"] of output.matchAll(
    /^([^:\n]+):(\d+):\d+: .*\[(?:Error|Warning)(?:\/(.+))?\]$/gm,
  )) {
    const lines = findings.get(file) ?? new Map<number, string[]>();
    findings.set(
      file,
      lines.set(Number(line), [...(lines.get(Number(line)) ?? []), rule.replace("(", "/").replace(")", "")]),
    );
    count += 1;
  }
  if (!output.includes(`\n${count} problems`))
    throw new Error(`Cannot read what oxlint says:\n${output.slice(0, 2000)}`);
}

beforeAll(async () => {
  tree = await mkdtemp(join(tmpdir(), "hop-house-rules-"));
  await cp(join(REPOSITORY, ".oxlintrc.json"), join(tree, ".oxlintrc.json"));
  await cp(join(REPOSITORY, "tsconfig.json"), join(tree, "tsconfig.json"));
  await mkdir(join(tree, "local"));
  await cp(join(REPOSITORY, "local/house-rules.mjs"), join(tree, "local/house-rules.mjs"));
  await symlink(join(REPOSITORY, "node_modules"), join(tree, "node_modules"));
  await Promise.all([
    ...SOURCES.map((source) =>
      put(
        source,
        arrowsFrom(source)
          .map(({ text }) => text)
          .join("\n"),
      ),
    ),
    ...OFFENCES.map(([, rule, code], index) =>
      put(offenceFile(index), rule === "house/module-docstring" ? code : HEAD + code),
    ),
    ...INNOCENT.map(([file, code]) => put(file, HEAD + code)),
  ]);
  await lint();
}, LINT_LIMIT_MS);

afterAll(() => rm(tree, { recursive: true }));

describe("the law of floors", () => {
  test.for(SOURCES)("%s imports what the law allows, in whatever way, and nothing else", (source, { expect }) => {
    const arrows = arrowsFrom(source);
    const caught = arrows.filter((_, index) =>
      findings
        .get(source)
        ?.get(index + 1)
        ?.includes("eslint/no-restricted-imports"),
    );
    expect(caught.map(({ text }) => text)).toEqual(arrows.filter(({ legal }) => !legal).map(({ text }) => text));
  });
});

describe("the rules", () => {
  test.for(OFFENCES.map(([promise, rule], index) => ({ promise, rule, index })))(
    "$promise ($rule)",
    ({ rule, index }, { expect }) => {
      expect(rulesOn(offenceFile(index))).toContain(rule);
    },
  );

  test.for(INNOCENT)("%s offends nobody", ([file], { expect }) => {
    expect(rulesOn(file)).toEqual([]);
  });
});
