/**
 * Times as services write them.
 *
 * @module
 */
import { test } from "vitest";
import { timeOf } from "./times.ts";

test("every notation that can be told for certain gives its instant, and no other gives one", ({ expect }) => {
  const noon = Date.UTC(2026, 0, 5, 12, 0, 0);
  const times: readonly unknown[] = [
    "2026-01-05T12:00:00Z",
    "2026-01-05T12:00:00.000000Z",
    "2026-01-05T13:00:00+01:00",
    "2026-01-05T12:00:00+0000",
    "2026-01-05 07:00:00-05",
    "2026-01-05 12:00",
    "2026-01-05 12:00:00 UTC",
    " 2026-01-05 12:00:00 ",
    "1767614400",
    1_767_614_400,
    "1767614400000",
    "Jan 5, 2026 12:00",
    "Jan 5, 2026, 12:00 PM",
    "January 5, 2026 12:00",
    "5 January 2026 12:00",
    "Mon, 05 Jan 2026 12:00:00 GMT",
    "Mon Jan 05 2026 13:00:00 GMT+0100 (Central European Standard Time)",
  ];
  expect(times.map(timeOf)).toEqual(times.map(() => noon));
  expect(timeOf("2026-01-05")).toBe(Date.UTC(2026, 0, 5));
  const none = [
    "05/01/2026",
    "5.1.2026",
    "2026-02-30",
    "2026-13-01",
    "2026-01-05T25:00:00Z",
    "yesterday",
    "",
    "12",
    null,
    {},
    "1969-12-31",
    "Feb 2026",
    true,
  ];
  expect(none.map(timeOf)).toEqual(none.map(() => undefined));
});
