/**
 * Hop never asks a destination for anything: not when a link is made, changed, shown, opened or looked at again. And where a visitor is sent is
 * never taken from what the visitor adds.
 *
 * @module
 */
import { createServer, type Server } from "node:http";
import { once } from "node:events";
import { afterAll, beforeAll, test } from "vitest";
import { type Apart, startApart } from "./apart.ts";
import { type Checks, startChecks } from "./checks.ts";
import { type Outbound, watchOutbound } from "./outbound.ts";
import { fieldOf, type Seen, see, type Service, startService, stranger } from "./service.ts";

const HOST = "never-fetched.example.test";
/** Names whose requests would come to the server below. */
const DESTINATION = "destination.example";
const IDN = "münchen.example";

let apart: Apart;
let checks: Checks;
let outbound: Outbound;
let destination: Server;
let arrived = 0;
let service: Service;

beforeAll(async () => {
  destination = createServer((_, response) => {
    arrived += 1;
    // What has led fetchers astray: a way inside, raw UTF-8, and a page with a title.
    response.writeHead(302, { Location: Buffer.from("http://169.254.169.254/latest/ü", "utf8").toString("latin1") });
    response.end("<title>fetched</title>");
  }).listen(0, "127.0.0.1");
  await once(destination, "listening");
  const address = destination.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;
  [apart, checks] = await Promise.all([startApart(), startChecks()]);
  outbound = watchOutbound();
  for (const host of [DESTINATION, new URL(`https://${IDN}`).hostname, "169.254.169.254"]) {
    checks.zone.set(host, ["1.1.1.1"]);
    outbound.lead(host, `http://127.0.0.1:${port}`);
  }
  service = await startService(HOST, { ...apart.vars, ...checks.vars });
});
afterAll(async () => {
  await service.stop();
  outbound.stop();
  await checks.stop();
  await apart.stop();
  destination.closeAllConnections();
  destination.close();
});

const api = (method: string, path: string, body?: unknown): Promise<Seen> => see(service.api(method, path, body));
const visit = (path: string): Promise<Seen> => see(service.fetch(path, { headers: stranger() }));
/** Which hosts the Worker asked since it had asked so many. */
const askedSince = (before: number): Set<string> =>
  new Set(outbound.urls.slice(before).map((url) => new URL(url).hostname));

/** Does with a link all that can be done with one; answers what the API said of it. */
async function liveThrough(longUrl: string): Promise<readonly Seen[]> {
  const made = await api("POST", "/links", { longUrl, unique: true });
  const code = String(fieldOf(made.body, "shortCode"));
  const said = [
    made,
    await api("PUT", "/links", { externalId: code, longUrl, expiredUrl: longUrl }),
    await api("PATCH", `/links/${code}`, { expiredUrl: `${longUrl}#again` }),
    await api("GET", `/links/${code}`),
  ];
  await api("POST", "/links/bulk", { links: [{ longUrl, unique: true }] });
  for (const path of [`/${code}`, `/${code}+`, `/${code}/qr`]) await visit(path);
  await service.cron();
  return said;
}

test.for([
  ["B090", `https://${DESTINATION}/`, "a page that leads inside"],
  ["B090", `http://${DESTINATION}:22/`, "an odd port"],
  ["B167", `https://${IDN}/ü`, "a host whose redirects are raw UTF-8"],
  ["B194", `https://${DESTINATION}/login?one-time-token=1`, "a token that works once"],
] as const)("%s: nothing is asked of %s (%s), and a title is never made up", async ([, longUrl], { expect }) => {
  const before = outbound.urls.length;
  for (const { status, body } of await liveThrough(longUrl)) {
    expect(status).toBeLessThan(300);
    expect(fieldOf(body, "title")).toBeNull();
  }
  expect(arrived).toBe(0);
  // The resolver, the reputation service, Postgres and Redis are all on this machine.
  expect([...askedSince(before)].toSorted()).toEqual(["127.0.0.1"]);
  expect(checks.names).toContain(new URL(longUrl).hostname);
});

test("B092: a cloud's metadata is neither linked to nor read", async ({ expect }) => {
  const before = outbound.urls.length;
  const seen = await api("POST", "/links", { longUrl: "http://169.254.169.254/latest/meta-data/iam/" });
  expect(seen).toMatchObject({ status: 400, body: { errors: [{ path: "longUrl", reason: "special_address" }] } });
  expect(fieldOf(seen.body, "title")).toBe("Destination not allowed");
  expect(arrived).toBe(0);
  expect([...askedSince(before)].filter((host) => host !== "127.0.0.1")).toEqual([]);
});

const ADDED = [
  "//evil.example",
  "/\\evil.example",
  "/%5Cevil.example",
  "/%09/evil.example",
  "/%2F%2Fevil.example",
  "https:evil.example",
  "https://evil.example/",
];

test.for(ADDED)("B159: %s leads nobody away, whatever route it is given to", async (added, { expect }) => {
  const made = await api("POST", "/links", { longUrl: `https://${DESTINATION}/end`, unique: true });
  const code = String(fieldOf(made.body, "shortCode"));
  const names = ["next", "url", "redirect", "return_to", "continue", "dest", "longUrl"];
  const query = names.map((name) => `${name}=${added}`).join("&");
  for (const route of [
    "/",
    "/healthz",
    "/robots.txt",
    "/favicon.ico",
    "/dashboard",
    "/login",
    "/logout",
    "/api/docs",
  ]) {
    expect((await visit(`${route}?${query}`)).headers["location"]).toBeUndefined();
  }
  expect((await visit(`/${code}?${query}`)).headers["location"]).toBe(`https://${DESTINATION}/end`);
  // As a path, written to the socket: a client would tidy it up.
  const answer = await service.raw(
    `GET ${added.startsWith("/") ? added : `/${added}`} HTTP/1.1\r\nHost: ${HOST}\r\nConnection: close\r\n\r\n`,
  );
  expect(answer).toMatch(/^HTTP\/1\.1 4\d\d /);
  expect(answer).not.toMatch(/^location:/im);
});

test("what leaves the Worker for a destination would have been seen", async ({ expect }) => {
  await fetch(`http://${DESTINATION}/`, { redirect: "manual" });
  expect(arrived).toBe(1);
});
