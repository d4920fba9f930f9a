/**
 * The doctor asks the resolver and the reputation service that a configuration names, and tells what is wrong with them.
 *
 * @module
 */
import { afterAll, beforeAll, test } from "vitest";
import { dohHandler } from "../checks/doh.ts";
import { webRiskHandler } from "../checks/web-risk.ts";
import { json, listen, type Listener } from "../listener.ts";
import { checkUrlChecks } from "./url-checks.ts";

const KEY = "doctor-key";
let dns: Listener;
let reputation: Listener;
let neither: Listener;

beforeAll(async () => {
  dns = await listen(dohHandler(new Map([["example.com", ["1.1.1.1"]]]), []));
  reputation = await listen(webRiskHandler(KEY, new Map(), []));
  neither = await listen(async () => json(200, []));
});
afterAll(async () => {
  for (const one of [dns, reputation, neither]) await one.stop();
});

const found = async (values: Readonly<Record<string, string>>) =>
  (await checkUrlChecks((name) => values[name] ?? "")).map(({ status, what }) => `${what} ${status}`);

test("what is switched on and answers is well; what is off is not asked", async ({ expect }) => {
  expect(await found({})).toEqual([]);
  const REPUTATION_URL = `${reputation.origin}/v1/uris:search`;
  expect(await found({ DNS_CHECK_URL: `${dns.origin}/dns-query`, REPUTATION_URL, REPUTATION_KEY: KEY })).toEqual([
    "DNS_CHECK_URL ok",
    "REPUTATION_URL ok",
  ]);
});

test("a wrong key, half of a pair, others' servers and nobody are told apart from that", async ({ expect }) => {
  const REPUTATION_URL = `${reputation.origin}/v1/uris:search`;
  expect(await found({ REPUTATION_URL, REPUTATION_KEY: "wrong" })).toEqual(["REPUTATION_URL problem"]);
  expect(await found({ REPUTATION_URL })).toEqual(["REPUTATION_KEY warning"]);
  expect(await found({ REPUTATION_KEY: KEY })).toEqual(["REPUTATION_URL warning"]);
  for (const url of [neither.origin, "http://127.0.0.1:1/"]) {
    expect(await found({ DNS_CHECK_URL: url, REPUTATION_URL: url, REPUTATION_KEY: KEY })).toEqual([
      "DNS_CHECK_URL problem",
      "REPUTATION_URL problem",
    ]);
  }
});
