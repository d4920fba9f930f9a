/**
 * Which batch and which cron goes to which task. Loaded when there is one.
 *
 * @module
 */
import { unpackChange } from "../shared/change.ts";
import { consumeClicks, consumeDeadLetters } from "./clicks/consumer.ts";
import { keepMonthsAhead } from "./maintenance/partitions.ts";
import { deliverChanges } from "./maintenance/repair.ts";
import { log } from "./telemetry/log.ts";
import { wireJobs } from "./wiring.ts";

/** A queue's name and that of its dead-letter queue differ by this ending (see `wrangler.toml`). */
const DEAD_SUFFIX = "-dead";

/** Handles one batch of either queue. */
export async function handleBatch(batch: MessageBatch): Promise<void> {
  const { clicks, bury, repair } = await wireJobs();
  if (batch.queue.endsWith(DEAD_SUFFIX)) {
    await consumeDeadLetters(batch, batch.queue.slice(0, -DEAD_SUFFIX.length), bury);
    return;
  }
  const changes = batch.messages.filter(isChange);
  const rest = batch.messages.filter((message) => !isChange(message));
  await Promise.all([
    deliverChanges(changes, repair),
    consumeClicks({ queue: batch.queue, messages: rest }, clicks, bury),
  ]);
}

function isChange(message: Message): boolean {
  return unpackChange(message.body) !== undefined;
}

/** Runs what is due. `scheduledAt` is the time the run was meant for, in epoch milliseconds. */
export async function runSchedule(scheduledAt: number): Promise<void> {
  const { maintenance } = await wireJobs();
  const made = await keepMonthsAhead(maintenance.makePartitions, scheduledAt);
  log("info", "partitions_checked", { made });
}
