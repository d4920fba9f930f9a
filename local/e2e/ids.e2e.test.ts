/**
 * Ids and codes on the running service: keyed codes that tell nothing, old codes that keep working, figures for operators.
 *
 * @module
 */
import { afterAll, beforeAll, inject, test } from "vitest";
import { fieldOf, type Service, startService } from "./service.ts";

const HOST = "ids.example.test";
const KEYS = ["00112233445566778899aabbccddeeff", "ffeeddccbbaa99887766554433221100"];

let plain: Service;
let keyed: Service;
let compact: Service;

beforeAll(async () => {
  plain = await startService(HOST);
  keyed = await startService(HOST, {
    CODE_KEYS: `${KEYS[0]},none`,
    CODE_ALPHABET: "base62",
    CODE_HISTORY: "classic/safe",
  });
  compact = await startService(HOST, {
    CODE_LAYOUT: "compact",
    CODE_HISTORY: "classic/base62,classic/safe",
    CODE_KEYS: `${KEYS[1]},${KEYS[0]},none`,
  });
});
afterAll(() => Promise.all([plain, keyed, compact].map((service) => service.stop())));

async function create(service: Service, path: string): Promise<{ readonly id: string; readonly code: string }> {
  const answer = await service.api("POST", "/links", { longUrl: `https://example.com/${path}`, unique: true });
  const body: unknown = await answer.json();
  return { id: String(fieldOf(body, "id")), code: String(fieldOf(body, "shortCode")) };
}

const locationOf = async (service: Service, code: string): Promise<string | null> =>
  (await service.fetch(`/${code}`)).headers.get("Location");

/** How many requests to each backend named a code. */
async function requestsWith(code: string): Promise<{ readonly redis: number; readonly postgres: number }> {
  const { faultUrls } = inject("stack");
  const count = async (url: string): Promise<number> =>
    Number(fieldOf(await (await fetch(`${url}/count?matching=${code}`)).json(), "count"));
  return { redis: await count(faultUrls.redis), postgres: await count(faultUrls.postgres) };
}

test("a link keeps working after its alphabet, its key and its layout were changed", async ({ expect }) => {
  const first = await create(plain, "plain");
  const second = await create(keyed, "keyed");
  const third = await create(compact, "compact");
  expect(first.code).toMatch(/^[2-9a-zA-Z]{11}$/);
  expect(second.code).toMatch(/^[0-9a-zA-Z]{11}$/);
  expect(third.code).toMatch(/^[2-9a-zA-Z]{8}$/);
  for (const [code, path] of [
    [first.code, "plain"],
    [second.code, "keyed"],
    [third.code, "compact"],
  ] as const) {
    expect(await locationOf(compact, code)).toBe(`https://example.com/${path}`);
  }
  expect(await locationOf(keyed, first.code)).toBe("https://example.com/plain");
});

test("codes made one after the other with a key share no more characters than chance has it", async ({ expect }) => {
  const codes: string[] = [];
  for (let made = 0; made < 30; made += 1) codes.push((await create(keyed, `near-${made}`)).code);
  let agreeing = 0;
  for (const [at, code] of codes.slice(1).entries()) {
    agreeing += Array.from(code).filter((character, index) => character === codes[at]?.[index]).length;
  }
  // 29 pairs of 11 characters out of 62: 5.1 expected; 20 or more happens once in a million runs.
  expect(agreeing).toBeLessThan(20);
});

test("a made-up code of the generator's form is refused without asking Redis or Postgres", async ({ expect }) => {
  for (let made = 0; made < 20; made += 1) {
    const code = Array.from(
      { length: 11 },
      (_, at) => "23456789abcdefghjkmnpqrstuvwxyz"[(made * 7 + at * 13) % 31],
    ).join("");
    expect((await keyed.fetch(`/${code}`)).status).toBe(404);
    expect(await requestsWith(code)).toEqual({ redis: 0, postgres: 0 });
  }
  // A code of another form is looked up: one Redis command, and one more, after the answer, that remembers that there is none.
  await keyed.fetch("/looked-up-once");
  await expect.poll(() => requestsWith("looked-up-once"), { timeout: 5000 }).toEqual({ redis: 2, postgres: 1 });
});

test("/metrics shows ids issued, failovers, and when the layout runs out; it wants a key", async ({ expect }) => {
  expect((await plain.fetch("/metrics")).status).toBe(401);
  const answer = await plain.fetch("/metrics", { headers: { Authorization: "Bearer test-admin-key" } });
  expect(answer.status).toBe(200);
  expect(answer.headers.get("Content-Type")).toContain("text/plain");
  const text = await answer.text();
  expect(text).toMatch(/^hop_ids_issued_total\{layout="classic",machine="\d"\} [1-9]/m);
  for (const name of [
    "hop_clock_rollbacks_total",
    "hop_clock_rollback_max_seconds",
    "hop_ids_from_reserve_total",
    "hop_sequencer_refusals_total",
    "hop_sequencer_failovers_total",
  ]) {
    expect(text).toMatch(new RegExp(`^${name}\\{layout="classic",machine="0"\\} 0$`, "m"));
  }
  expect(text).toMatch(/^hop_spilled_messages_total 0$/m);
  expect(text).toMatch(/^hop_spilled_messages_waiting 0$/m);
  // 2^41 ms after 2023-11-14T22:13:20Z.
  expect(text).toContain('hop_layout_exhausted_timestamp_seconds{layout="classic"} 3899023255.552');
});

test("a configuration that cannot be is refused at the first request, and the log says which variable", async ({
  expect,
}) => {
  const broken = await startService(HOST, { CODE_LAYOUT: "compact", SEQUENCER_SHARDS: "65" });
  const answer = await broken.fetch("/abc");
  expect(answer.status).toBe(500);
  expect(await answer.text()).not.toContain("SEQUENCER_SHARDS");
  expect(broken.logs().join("\n")).toContain("SEQUENCER_SHARDS");
  await broken.stop();
});
