/**
 * Any text of a visitor comes back from CSV as it was, and none is a formula.
 *
 * @module
 */
import { test } from "vitest";
import type { ClickShown } from "../../../shared/schema/stats.ts";
import { clicksAsCsv } from "./csv.ts";

const click: ClickShown = {
  id: "0f0e0d0c-0b0a-4908-8706-050403020100",
  time: "2026-12-01T08:00:00.000Z",
  country: "DE",
  region: null,
  city: 'Frankfurt "am", Main',
  referrer: null,
  source: null,
  language: null,
  device: null,
  browser: null,
  os: null,
  utmSource: "=HYPERLINK(1)",
  utmMedium: "+1",
  utmCampaign: "a-b",
  utmTerm: null,
  utmContent: null,
  destination: null,
  trigger: "link",
  bot: null,
  userAgent: null,
  ip: null,
};

test("B131: fields with commas and quotes are quoted, formulas are made inert, and what is not known is empty", ({
  expect,
}) => {
  const [header, line, end] = clicksAsCsv([click]).split("\r\n");
  expect(header?.split(",")).toHaveLength(21);
  expect(line).toBe(
    `0f0e0d0c-0b0a-4908-8706-050403020100,2026-12-01T08:00:00.000Z,DE,,"Frankfurt ""am"", Main",,,,,,,'=HYPERLINK(1),'+1,a-b,,,,link,,,`,
  );
  expect(end).toBe("");
  expect(clicksAsCsv([])).toMatch(/^id,time,[^\r]*\r\n$/);
});
