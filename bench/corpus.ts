/**
 * Does every URL that people really write survive the whole service? Creates a link for each line of a file, follows it and
 * compares `Location` with what the WHATWG serialiser gives; then follows some of them many times in random order and waits
 * until every link's count is exactly its visits.
 *
 *   node bench/corpus.ts FILE [--url http://localhost:8787] [--key hop_dev_admin]
 *
 * Exits with 1 when one URL came back altered, was refused for no reason of the policy, or was counted wrong.
 *
 * @module
 */
import { readFile } from "node:fs/promises";
import { parseArgs } from "node:util";
import { isRecord } from "../shared/json.ts";

const AT_ONCE = 16;
const REPEATED_LINKS = 200;
const REPEATS = 10;
/** A click shows within this long of its redirect. */
const COUNTED_WITHIN_MS = 10_000;
const POLL_MS = 500;
/** Any seed will do; the same one gives the same order. */
const SEED = 20_261_201;

interface Link {
  readonly input: string;
  readonly shortCode: string;
  readonly countBefore: number;
  visits: number;
}

interface Outcome {
  readonly links: Link[];
  readonly refused: Map<string, string[]>;
  readonly wrong: string[];
}

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    url: { type: "string", default: "http://localhost:8787" },
    key: { type: "string", default: "hop_dev_admin" },
  },
});

async function main(): Promise<void> {
  const [file] = positionals;
  if (file === undefined) throw new Error("Name the file with one URL a line.");
  const inputs = (await readFile(file, "utf8")).split("\n").filter((line) => line !== "");
  const outcome: Outcome = { links: [], refused: new Map(), wrong: [] };

  const creationMs = await timed(() => inParallel(inputs, (input) => createAndFollow(input, outcome)));
  const byCode = [...new Map(outcome.links.map((link) => [link.shortCode, link])).values()];
  const repeated = shuffled(byCode, SEED).slice(0, REPEATED_LINKS);
  const visits = shuffled(Array.from({ length: REPEATS }, () => repeated).flat(), SEED + 1);
  const visitMs = await timed(() => inParallel(visits, (link) => follow(link, outcome)));
  const counted = await waitForCounts(outcome.links);

  report(inputs.length, outcome, { creationMs, visitMs, visits: visits.length, counted });
  if (outcome.wrong.length > 0 || counted.wrong.length > 0) process.exitCode = 1;
}

async function createAndFollow(input: string, outcome: Outcome): Promise<void> {
  const response = await fetch(`${values.url}/api/v1/links`, {
    method: "POST",
    headers: { Authorization: `Bearer ${values.key}`, "Content-Type": "application/json" },
    body: JSON.stringify({ longUrl: input }),
  });
  const body: unknown = await response.json();
  if (!isRecord(body)) throw new Error("The API answered no object.");
  if (response.status === 400 && body["code"] === "url_not_allowed") {
    const reason = String(body["detail"]);
    outcome.refused.set(reason, [...(outcome.refused.get(reason) ?? []), input]);
    return;
  }
  if (response.status !== 200 && response.status !== 201) {
    outcome.wrong.push(`${input}: created with ${response.status} ${JSON.stringify(body)}`);
    return;
  }
  const shortCode = String(body["shortCode"]);
  // Two lines may spell one URL: they share a link, and their visits are counted on it.
  const same = outcome.links.find((link) => link.shortCode === shortCode);
  const link = same ?? { input, shortCode, countBefore: Number(body["clickCount"]), visits: 0 };
  if (same === undefined) outcome.links.push(link);
  await follow(link, outcome);
}

async function follow(link: Link, outcome: Outcome): Promise<void> {
  const response = await fetch(`${values.url}/${link.shortCode}`, { redirect: "manual" });
  const location = response.headers.get("Location");
  const expected = new URL(link.input).href;
  link.visits += 1;
  if (response.status !== 302 || location !== expected) {
    outcome.wrong.push(`${link.input}: answered ${response.status} ${location ?? ""}, not ${expected}`);
  }
}

/** Asks again until every count is right. One that is still wrong when it is asked for after the time allowed is wrong for good. */
async function waitForCounts(
  links: readonly Link[],
): Promise<{ readonly wrong: readonly string[]; readonly afterMs: number }> {
  const start = Date.now();
  const wrong: string[] = [];
  let open = [...links];
  while (open.length > 0) {
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
    const still: Link[] = [];
    await inParallel(open, async (link) => {
      const isLate = Date.now() - start > COUNTED_WITHIN_MS;
      const count = await countOf(link.shortCode);
      const expected = link.countBefore + link.visits;
      if (count === expected) return;
      if (isLate) wrong.push(`${link.input}: ${count} counted, ${expected} visits`);
      else still.push(link);
    });
    open = still;
  }
  return { wrong, afterMs: Date.now() - start };
}

async function countOf(shortCode: string): Promise<number> {
  const response = await fetch(`${values.url}/api/v1/links/${shortCode}`, { headers: { "X-Api-Key": values.key } });
  const body: unknown = await response.json();
  return isRecord(body) ? Number(body["clickCount"]) : Number.NaN;
}

async function inParallel<T>(items: readonly T[], work: (item: T) => Promise<void>): Promise<void> {
  const queue = items.values();
  const worker = async (): Promise<void> => {
    for (const item of queue) await work(item);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
}

async function timed(work: () => Promise<void>): Promise<number> {
  const start = performance.now();
  await work();
  return performance.now() - start;
}

/** Fisher and Yates' shuffle over a linear congruential generator (Numerical Recipes' constants). */
function shuffled<T>(items: readonly T[], seed: number): T[] {
  const result = [...items];
  let state = seed >>> 0;
  for (let at = result.length - 1; at > 0; at -= 1) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    const other = Math.floor((state / 2 ** 32) * (at + 1));
    [result[at], result[other]] = [pick(result, other), pick(result, at)];
  }
  return result;
}

function pick<T>(items: readonly T[], at: number): T {
  const item = items[at];
  if (item === undefined) throw new RangeError(`There is no item ${at}.`);
  return item;
}

function perSecond(count: number, ms: number): string {
  return `${Math.round((count * 1000) / ms)}/s`;
}

interface Figures {
  readonly creationMs: number;
  readonly visitMs: number;
  readonly visits: number;
  readonly counted: { readonly wrong: readonly string[]; readonly afterMs: number };
}

function report(lines: number, { links, refused, wrong }: Outcome, figures: Figures): void {
  const refusals = [...refused.values()].flat().length;
  console.log(`${lines} URLs: ${lines - refusals} accepted as ${links.length} links, ${refusals} refused`);
  for (const [reason, inputs] of [...refused].toSorted((a, b) => b[1].length - a[1].length)) {
    console.log(`  ${String(inputs.length).padStart(4)}  ${reason}`);
  }
  console.log(`created and followed at ${perSecond(lines, figures.creationMs)}, ${AT_ONCE} at once`);
  console.log(`followed ${figures.visits} times more at ${perSecond(figures.visits, figures.visitMs)}`);
  const seconds = (figures.counted.afterMs / 1000).toFixed(1);
  console.log(
    `all counts read ${seconds} s after the last visit, each right within 10 s but ${figures.counted.wrong.length}`,
  );
  for (const line of [...wrong, ...figures.counted.wrong].slice(0, 20)) console.log(`  WRONG ${line}`);
  console.log(`${wrong.length} answers wrong`);
}

await main();
