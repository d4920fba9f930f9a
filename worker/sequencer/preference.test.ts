/**
 * Every place has an order of its own that stays the same, near sequencers first, and together they use all of them alike.
 *
 * @module
 */
import { test } from "vitest";
import { hintOf, preferenceOf } from "./preference.ts";

const COLOS = ["FRA", "AMS", "CDG", "LHR", "IAD", "SJC", "GRU", "NRT", "SIN", "SYD", "JNB", "DXB"];
const placeOf = (colo: string, continent = "") => ({ colo, continent });

test("a place asks every machine once, in the same order each time", ({ expect }) => {
  for (const colo of COLOS) {
    const order = preferenceOf(placeOf(colo), 16, []);
    expect(order.toSorted((a, b) => a - b)).toEqual(Array.from({ length: 16 }, (_, machine) => machine));
    expect(preferenceOf(placeOf(colo), 16, [])).toEqual(order);
  }
});

test("one more shard moves only the places that now prefer it", ({ expect }) => {
  for (let at = 0; at < 300; at += 1) {
    const [before] = preferenceOf(placeOf(`C${at}`), 8, []);
    const [after] = preferenceOf(placeOf(`C${at}`), 9, []);
    expect([before, 8]).toContain(after);
  }
});

test("places spread over the machines about evenly", ({ expect }) => {
  const shares = new Map<number, number>();
  for (let at = 0; at < 4000; at += 1) {
    const [first = -1] = preferenceOf(placeOf(`C${at}`), 8, []);
    shares.set(first, (shares.get(first) ?? 0) + 1);
  }
  for (let machine = 0; machine < 8; machine += 1) {
    expect(shares.get(machine)).toBeGreaterThan(400);
    expect(shares.get(machine)).toBeLessThan(600);
  }
});

test("with location hints, the machines of the visitor's continent come first", ({ expect }) => {
  const hints = ["enam", "weur", "apac", "eeur"] as const;
  for (const colo of COLOS) {
    const order = preferenceOf(placeOf(colo, "EU"), 8, hints);
    expect(order.slice(0, 4).toSorted((a, b) => a - b)).toEqual([1, 3, 5, 7]);
  }
  expect(hintOf(5, hints)).toBe("weur");
  expect(hintOf(5, [])).toBeUndefined();
});

test("a place that is not known has an order too", ({ expect }) => {
  expect(preferenceOf(placeOf(""), 4, ["afr"])).toHaveLength(4);
});
