/**
 * Which batch and which cron goes to which task. Loaded when there is one.
 *
 * @module
 */
import { unpackChange } from "../shared/change.ts";
import { unpackMisses } from "../shared/miss.ts";
import { forgetPastAnswers } from "./access/idempotency/retention.ts";
import { consumeClicks, consumeDeadLetters, tellCounts } from "./clicks/consumer.ts";
import { consumeMisses } from "./clicks/misses/consume.ts";
import { recheckDue } from "./links/checks/recheck.ts";
import { rebuildFilter } from "./maintenance/filter-rebuild.ts";
import { forgetPastMisses } from "./maintenance/misses.ts";
import { forgetPastReports } from "./maintenance/metric-reports.ts";
import { dropPastMonths, keepMonthsAhead } from "./maintenance/partitions.ts";
import { deliverChanges } from "./maintenance/repair.ts";
import { replayLetters } from "./maintenance/replay.ts";
import { forgetPastVisitors } from "./maintenance/visitors.ts";
import { count } from "./telemetry/counters.ts";
import { log } from "./telemetry/log.ts";
import type { RunWebhook } from "./webhooks/object.ts";
import { forgetPastDeliveries } from "./webhooks/retention.ts";
import { type Jobs, wireJobs, wireSender } from "./wiring/jobs.ts";

/** A queue's name and that of its dead-letter queue differ by this ending (see `wrangler.toml`). */
const DEAD_SUFFIX = "-dead";

/** How often cron runs (see `wrangler.toml`). */
const CRON_MINUTES = 5;

/** Does something that is due, and answers what is to be logged of it. */
type Chore = (jobs: Jobs, now: number) => Promise<Readonly<Record<string, string | number>>>;

/** Handles one batch of either queue. */
export async function handleBatch(batch: MessageBatch): Promise<void> {
  const { clicks, repair, writeMisses } = await wireJobs();
  if (batch.queue.endsWith(DEAD_SUFFIX)) {
    await consumeDeadLetters(batch, batch.queue.slice(0, -DEAD_SUFFIX.length), clicks);
    return;
  }
  count("queue_batches");
  const byKind = Map.groupBy(batch.messages, kindOf);
  await Promise.all([
    deliverChanges(byKind.get("change") ?? [], repair),
    consumeMisses(byKind.get("misses") ?? [], writeMisses),
    consumeClicks({ queue: batch.queue, messages: byKind.get("clicks") ?? [] }, clicks),
  ]);
}

/** What a webhook's object runs. */
export function openSender(): Promise<RunWebhook> {
  return wireSender();
}

/** Which task a message is for. What nobody knows goes to the clicks' consumer, which buries it. */
function kindOf({ body }: Message): "change" | "misses" | "clicks" {
  if (unpackChange(body) !== undefined) return "change";
  return unpackMisses(body) === undefined ? "clicks" : "misses";
}

/** What a run of cron does; each on its own, so that one that fails holds up no other. */
const CHORES: readonly { readonly name: string; readonly everyMinutes: number; readonly run: Chore }[] = [
  {
    name: "filter",
    everyMinutes: CRON_MINUTES,
    run: async ({ rebuild }) => ({ outcome: await rebuildFilter(rebuild) }),
  },
  {
    name: "partitions",
    everyMinutes: 60,
    run: async ({ maintenance }, now) => ({ made: await keepMonthsAhead(maintenance.makePartitions, now) }),
  },
  {
    name: "replay",
    everyMinutes: CRON_MINUTES,
    run: async ({ maintenance, send }) => ({ sent: await replayLetters({ ...maintenance.letters, send }) }),
  },
  {
    name: "retention",
    everyMinutes: 60,
    run: async ({ maintenance, keptMonths }, now) => ({
      dropped: await dropPastMonths(maintenance.dropPartitions, keptMonths, now),
    }),
  },
  {
    name: "misses",
    everyMinutes: 60,
    run: async ({ maintenance }, now) => ({ forgotten: await forgetPastMisses(maintenance.forgetMisses, now) }),
  },
  {
    name: "metric_reports",
    everyMinutes: 60,
    run: async ({ maintenance }, now) => ({ forgotten: await forgetPastReports(maintenance.forgetReports, now) }),
  },
  {
    name: "visitors",
    everyMinutes: 60,
    run: async ({ maintenance }, now) => ({ forgotten: await forgetPastVisitors(maintenance.forgetVisitors, now) }),
  },
  {
    // Before the webhooks, which may have to be told of it.
    name: "url_checks",
    everyMinutes: CRON_MINUTES,
    run: async ({ recheck }, now) => (recheck === null ? { checked: 0 } : { ...(await recheckDue(recheck, now)) }),
  },
  {
    name: "webhooks",
    everyMinutes: CRON_MINUTES,
    run: async ({ wakeWebhooks }) => ({ woken: await wakeWebhooks() }),
  },
  {
    name: "deliveries",
    everyMinutes: 60,
    run: async ({ forgetDeliveries }, now) => ({ forgotten: await forgetPastDeliveries(forgetDeliveries, now) }),
  },
  {
    name: "idempotency",
    everyMinutes: 60,
    run: async ({ forgetAnswers }, now) => ({ forgotten: await forgetPastAnswers(forgetAnswers, now) }),
  },
];

/**
 * Runs what is due. `scheduledAt` is the time the run was meant for, in epoch milliseconds. Rejects when a chore failed, so that
 * the platform shows it; the next run makes up for it.
 */
export async function runSchedule(scheduledAt: number): Promise<void> {
  const jobs = await wireJobs();
  const minute = Math.floor(scheduledAt / 60_000);
  const failed: string[] = [];
  for (const { name, everyMinutes, run } of CHORES) {
    if (minute % everyMinutes >= CRON_MINUTES) continue;
    try {
      log("info", "chore_done", { name, ...(await run(jobs, scheduledAt)) });
    } catch (error) {
      failed.push(name);
      log("error", "chore_failed", { name }, error);
    }
  }
  await tellCounts(jobs.clicks.consumeCounts);
  if (failed.length > 0) throw new Error(`cron could not do: ${failed.join(", ")}`);
}
