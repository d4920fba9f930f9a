/**
 * Migrations are applied in order, each once and whole or not at all, also by several runs at once, and a file that changed is
 * refused.
 *
 * @module
 */
import { execFile } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { neon, neonConfig } from "@neondatabase/serverless";
import { afterEach, beforeEach, describe, test } from "vitest";
import { applyMigrations, MigrationDrift } from "../migrations/apply.ts";
import type { Stack } from "./stack.ts";
import { ENGINES, startEngines } from "./testing.ts";

describe.for(ENGINES)("on $name Postgres", (engines) => {
  let stack: Stack;
  let folder: string;
  beforeEach(async () => {
    stack = await startEngines(engines);
    folder = await mkdtemp(join(tmpdir(), "hop-migrations-"));
    neonConfig.fetchEndpoint = stack.databaseEndpoint;
  }, 60_000);
  afterEach(async () => {
    await stack.stop();
    await rm(folder, { recursive: true, force: true });
  });

  const ask = (query: string) => neon(stack.databaseUrl).query(query);
  const target = () => ({ connectionString: stack.databaseUrl, fetchEndpoint: stack.databaseEndpoint });
  const put = (name: string, ...statements: string[]) =>
    writeFile(join(folder, name), statements.join("\n--> statement-breakpoint\n"));
  /** Asks for the partition of February 2032 in a session of another zone. */
  const makeIn = (zone: string) =>
    neon(stack.databaseUrl).transaction((sql) => [
      sql`SELECT set_config('TimeZone', ${zone}, true)`,
      sql`SELECT make_click_partition('2032-02-15T00:00:00Z') AS made`,
    ]);
  const apply = () => applyMigrations(target(), pathToFileURL(`${folder}/`));

  test("the project's own are applied once, by four runs at once", { timeout: 30_000 }, async ({ expect }) => {
    const runs = await Promise.all(Array.from({ length: 4 }, () => applyMigrations(target())));
    const applied = runs.flatMap((run) => run.applied);
    expect(applied.length).toBeGreaterThan(3);
    expect(new Set(applied).size).toBe(applied.length);
    expect((await ask("SELECT name FROM schema_migrations ORDER BY name")).map((row) => row["name"])).toEqual(
      applied.toSorted(),
    );
    expect(await applyMigrations(target())).toEqual({ applied: [] });
  });

  test("a file whose second statement fails is rolled back whole; mended, it is applied", async ({ expect }) => {
    await put("0001_first.sql", "CREATE TABLE first (id int)");
    await put("0002_second.sql", "CREATE TABLE second (id int)", "CREATE TABLE first (id int)");
    await put("0003_third.sql", "CREATE TABLE third (id int)");
    await expect(apply()).rejects.toThrow("0002_second.sql failed and was rolled back");
    expect(
      await ask(
        "SELECT to_regclass('first') IS NOT NULL AS first, to_regclass('second') IS NULL AS second, to_regclass('third') IS NULL AS third",
      ),
    ).toEqual([{ first: true, second: true, third: true }]);
    await put("0002_second.sql", "CREATE TABLE second (id int)");
    expect(await apply()).toEqual({ applied: ["0002_second.sql", "0003_third.sql"] });
  });

  test("a file that changed after it was applied, or that is gone, is refused by name, and nothing is applied", async ({
    expect,
  }) => {
    await put("0001_first.sql", "CREATE TABLE first (id int)");
    await apply();
    await put("0001_first.sql", "CREATE TABLE first (id bigint)");
    await put("0002_second.sql", "CREATE TABLE second (id int)");
    await expect(apply()).rejects.toBeInstanceOf(MigrationDrift);
    await expect(apply()).rejects.toThrow("0001_first.sql was changed");
    await rm(join(folder, "0001_first.sql"));
    await expect(apply()).rejects.toThrow("0001_first.sql was applied to this database but is not in");
    expect(await ask("SELECT to_regclass('second') IS NULL AS missing")).toEqual([{ missing: true }]);
  });

  test(
    "B178: the partition of a month takes what waits in the default one, whatever the session's zone, and is made once",
    { timeout: 30_000 },
    async ({ expect }) => {
      await applyMigrations(target());
      const click = (id: number, at: string) =>
        ask(
          `INSERT INTO click_logs (id, link_id, clicked_at) VALUES ('00000000-0000-4000-8000-${String(id).padStart(12, "0")}', 1, '${at}')`,
        );
      const moments = [
        "2032-02-29T23:59:59.999Z",
        "2032-03-01T00:00:00Z",
        "2032-02-01T00:00:00Z",
        "2032-01-31T23:59:59.999Z",
      ];
      for (const [id, at] of moments.entries()) await click(id, at);
      const [, made] = await makeIn("Pacific/Auckland");
      const [, again] = await makeIn("America/Los_Angeles");
      expect([made, again]).toEqual([[{ made: true }], [{ made: false }]]);
      expect(await ask("SELECT count(*)::int AS n FROM click_logs_2032_02")).toEqual([{ n: 2 }]);
      expect(await ask("SELECT count(*)::int AS n FROM click_logs_default")).toEqual([{ n: 2 }]);
      await click(9, "2032-02-29T12:00:00Z");
      expect(await ask("SELECT count(*)::int AS n FROM click_logs_2032_02")).toEqual([{ n: 3 }]);
      await Promise.all(Array.from({ length: 3 }, () => ask("SELECT make_click_partition('2032-12-31T23:59:59Z')")));
      expect(await ask("SELECT count(*)::int AS n FROM click_logs")).toEqual([{ n: 5 }]);
    },
  );
});

test("the command says what to set when there is no DATABASE_URL, and tells no password", async ({ expect }) => {
  const script = fileURLToPath(new URL("../migrations/apply.ts", import.meta.url));
  const run = async (url: string): Promise<string> => {
    const env = { ...process.env, DATABASE_URL: url, NEON_FETCH_ENDPOINT: "http://127.0.0.1:1/sql" };
    const failure: unknown = await promisify(execFile)(process.execPath, [script], { env }).catch(
      (error: unknown) => error,
    );
    const { code, stderr } = Object(failure);
    return `${String(code)} ${String(stderr)}`;
  };
  expect(await run("")).toMatch(/^1 Migration failed: DATABASE_URL is not set/);
  const printed = await run("postgres://hop:s3cret-word@localhost/hop");
  expect(printed).toMatch(/^1 Migration failed/);
  expect(printed).not.toContain("s3cret-word");
});
