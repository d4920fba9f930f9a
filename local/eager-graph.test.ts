/**
 * A redirect on a cold isolate pays for nothing that it does not use: the modules that the entrance loads at once hold no
 * schema library, no SQL builder, no client of a backend, no API and no jobs.
 *
 * @module
 */
import { fileURLToPath } from "node:url";
import { build, type Metafile } from "esbuild";
import { test } from "vitest";

const ROOT = fileURLToPath(new URL("..", import.meta.url));
const ENTRANCE = "worker/index.ts";
const NEVER_EAGER = [
  "node_modules/zod/",
  "node_modules/drizzle-orm/",
  "node_modules/@hono/zod-openapi/",
  "node_modules/@neondatabase/",
  "node_modules/@upstash/",
  "node_modules/isbot/",
  "node_modules/ua-parser-js/",
  "node_modules/uqr/",
  "node_modules/fast-png/",
  "node_modules/swagger-ui-dist/",
  "worker/api.ts",
  "worker/jobs.ts",
  "worker/backends/postgres.ts",
  "worker/backends/redis.ts",
  "worker/pages/",
  "worker/docs/",
  "shared/problem-help.ts",
  "worker/links/",
  "worker/access/passwords.ts",
  "worker/redirect/password.ts",
  "worker/redirect/submit.ts",
  "shared/schema/",
];

async function bundle(): Promise<Metafile> {
  const { metafile } = await build({
    absWorkingDir: ROOT,
    entryPoints: [ENTRANCE],
    bundle: true,
    write: false,
    metafile: true,
    format: "esm",
    outdir: "unused",
    // A chunk for each `import()`: what is in the entrance's own chunk, or imported by it, is evaluated at once.
    splitting: true,
    external: ["cloudflare:*", "node:*"],
    conditions: ["workerd", "worker", "browser"],
    logLevel: "silent",
  });
  return metafile;
}

/** Every input that is evaluated when the entrance is. */
function eagerInputs({ inputs }: Metafile): Set<string> {
  const seen = new Set<string>();
  const open = [ENTRANCE];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    if (seen.has(next)) continue;
    seen.add(next);
    for (const edge of inputs[next]?.imports ?? []) {
      if (edge.kind !== "dynamic-import" && edge.external !== true) open.push(edge.path);
    }
  }
  return seen;
}

test("the entrance loads at once only what a redirect uses", async ({ expect }) => {
  const metafile = await bundle();
  const eager = [...eagerInputs(metafile)];
  for (const never of NEVER_EAGER)
    expect(
      eager.filter((path) => path.includes(never)),
      never,
    ).toEqual([]);
  expect(eager).toContain("worker/redirect/routes.ts");
  // The walk sees what it forbids: all of it is in the bundle, behind an `import()`.
  const all = Object.keys(metafile.inputs);
  for (const never of NEVER_EAGER)
    expect(
      all.some((path) => path.includes(never)),
      never,
    ).toBe(true);
});
