/**
 * Builds the filter of custom codes anew from Postgres: when there is none (at first, after a flush, when it was given up), when
 * it has become too small, when another capacity is configured, and once a week. The old generation serves meanwhile, and
 * additions go to both.
 *
 * 1. The new generation is announced: from the epoch that begins with it, every addition goes to it too.
 * 2. Postgres refuses stamps of earlier epochs from then on. So a row either stands there already, or was added to it.
 * 3. The rows are read in pages. Each page moves the cursor from the place where it was found, so that builders who meet
 *    share the work, and a run that was cut off is gone on with by the next.
 * 4. A new epoch begins, Postgres is compared with what Redis remembers, and only if nothing is missing the generation serves.
 *
 * @module
 */
import { geometryFor } from "../../shared/bloom.ts";
import type { CodeKey } from "../../shared/entry.ts";
import type { FilterTruth } from "../entries/filter.ts";
import type { BuildState, FilterBuild } from "../entries/filter-build.ts";
import { log } from "../telemetry/log.ts";

/** A custom link, as far as the filter is concerned. */
export interface CustomRow {
  /** The snowflake in decimal. */
  readonly id: string;
  readonly key: CodeKey;
}

/** The custom links with ids above `after`, in their order, `limit` at most. Rejects with `BackendDown`. */
export type ReadCustomRows = (after: string, limit: number) => Promise<readonly CustomRow[]>;

/** What a rebuild needs, handed in. */
export interface RebuildParts {
  readonly build: FilterBuild;
  readonly truth: FilterTruth;
  readonly readRows: ReadCustomRows;
  /** For how many codes a filter is to be built. */
  readonly capacity: number;
  /** A name that no generation ever had. */
  readonly newName: () => string;
  /** Epoch milliseconds. */
  readonly clock: () => number;
  readonly limits?: RebuildLimits;
}

/** How much one run does. */
export interface RebuildLimits {
  readonly runMs: number;
  readonly pages: number;
  readonly rowsAPage: number;
  readonly rowsACommand: number;
}

/** What a run did. `paused`: the next one goes on. */
export type RebuildOutcome = "idle" | "paused" | "served" | "dropped";

/**
 * 2 million codes in well under a minute of cron's 15, with 800 of the 1,000 subrequests of a run; on the free plan, with 50, a
 * run ends after some 11 pages. The next goes on. 5,000 codes are 170 KB and 50,000 bits to be set, some 30 ms for Redis.
 */
const LIMITS: RebuildLimits = { runMs: 50_000, pages: 200, rowsAPage: 10_000, rowsACommand: 5000 };
const WEEK_MS = 7 * 24 * 60 * 60 * 1000;
/** Room for what comes until the next rebuild, when there are more codes than the configured capacity. */
const GROWTH = 1.5;
/** The most that a filter is built for: 1.7 GiB in Redis. */
const MAX_CAPACITY = 1_000_000_000;
/** How often a comparison that was overtaken by a pause is repeated. */
const MAX_COMPARISONS = 3;

/** Does what is due, as far as the limits reach. Rejects when a backend is down; what was done stands. */
export async function rebuildFilter(parts: RebuildParts): Promise<RebuildOutcome> {
  const { build } = parts;
  const found = await build.state();
  for (const old of found?.old ?? []) await build.remove(old);
  if (found === undefined || isDue(found, parts.capacity)) await begin(parts, found);

  const deadlineAt = parts.clock() + (parts.limits ?? LIMITS).runMs;
  await open(parts, await build.state());
  const state = await loadPages(parts, deadlineAt);
  if (state?.building === undefined) return "idle";
  if (state.building.phase !== "loaded") return "paused";
  const outcome = await serve(parts, state.building.name);
  if (outcome === "served") for (const old of (await build.state())?.old ?? []) await build.remove(old);
  return outcome;
}

function isDue({ now, serving, building }: BuildState, wanted: number): boolean {
  if (building !== undefined) return building.wanted !== wanted;
  if (serving === undefined || serving.wanted !== wanted) return true;
  return serving.items > serving.capacity || now - serving.servingAt > WEEK_MS;
}

async function begin({ build, capacity: wanted, newName }: RebuildParts, found: BuildState | undefined): Promise<void> {
  const items = found?.serving?.items ?? 0;
  const capacity = Math.min(MAX_CAPACITY, items > wanted ? Math.ceil(items * GROWTH) : wanted);
  const plan = { name: newName(), geometry: geometryFor(capacity), capacity, wanted };
  await build.makeBlocks(plan);
  const epoch = await build.begin(plan, found?.building?.name ?? "");
  // Another builder was faster: its generation is as good.
  if (epoch === undefined) await build.remove({ name: plan.name, blocks: plan.geometry.blocks });
  log("info", "filter_begun", { generation: plan.name, capacity, begun: epoch !== undefined });
}

/** A fence that stands further on already refuses no less. */
async function open({ build, truth }: RebuildParts, state: BuildState | undefined): Promise<void> {
  if (state?.building?.phase !== "announced") return;
  await truth.raiseFence(state.building.epoch);
  await build.open(state.building.name);
}

async function loadPages(parts: RebuildParts, deadlineAt: number): Promise<BuildState | undefined> {
  const { build, readRows, clock, limits = LIMITS } = parts;
  let state = await build.state();
  for (let page = 0; page < limits.pages; page += 1) {
    if (state?.building?.phase !== "loading" || clock() >= deadlineAt) break;
    const { name, cursor } = state.building;
    const rows = await readRows(cursor, limits.rowsAPage);
    const isLast = rows.length < limits.rowsAPage;
    await loadRows(build, { name, cursor, rows, isLast, chunk: limits.rowsACommand });
    state = await build.state();
  }
  return state;
}

interface Page {
  readonly name: string;
  readonly cursor: string;
  readonly rows: readonly CustomRow[];
  readonly isLast: boolean;
  readonly chunk: number;
}

/** Loads a page, or as much of it as nobody else has loaded meanwhile. */
async function loadRows(build: FilterBuild, { name, cursor, rows, isLast, chunk }: Page): Promise<void> {
  let from = cursor;
  let start = 0;
  do {
    const part = rows.slice(start, start + chunk);
    start += chunk;
    const to = part.at(-1)?.id ?? from;
    const keys = part.map(({ key }) => key);
    if (!(await build.load(name, from, to, keys, isLast && start >= rows.length))) return;
    from = to;
  } while (start < rows.length);
}

async function serve({ build, truth }: RebuildParts, name: string): Promise<RebuildOutcome> {
  let { claim } = await build.claim(name);
  for (let round = 0; claim !== undefined && round < MAX_COMPARISONS; round += 1) {
    const { sound, newest } = await truth.settle(claim);
    if (!sound) {
      await build.drop(claim.epoch, newest + 1);
      log("warn", "filter_dropped", { generation: name, epoch: claim.epoch, newest });
      return "dropped";
    }
    const told = await build.serve(name, claim.epoch);
    if (told.verdict === "trusted") {
      log("info", "filter_serves", { generation: name });
      return "served";
    }
    claim = told.claim;
  }
  return "paused";
}
