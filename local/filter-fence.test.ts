/**
 * What Postgres does for the filter of custom codes: it refuses stamps that are over or were given out twice, notices codes that
 * came past the filter, and tells whether Redis remembers all it should.
 *
 * @module
 */
import { neon, NeonDbError, neonConfig } from "@neondatabase/serverless";
import pg from "pg";
import { afterAll, beforeAll, beforeEach, describe, test } from "vitest";
import { applyMigrations } from "../migrations/apply.ts";
import type { Stack } from "./stack.ts";
import { ENGINES, startEngines } from "./testing.ts";

type Stamp = readonly [epoch: number, adds: number];

describe.for(ENGINES)("on $name Postgres", (engines) => {
  let stack: Stack;
  let serial = 0;

  beforeAll(async () => {
    stack = await startEngines(engines);
    await applyMigrations({ connectionString: stack.databaseUrl, fetchEndpoint: stack.databaseEndpoint });
    neonConfig.fetchEndpoint = stack.databaseEndpoint;
  }, 60_000);
  afterAll(() => stack.stop());
  beforeEach(async () => {
    await ask("TRUNCATE short_links, url_checks, filter_bypassed");
    await ask("UPDATE filter_fence SET epoch = 0, since = 0");
  });

  type Ask = (statement: string, parameters?: unknown[]) => Promise<unknown>;
  const ask = async (statement: string, parameters: unknown[] = []): Promise<Record<string, unknown>> => {
    const [row] = await neon(stack.databaseUrl).query(statement, parameters);
    return row ?? {};
  };
  const connect = async (): Promise<pg.Client> => {
    const opened = new pg.Client({ connectionString: stack.postgresUrl });
    await opened.connect();
    return opened;
  };
  const insert = async (
    stamp: Stamp | null,
    { by = ask, type = "custom" }: { readonly by?: Ask; readonly type?: string } = {},
  ): Promise<string> => {
    serial += 1;
    try {
      await by(
        `INSERT INTO short_links (id, domain, short_code, long_url, type, version, filter_epoch, filter_adds)
         VALUES ($1, 'go.example.com', $2, 'https://example.com/', $3, 1, $4, $5)`,
        [serial, `code-${serial}`, type, stamp?.[0] ?? null, stamp?.[1] ?? null],
      );
      return "inserted";
    } catch (error) {
      const isRefusal = error instanceof NeonDbError || error instanceof pg.DatabaseError;
      return isRefusal ? String(error.constraint) : "another error";
    }
  };
  const raise = async (epoch: number): Promise<number> => {
    const { fence } = await ask("SELECT raise_filter_fence($1, $1) AS fence", [epoch]);
    return Number(fence);
  };
  const settle = async (epoch: number, begun: number, trail: readonly Stamp[]): Promise<[unknown, number]> => {
    const [epochs, counts] = [trail.map(([of]) => of), trail.map(([, count]) => count)];
    const { sound, newest } = await ask("SELECT * FROM settle_filter($1, $2, $3, $4)", [epoch, begun, epochs, counts]);
    return [sound, Number(newest)];
  };

  test("stamps of epochs before the fence are refused by name, and so are those that a row has", async ({ expect }) => {
    expect(await insert([10, 1])).toBe("inserted");
    expect(await insert([10, 1])).toBe("short_links_filter_key");
    expect([await raise(20), await raise(15)]).toEqual([20, 20]);
    expect([await insert([19, 1]), await insert([20, 1]), await insert([21, 1])]).toEqual([
      "short_links_filter_fence",
      "inserted",
      "inserted",
    ]);
    expect(await insert(null, { type: "auto" })).toBe("inserted");
  });

  test("a filter is sound while every row's stamp is on its trail", async ({ expect }) => {
    await insert([10, 1]);
    await insert([10, 2]);
    expect(await settle(11, 5, [[10, 2]])).toEqual([true, 11]);
    await insert([11, 1]);
    expect(await settle(12, 5, [[11, 4]])).toEqual([true, 12]);
    await insert([12, 7]);
    expect(
      await settle(14, 5, [
        [11, 4],
        [12, 7],
      ]),
    ).toEqual([true, 14]);
  });

  test("it is unsound when a row has a later stamp, or one of an epoch that it never had, and stays so", async ({
    expect,
  }) => {
    await insert([10, 3]);
    expect(await settle(12, 5, [[10, 2]])).toEqual([false, 12]);
    expect(await settle(13, 5, [[10, 3]])).toEqual([false, 13]);
    expect(await settle(14, 14, [[13, 0]])).toEqual([true, 14]);
    await insert([15, 1]);
    expect(await settle(17, 14, [[14, 0]])).toEqual([false, 17]);
  });

  test("nothing is concluded when Postgres knows of a later epoch", async ({ expect }) => {
    await insert([10, 3]);
    await raise(20);
    expect(await settle(15, 5, [[10, 2]])).toEqual([false, 20]);
    expect(await settle(21, 5, [[10, 3]])).toEqual([true, 21]);
    await insert([30, 1]);
    expect(await settle(25, 5, [[21, 0]])).toEqual([false, 30]);
  });

  test("codes that came past the filter make it unsound, until a generation is begun that has read them", async ({
    expect,
  }) => {
    await insert(null);
    await insert(null);
    expect(await settle(11, 5, [[10, 0]])).toEqual([false, 11]);
    expect(await settle(12, 5, [[11, 0]])).toEqual([false, 12]);
    await insert(null);
    await raise(20);
    expect(await settle(21, 19, [[20, 0]])).toEqual([false, 21]);
    expect(await settle(22, 20, [[21, 0]])).toEqual([true, 22]);
    await ask("UPDATE short_links SET short_code = short_code || '-renamed'");
    expect(await settle(23, 20, [[22, 0]])).toEqual([false, 23]);
    await ask("UPDATE short_links SET click_count = 1");
    await raise(30);
    expect(await settle(31, 30, [[30, 0]])).toEqual([true, 31]);
  });

  test("the fence waits for an insertion under way, and later ones wait for the fence", async ({ expect }) => {
    // An embedded Postgres is one backend and can wait for nobody.
    if (stack.postgresConnections < 4) return;
    const [slow, late] = [await connect(), await connect()];
    await slow.query("BEGIN");
    await insert([10, 1], { by: (...query) => slow.query(...query) });
    let isRaised = false;
    const raising = raise(11).then((fence) => {
      isRaised = true;
      return fence;
    });
    await new Promise((resolve) => void setTimeout(resolve, 100));
    const inserting = insert([10, 2], { by: (...query) => late.query(...query) });
    await new Promise((resolve) => void setTimeout(resolve, 100));
    expect(isRaised).toBe(false);
    await slow.query("COMMIT");
    expect([await raising, await inserting]).toEqual([11, "short_links_filter_fence"]);
    await Promise.all([slow.end(), late.end()]);
  });
});
