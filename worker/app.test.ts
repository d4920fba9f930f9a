/**
 * Creations go on while sequencers fail and clocks go back, and no code is given twice; when no sequencer gives ids, the answer
 * says when to come back.
 *
 * @module
 */
import { reset } from "cloudflare:test";
import { env, exports } from "cloudflare:workers";
import { afterEach, beforeEach, test, vi } from "vitest";
import { isRecord } from "../shared/json.ts";

const HOST = "https://app.example.test";
const SHARDS = 4;
let serial = 0;

beforeEach(reset);
afterEach(() => void vi.restoreAllMocks());

async function create(): Promise<{ readonly status: number; readonly id: string; readonly retryAfter: string | null }> {
  serial += 1;
  const answer = await exports.default.fetch(`${HOST}/api/v1/links`, {
    method: "POST",
    headers: { Authorization: "Bearer test-admin-key", "Content-Type": "application/json" },
    body: JSON.stringify({ longUrl: `https://example.com/${serial}`, unique: true }),
  });
  const body: unknown = await answer.json();
  const id = isRecord(body) ? String(body["id"]) : "";
  return { status: answer.status, id, retryAfter: answer.headers.get("Retry-After") };
}

/** Makes the object of a machine serve another one, so that it fails for this one ever after. */
const misuse = (machine: number) =>
  env.SEQUENCER.get(env.SEQUENCER.idFromName(`classic-${machine}`)).next(
    { layout: "classic", machine: machine + 100 },
    1,
    false,
  );

const PATIENT = { timeout: 30_000 };

test(
  "creations go on while any sequencer is left, and say when to come back when none is",
  PATIENT,
  async ({ expect }) => {
    for (let broken = 1; broken <= SHARDS; broken += 1) {
      await reset();
      for (let machine = 0; machine < broken; machine += 1) await misuse(machine);
      const created = await create();
      expect(created.status).toBe(broken < SHARDS ? 201 : 503);
      if (created.status === 503) expect(created.retryAfter).toMatch(/^\d+$/);
    }
  },
);

test(
  "creations go on through clocks that go back by 3 ms, 50 ms, 1 s and 1 h, and every id is another",
  PATIENT,
  async ({ expect }) => {
    const real = Date.now.bind(Date);
    const ids: string[] = [];
    const clock = vi.spyOn(Date, "now");
    for (const backMs of [0, 3, 0, 50, 0, 1000, 0, 3_600_000, 0]) {
      clock.mockImplementation(() => real() - backMs);
      for (let round = 0; round < 5; round += 1) {
        const { status, id } = await create();
        expect(status).toBe(201);
        ids.push(id);
      }
    }
    expect(new Set(ids).size).toBe(45);
  },
);
