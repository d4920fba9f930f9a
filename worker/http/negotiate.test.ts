/**
 * A person gets a page, a program gets a document.
 *
 * @module
 */
import { test } from "vitest";
import { prefersJson } from "./negotiate.ts";

test.for([
  [null, false],
  ["*/*", false],
  ["text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8", false],
  ["application/json", true],
  ["application/problem+json", true],
  ["application/json;q=0.5, text/html", false],
  ["text/html;q=0.5, application/json;q=0.9", true],
  ["APPLICATION/JSON", true],
  [";;;,q=,", false],
] as const)("Accept: %s", ([accept, json], { expect }) => {
  expect(prefersJson(accept)).toBe(json);
});
