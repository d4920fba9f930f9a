/**
 * What does the deploy build weigh, and how long does a cold isolate take to its first redirect? Beside a Worker of a few lines that makes
 * the same two look-ups. Both from the start of a `workerd` process, of which the bare one's time is the share of the process.
 *
 *   node bench/cold-start.ts
 *
 * @module
 */
import { readFile } from "node:fs/promises";
import { performance } from "node:perf_hooks";
import { gzipSync } from "node:zlib";
import { run } from "./load.ts";
import { median, print } from "./measure.ts";
import { BACKENDS, createLinks, VISITOR } from "./visits.ts";
import { type BenchParts, buildDeploy, withBench, withStack } from "./workerd.ts";

const STARTS = 15;
/** Compressed, what a Worker may weigh on the free plan (Cloudflare Workers, limits); paid plans take 10 MB. */
const FREE_PLAN_BYTES = 3 * 1024 * 1024;
/** A Worker has so long for its global scope (the same source). */
const STARTUP_LIMIT_MS = 1000;

async function main(): Promise<void> {
  await withStack(async (place) => {
    const build = await buildDeploy(place.folder);
    await weigh(build);
    const hop = { ...place, build, peers: {} };
    const bare = { ...place, peers: { BACKENDS } };
    const [code = ""] = await withBench(hop, (bench) => createLinks(bench, 1));
    const ours: number[] = [];
    const theirs: number[] = [];
    for (let start = 0; start < STARTS; start += 1) {
      ours.push(await firstRedirect(hop, "HOP", code));
      theirs.push(await firstRedirect(bare, "BACKENDS", code));
    }
    const [hopMs, bareMs] = [median(ours), median(theirs)];
    print(`${(hopMs / bareMs).toFixed(2)}  first redirect of a new process ÷ the same of a bare Worker`);
    print(`      (${hopMs.toFixed(0)} ms and ${bareMs.toFixed(0)} ms; a global scope may take ${STARTUP_LIMIT_MS} ms)`);
  });
}

async function weigh(build: string): Promise<void> {
  const source = await readFile(build);
  const packed = gzipSync(source, { level: 9 }).length;
  print(`${(packed / FREE_PLAN_BYTES).toFixed(2)}  bundle ÷ what the free plan takes, both compressed`);
  print(`      (${kibibytes(packed)} compressed, ${kibibytes(source.length)} as it is)`);
}

async function firstRedirect(parts: BenchParts, name: string, code: string): Promise<number> {
  const begun = performance.now();
  return withBench(parts, async (bench) => {
    const visit = { port: bench.target(name).port, paths: [`/${code}`], headers: VISITOR, connections: 1 };
    const { statuses } = await run({ ...visit, calls: 1 });
    const took = performance.now() - begun;
    if (statuses["302"] !== 1) throw new Error(`no redirect: ${JSON.stringify(statuses)}`);
    return took;
  });
}

function kibibytes(bytes: number): string {
  return `${(bytes / 1024).toFixed(0)} KiB`;
}

await main();
