/**
 * What does an id cost through its Durable Object? `next(1)` and `next(100)` beside a bare call of an object that does nothing, in
 * the same workerd, from 32 callers at once.
 *
 *   node bench/sequencer.ts        goal: at least 0.8 of the bare call
 *
 * @module
 */
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { createTestHarness } from "wrangler";
import { median } from "./measure.ts";

// Else the local runtime asks the network what a visitor from here looks like.
process.env["CLOUDFLARE_CF_FETCH_ENABLED"] = "false";

const ROOT = fileURLToPath(new URL("..", import.meta.url));
const CALLS = 20_000;
const CALLERS = 32;
const ROUNDS = 7;
const GOAL = 0.8;
const HOST = "https://bench.example.test";

/** A Worker that calls an object again and again, and says how long that took. */
const WORKER = `
import { DurableObject } from "cloudflare:workers";
export { Sequencer } from ${JSON.stringify(`${ROOT}worker/sequencer/object.ts`)};

export class Bare extends DurableObject {
  next() {
    return { kind: "issued", runs: [{ first: 403224963655405568n, count: 1 }] };
  }
}

export default {
  async fetch(request, env) {
    const { searchParams } = new URL(request.url);
    const count = Number(searchParams.get("count"));
    const stub = count === 0 ? env.BARE.get(env.BARE.idFromName("bare")) : env.SEQUENCER.get(env.SEQUENCER.idFromName("classic-0"));
    const name = { layout: "classic", machine: 0 };
    let left = Number(searchParams.get("calls"));
    const caller = async () => {
      while (left-- > 0) {
        const answer = await stub.next(name, count, false);
        if (answer.kind !== "issued") throw new Error(answer.reason);
      }
    };
    const start = Date.now();
    await Promise.all(Array.from({ length: Number(searchParams.get("callers")) }, caller));
    return Response.json({ ms: Date.now() - start });
  },
};
`;

async function main(): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), "hop-bench-"));
  const entry = join(folder, "worker.ts");
  await writeFile(entry, WORKER);
  const server = createTestHarness({
    workers: [
      {
        config: {
          name: "bench",
          main: entry,
          compatibility_date: "2026-11-01",
          durable_objects: {
            bindings: [
              { name: "SEQUENCER", class_name: "Sequencer" },
              { name: "BARE", class_name: "Bare" },
            ],
          },
          migrations: [{ tag: "v1", new_sqlite_classes: ["Sequencer", "Bare"] }],
        },
      },
    ],
  });
  await server.listen();
  try {
    const run = async (count: number): Promise<number> => {
      const answer = await server.fetch(`${HOST}/?count=${count}&calls=${CALLS}&callers=${CALLERS}`);
      const { ms } = JSON.parse(await answer.text());
      return (CALLS * 1000) / Number(ms);
    };
    await report(run);
  } finally {
    await server.close();
    await rm(folder, { recursive: true, force: true });
  }
}

/** Takes turns, so that whatever else the machine does meets all alike; the median of the rounds counts. */
async function report(run: (count: number) => Promise<number>): Promise<void> {
  for (const count of [0, 1, 100]) await run(count);
  const rates = { bare: [] as number[], one: [] as number[], hundred: [] as number[] };
  for (let round = 0; round < ROUNDS; round += 1) {
    rates.bare.push(await run(0));
    rates.one.push(await run(1));
    rates.hundred.push(await run(100));
  }
  const bare = median(rates.bare);
  const lines: readonly (readonly [string, number, number])[] = [
    ["bare call", bare, 0],
    ["next(1)", median(rates.one), 1],
    ["next(100)", median(rates.hundred), 100],
  ];
  for (const [name, calls, ids] of lines) {
    const share = (calls / bare).toFixed(2);
    const verdict = ids === 0 ? "" : `  ${share} of the bare call (goal ${GOAL})  ${Math.round(calls * ids)} ids/s`;
    console.log(`${name.padEnd(10)} ${String(Math.round(calls)).padStart(7)} calls/s${verdict}`);
  }
}

await main();
