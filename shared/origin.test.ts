/**
 * An origin is taken as a browser sends it, since it is compared letter by letter.
 *
 * @module
 */
import { test } from "vitest";
import { isAllowedOrigin } from "./origin.ts";

test.for([
  "*",
  "https://app.example.com",
  "http://localhost:3000",
  "https://xn--gre-9na2a.example",
  "https://[::1]:8443",
])("%s is one", (text, { expect }) => {
  expect(isAllowedOrigin(text)).toBe(true);
});

test.for([
  "",
  "null",
  "app.example.com",
  "https://app.example.com/",
  "https://app.example.com/path",
  "https://APP.example.com",
  "https://app.example.com:443",
  "https://*.example.com",
  "https://größe.example",
  "https://user@app.example.com",
  "ftp://app.example.com",
  "https://",
  "javascript:alert(1)",
])("%j is none", (text, { expect }) => {
  expect(isAllowedOrigin(text)).toBe(false);
});
