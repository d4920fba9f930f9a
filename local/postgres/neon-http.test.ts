/**
 * The stand-in for Neon is true to what Neon's own client and drizzle expect of it, on every engine.
 *
 * @module
 */
import { neon, NeonDbError, neonConfig } from "@neondatabase/serverless";
import { drizzle } from "drizzle-orm/neon-http";
import { bigint, boolean, jsonb, pgTable, text, timestamp } from "drizzle-orm/pg-core";
import { afterAll, beforeAll, beforeEach, describe, test } from "vitest";
import type { Stack } from "../stack.ts";
import { ENGINES, startEngines } from "../testing.ts";

const things = pgTable("things", {
  id: bigint("id", { mode: "bigint" }).primaryKey(),
  name: text("name").notNull().unique(),
  tags: text("tags").array().notNull().default([]),
  facts: jsonb("facts"),
  isOn: boolean("is_on").notNull().default(false),
  at: timestamp("at", { withTimezone: true, precision: 3 }),
});
const TABLE = `CREATE TABLE things (id bigint PRIMARY KEY, name text NOT NULL UNIQUE, tags text[] NOT NULL DEFAULT '{}',
  facts jsonb, is_on boolean NOT NULL DEFAULT false, at timestamptz(3), CONSTRAINT positive CHECK (id > 0))`;
const BIG = "9223372036854775807";

const failureOf = async (query: Promise<unknown>): Promise<NeonDbError> => {
  try {
    await query;
  } catch (error) {
    if (error instanceof NeonDbError) return error;
    throw error;
  }
  throw new Error("It did not fail.");
};

