/**
 * A visit becomes one click: only where somebody came, and under an id of its own.
 *
 * @module
 */
import { test } from "vitest";
import { unpackMessage } from "../../shared/click.ts";
import { createCapture, type PackParts, packVisits, type Visit } from "./capture.ts";

const AT = 1_800_000_000_000;

function capture(request: Request): Visit[] {
  const kept: Visit[] = [];
  createCapture((visit) => void kept.push(visit))(
    request,
    { linkId: "7", at: AT, destination: "https://example.com/" },
    () => {},
  );
  return kept;
}

test("a visit is noted as it was seen, and HEAD and prefetches are no visits", ({ expect }) => {
  const address = "https://go.example/abc";
  expect(capture(new Request(address, { headers: { "User-Agent": "Browser/1" } }))).toMatchObject([
    { linkId: "7", at: AT, destination: "https://example.com/", seen: { userAgent: "Browser/1", referrer: null } },
  ]);
  expect(capture(new Request(address, { method: "HEAD" }))).toEqual([]);
  expect(capture(new Request(address, { headers: { "Sec-Purpose": "prefetch" } }))).toEqual([]);
});

test("every visit has an id of its own, also beside those of other messages", async ({ expect }) => {
  const visits = Array.from({ length: 256 }, () => capture(new Request("https://go.example/abc"))).flat();
  const parts: PackParts = {
    ipMode: "truncated",
    visitorHash: async () => null,
    mintId: () => crypto.randomUUID(),
    takeCounts: () => undefined,
  };
  const messages = (await Promise.all([1, 2, 3].map(() => packVisits(visits, parts)))).flat();
  const clicks = messages
    .map(({ body }) => unpackMessage(body))
    .flatMap((message) => (message.ok ? message.clicks : []));
  expect(clicks).toHaveLength(768);
  expect(new Set(clicks.map((click) => click.id)).size).toBe(768);
});
