/**
 * `npm run dev` keeps what it was given over a restart, starts empty when asked, and leaves nothing running.
 *
 * @module
 */
import { execFile } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, test } from "vitest";
import { startDev } from "./dev-process.ts";
import { fieldOf } from "./service.ts";

const KEY = { Authorization: "Bearer hop_dev_admin" };
const COUNTED_WITHIN_MS = 10_000;
let dataDir: string;

beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), "hop-restart-"));
});
afterAll(() => rm(dataDir, { recursive: true, force: true }));

async function create(
  origin: string,
  longUrl: string,
  customCode?: string,
): Promise<{ status: number; code: string; id: string }> {
  const answer = await fetch(`${origin}/api/v1/links`, {
    method: "POST",
    headers: { ...KEY, "Content-Type": "application/json" },
    body: JSON.stringify({ longUrl, ...(customCode === undefined ? {} : { customCode }) }),
  });
  const body: unknown = await answer.json();
  return { status: answer.status, code: String(fieldOf(body, "shortCode")), id: String(fieldOf(body, "id")) };
}

async function visit(origin: string, code: string, times: number): Promise<string | null> {
  let location: string | null = null;
  for (let visits = 0; visits < times; visits += 1) {
    location = (await fetch(`${origin}/${code}`, { redirect: "manual" })).headers.get("Location");
  }
  return location;
}

async function settledCount(origin: string, code: string, expected: number): Promise<number> {
  const deadline = Date.now() + COUNTED_WITHIN_MS;
  for (;;) {
    const count = Number(
      fieldOf(await (await fetch(`${origin}/api/v1/links/${code}`, { headers: KEY })).json(), "clickCount"),
    );
    if (count === expected || Date.now() > deadline) return count;
    await new Promise((resolve) => setTimeout(resolve, 250));
  }
}

/** The processes that were started with this folder: none once it has ended. */
async function processesOf(folder: string): Promise<string[]> {
  const { stdout } = await promisify(execFile)("ps", ["-eo", "args"]);
  return stdout.split("\n").filter((line) => line.includes(folder));
}

test(
  "links, codes and counts outlive a restart, and nothing is left running",
  { timeout: 180_000 },
  async ({ expect }) => {
    const first = await startDev(dataDir);
    expect(first.output()).toContain("hop_dev_admin");
    expect(first.output().match(/^ {2}curl /gm)).toHaveLength(3);
    const auto = await create(first.origin, "https://example.com/kept?a=1#b");
    const custom = await create(first.origin, "https://example.com/custom", "kept");
    expect([auto.status, custom.status]).toEqual([201, 201]);
    await visit(first.origin, auto.code, 7);
    expect(await settledCount(first.origin, auto.code, 7)).toBe(7);
    expect(await first.stop()).toBe(0);
    expect(await processesOf(dataDir)).toEqual([]);

    const second = await startDev(dataDir);
    expect(await visit(second.origin, auto.code, 3)).toBe("https://example.com/kept?a=1#b");
    expect(await settledCount(second.origin, auto.code, 10)).toBe(10);
    expect(await create(second.origin, "https://example.com/kept?a=1#b")).toMatchObject({
      status: 200,
      code: auto.code,
    });
    expect(await create(second.origin, "https://example.com/other", "kept")).toMatchObject({ status: 409 });
    // B220: an id of the second run is none of the first.
    const next = await create(second.origin, "https://example.com/next");
    expect(BigInt(next.id) > BigInt(custom.id)).toBe(true);
    expect(await second.stop()).toBe(0);

    const third = await startDev(dataDir, ["--fresh"]);
    expect((await fetch(`${third.origin}/kept`)).status).toBe(404);
    expect(await third.stop()).toBe(0);
    expect(await processesOf(dataDir)).toEqual([]);
  },
);