describe.for(ENGINES)("on $name Postgres", (engines) => {
  let stack: Stack;
  beforeAll(async () => {
    stack = await startEngines(engines);
    neonConfig.fetchEndpoint = stack.databaseEndpoint;
    await neon(stack.databaseUrl).query(TABLE);
  }, 60_000);
  afterAll(() => stack.stop());
  beforeEach(async () => {
    neonConfig.fetchEndpoint = stack.databaseEndpoint;
    await neon(stack.databaseUrl)`DELETE FROM things`;
  });

  test("values of every kind come back as Postgres has them, numbers of 64 bits as text", async ({ expect }) => {
    const sql = neon(stack.databaseUrl);
    const [row] =
      await sql`SELECT ${BIG}::bigint AS big, ${"1.50"}::numeric AS exact, ${null}::text AS nothing, ${true}::boolean AS yes,
      ${JSON.stringify({ a: [1, null, "ü"] })}::jsonb AS facts, ${"2026-12-01T08:00:00.123Z"}::timestamptz AS at, ${"ünï 小麦粉 😀"}::text AS words,
      ${["a", 'b"c', "d,e"]}::text[] AS list, decode('00ff', 'hex') AS bytes, 7 AS small, 1.5::float8 AS float`;
    expect(row).toMatchObject({
      big: BIG,
      exact: "1.50",
      nothing: null,
      yes: true,
      facts: { a: [1, null, "ü"] },
      words: "ünï 小麦粉 😀",
      list: ["a", 'b"c', "d,e"],
      small: 7,
      float: 1.5,
    });
    // Whether a time comes as a Date or as its text depends on who has set the client's parsers.
    expect(new Date(String(row?.["at"])).getTime()).toBeCloseTo(Date.UTC(2026, 11, 1, 8), -3);
  });

  test("full results describe their fields, and arrays keep their order", async ({ expect }) => {
    const full = await neon(stack.databaseUrl, { fullResults: true }).query("SELECT 1::int4 AS a, 'x'::text AS b");
    expect(full).toMatchObject({ command: "SELECT", rowCount: 1, rows: [{ a: 1, b: "x" }] });
    expect(full.fields.map(({ name, dataTypeID }) => [name, dataTypeID])).toEqual([
      ["a", 23],
      ["b", 25],
    ]);
    expect(await neon(stack.databaseUrl, { arrayMode: true }).query("SELECT 2 AS a, 1 AS a")).toEqual([[2, 1]]);
  });

  test("a refusal carries Postgres' own fields", async ({ expect }) => {
    const sql = neon(stack.databaseUrl);
    await sql`INSERT INTO things (id, name) VALUES (1, 'one')`;
    expect(await failureOf(sql`INSERT INTO things (id, name) VALUES (2, 'one')`)).toMatchObject({
      code: "23505",
      constraint: "things_name_key",
      table: "things",
      severity: "ERROR",
      detail: expect.stringContaining("(name)=(one)"),
    });
    expect(await failureOf(sql`INSERT INTO things (id, name) VALUES (0, 'zero')`)).toMatchObject({
      code: "23514",
      constraint: "positive",
    });
    expect(await failureOf(sql`SELECT * FROM nowhere`)).toMatchObject({ code: "42P01", position: "15" });
  });

  test("one query is one statement", async ({ expect }) => {
    expect(await failureOf(neon(stack.databaseUrl).query("SELECT 1; SELECT 2"))).toMatchObject({ code: "42601" });
  });

  test("a wrong password is refused as Postgres would", async ({ expect }) => {
    const url = new URL(stack.databaseUrl);
    url.password = "wrong";
    expect(await failureOf(neon(url.href)`SELECT 1`)).toMatchObject({ code: "28P01" });
  });

  test("a batch is one transaction: all or nothing, with the isolation it asked for, and its connection is clean after it", async ({
    expect,
  }) => {
    const sql = neon(stack.databaseUrl);
    const insert = (id: number, name: string) => sql`INSERT INTO things (id, name) VALUES (${id}, ${name})`;
    expect(await failureOf(sql.transaction([insert(1, "a"), insert(2, "a")]))).toMatchObject({ code: "23505" });
    expect(await sql`SELECT * FROM things`).toEqual([]);
    const [level, mode] = await sql.transaction(
      [
        sql`SELECT current_setting('transaction_isolation') AS is`,
        sql`SELECT current_setting('transaction_read_only') AS is`,
      ],
      { isolationLevel: "Serializable", readOnly: true },
    );
    expect([level, mode]).toEqual([[{ is: "serializable" }], [{ is: "on" }]]);
    expect(await failureOf(sql.transaction([insert(3, "b")], { readOnly: true }))).toMatchObject({ code: "25006" });
    expect((await sql`SELECT current_setting('transaction_read_only') AS is`)[0]).toEqual({ is: "off" });
  });

  test("batches and queries at once do not come in between each other", async ({ expect }) => {
    const sql = neon(stack.databaseUrl);
    const work = Array.from({ length: 30 }, (_, at) =>
      at % 3 === 0
        ? sql.transaction([
            sql`SELECT set_config('hop.mark', ${String(at)}, true)`,
            sql`SELECT current_setting('hop.mark') AS mark`,
          ])
        : sql`SELECT ${at}::int AS mark`,
    );
    const marks = (await Promise.all(work)).map((rows, at) =>
      at % 3 === 0 ? Object(rows[1])[0].mark : Object(rows[0]).mark,
    );
    expect(marks.map(Number)).toEqual(Array.from({ length: 30 }, (_, at) => at));
  });

  test("drizzle inserts, upserts, selects and batches", async ({ expect }) => {
    const database = drizzle(neon(stack.databaseUrl));
    const row = {
      id: 5n,
      name: "five",
      tags: ["a", "b,c"],
      facts: { deep: [null, 1] },
      isOn: true,
      at: new Date(1_800_000_000_123),
    };
    await database
      .insert(things)
      .values({ ...row, id: 5n })
      .catch(() => {});
    await neon(
      stack.databaseUrl,
    )`INSERT INTO things (id, name, tags, facts, is_on, at) VALUES ('5', 'five', ${row.tags}, ${JSON.stringify(row.facts)}, true, ${row.at.toISOString()}) ON CONFLICT DO NOTHING`;
    expect(await database.select().from(things)).toEqual([row]);
    const [all, none] = await database.batch([database.select().from(things), database.delete(things).returning()]);
    expect([all.length, none.length]).toEqual([1, 1]);
  });

  test("what is too large is refused in either direction, and nonsense is a 400", async ({ expect }) => {
    const send = (body: string): Promise<Response> =>
      fetch(stack.databaseEndpoint, { method: "POST", headers: { "Neon-Connection-String": stack.databaseUrl }, body });
    expect(
      (await send(JSON.stringify({ query: "SELECT $1::text", params: ["x".repeat(10 * 1024 * 1024)] }))).status,
    ).toBe(413);
    expect((await send(JSON.stringify({ query: "SELECT repeat('x', 11000000)" }))).status).toBe(507);
    for (const body of ["", "null", "{}", '{"query":1}', '{"queries":[1]}'])
      expect((await send(body)).status).toBe(400);
    expect((await fetch(stack.databaseEndpoint.replace("/sql", "/other"), { method: "POST" })).status).toBe(404);
  });
});
