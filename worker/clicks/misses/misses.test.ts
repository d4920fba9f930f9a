/**
 * Misses are counted in bounds: in an isolate, in a message, and on a day.
 *
 * @module
 */
import { test } from "vitest";
import { type Miss, OTHER_CODES, unpackMisses } from "../../../shared/miss.ts";
import { openDatabase } from "../../testing/stack.ts";
import { createNoteMiss } from "./note.ts";
import { createWriteMisses } from "./store.ts";

const database = openDatabase();
const write = createWriteMisses(database);

/** Where no other test counts. */
const DAY_AT = Date.parse("2024-02-29T23:59:59.999Z");
const miss = (code: string, misses = 1, lastAt = DAY_AT): Miss => ({
  key: { domain: "misses.example.test", code },
  misses,
  lastAt,
});

const key = (code: string) => ({ domain: "d.example", code });

async function rowsOf(day: string): Promise<Readonly<Record<string, number>>> {
  const { rows } = await database.execute<{ code: string; misses: string }>(
    `SELECT code, misses::text AS misses FROM code_misses WHERE day = '${day}'`,
  );
  return Object.fromEntries(rows.map(({ code, misses }) => [code, Number(misses)]));
}

test("a flood of made-up codes is one message, bounded, and no miss is lost in it", async ({ expect }) => {
  const sent: string[] = [];
  const owned: Promise<unknown>[] = [];
  const window = Promise.withResolvers<void>();
  const note = createNoteMiss({ send: async (body) => void sent.push(body), wait: () => window.promise });
  for (let made = 1; made <= 5000; made += 1) note(key(`code-${made}`), made, (work) => owned.push(work));
  note(key("code-7"), 6000, (work) => owned.push(work));
  expect(owned).toHaveLength(1);
  window.resolve();
  await Promise.all(owned);
  const misses = unpackMisses(sent[0]) ?? [];
  expect([sent.length, misses.length]).toEqual([1, 101]);
  expect(misses.reduce((sum, { misses: n }) => sum + n, 0)).toBe(5001);
  expect(misses.find(({ key: { code } }) => code === "code-7")).toEqual({
    key: key("code-7"),
    misses: 2,
    lastAt: 6000,
  });
  expect(misses.at(-1)).toEqual({ key: OTHER_CODES, misses: 4900, lastAt: 5000 });
});

test("misses whose owner was ended by the platform get another one", async ({ expect }) => {
  const sent: string[] = [];
  const owned: Promise<unknown>[] = [];
  const windows: (() => void)[] = [];
  const wait = () => new Promise<void>((resolve) => windows.push(resolve));
  const note = createNoteMiss({ send: async (body) => void sent.push(body), wait });
  for (const now of [1, 10_001, 10_002]) note(key("late"), now, (work) => owned.push(work));
  expect(owned).toHaveLength(2);
  windows[1]?.();
  await owned[1];
  windows[0]?.();
  await Promise.all(owned);
  expect(sent.map((body) => unpackMisses(body)?.[0]?.misses)).toEqual([3]);
});

test("a day keeps a thousand codes apart and sums the rest; a code that is known goes on counting", async ({
  expect,
}) => {
  await write([miss("a", 2), miss("b"), miss("a", 3), miss("leap", 1, DAY_AT + 1)]);
  expect(await rowsOf("2024-02-29")).toEqual({ a: 5, b: 1 });
  expect(await rowsOf("2024-03-01")).toEqual({ leap: 1 });
  await write(Array.from({ length: 1500 }, (_, made) => miss(`made-${made}`)));
  await write([miss("late"), miss("a")]);
  const rows = await rowsOf("2024-02-29");
  expect(Object.keys(rows)).toHaveLength(1001);
  expect(rows["a"]).toBe(6);
  expect(rows["late"]).toBeUndefined();
  expect(Object.values(rows).reduce((sum, n) => sum + n, 0)).toBe(5 + 1 + 1500 + 2);
  await database.execute("DELETE FROM code_misses WHERE domain IN ('misses.example.test', '') AND day < '2024-03-02'");
});
