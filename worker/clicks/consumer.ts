/**
 * Takes batches off the queue. Each message is acknowledged, retried or buried on its own; none takes the batch along.
 *
 * @module
 */
import { unpackMessage } from "../../shared/click.ts";
import { count, durationsOf } from "../telemetry/counters.ts";
import { log } from "../telemetry/log.ts";
import { type ClickRow, createClassify } from "./classify.ts";
import type { ConsumeCounts } from "./counts/consume.ts";
import { bodyText, type Bury } from "./dead-letters.ts";
import { type ClickStore, ClicksRefused } from "./store.ts";

/** A first retry comes soon, later ones after up to this long: a database that is away for an hour costs no message. */
const MAX_RETRY_SECONDS = 600;

/** The messages of a queue. */
export type Batch = Pick<MessageBatch, "queue" | "messages">;

const countDelay = durationsOf("click_delay_ms");

interface Readable {
  readonly message: Message;
  readonly clicks: readonly ClickRow[];
}

/** What the consumer hands on. */
export interface ConsumerParts {
  readonly store: ClickStore;
  readonly bury: Bury;
  /** Adds up the counts that messages bring along. */
  readonly consumeCounts: ConsumeCounts;
  /** Wakes whoever tells webhooks of new clicks; never rejects. */
  readonly wakeWebhooks: () => Promise<unknown>;
  /** Epoch milliseconds. */
  readonly clock: () => number;
}

/** Handles one batch of the click queue. Never throws: what went wrong is told to the queue, message by message. */
export async function consumeClicks(batch: Batch, parts: ConsumerParts): Promise<void> {
  const readable: Readable[] = [];
  const classify = createClassify();
  for (const message of batch.messages) {
    const unpacked = unpackMessage(message.body);
    if (unpacked.ok) readable.push({ message, clicks: unpacked.clicks.map((click) => classify(click)) });
    else await putAway(batch.queue, message, unpacked.reason, parts.bury);
  }
  if (await write(batch.queue, readable, parts)) await parts.wakeWebhooks();
  if (readable.length === 0) await tellCounts(parts.consumeCounts);
}

/** Handles one batch of the dead-letter queue: what the queue gave up on is kept. */
export async function consumeDeadLetters(
  batch: Batch,
  sourceQueue: string,
  { bury, consumeCounts }: Pick<ConsumerParts, "bury" | "consumeCounts">,
): Promise<void> {
  for (const message of batch.messages) await putAway(sourceQueue, message, "retries exhausted", bury);
  await tellCounts(consumeCounts);
}

/** What this isolate has counted, where no clicks take it along. Never rejects: the next batch tries again. */
export async function tellCounts(consumeCounts: ConsumeCounts): Promise<void> {
  try {
    await consumeCounts([]);
  } catch (error) {
    log("warn", "counts_delayed", {}, error);
  }
}

/**
 * One statement for all; if the database refuses it as such, the messages are halved until the one that is refused stands alone. Answers
 * whether a webhook may have to be told.
 */
async function write(queue: string, readable: readonly Readable[], parts: ConsumerParts): Promise<boolean> {
  if (readable.length === 0) return false;
  try {
    const clicks = readable.flatMap((item) => item.clicks);
    const written = await parts.store.write(clicks);
    log("info", "clicks_written", { messages: readable.length, clicks: written.clicks });
    tally(clicks, written.clicks, parts.clock());
    await finish(readable, parts);
    return written.awaited;
  } catch (error) {
    if (!(error instanceof ClicksRefused)) {
      delay(readable, error);
      return false;
    }
    const [only] = readable;
    if (only !== undefined && readable.length === 1) {
      await putAway(queue, only.message, error.message, parts.bury);
      return false;
    }
    const half = Math.ceil(readable.length / 2);
    const first = await write(queue, readable.slice(0, half), parts);
    const second = await write(queue, readable.slice(half), parts);
    return first || second;
  }
}

/** The clicks are written; what the messages brought along beside them is added up before they are acknowledged. */
async function finish(readable: readonly Readable[], { consumeCounts }: ConsumerParts): Promise<void> {
  count("queue_messages:written", readable.length);
  try {
    await consumeCounts(readable.map(({ message }) => message.body));
    for (const { message } of readable) message.ack();
  } catch (error) {
    delay(readable, error);
  }
}

/** Has messages delivered again. */
function delay(readable: readonly Readable[], cause: unknown): void {
  log("error", "clicks_delayed", { messages: readable.length }, cause);
  count("queue_messages:delayed", readable.length);
  for (const { message } of readable) message.retry({ delaySeconds: retryDelaySeconds(message.attempts) });
}

/** Counts what a statement wrote, and how long the clicks were on their way. */
function tally(clicks: readonly ClickRow[], written: number, now: number): void {
  count("clicks:written", written);
  count("clicks:repeated", clicks.length - written);
  // What had been written before is on its way again, which says nothing of the consumer.
  if (written < clicks.length) return;
  for (const { at } of clicks) countDelay(Math.max(0, now - at));
}

/** Buries a message; when that fails too, the queue keeps it. */
async function putAway(queue: string, message: Message, reason: string, bury: Bury): Promise<void> {
  try {
    await bury({
      queue,
      messageId: message.id,
      body: bodyText(message.body),
      reason,
      attempts: message.attempts,
      sentAt: message.timestamp,
    });
    message.ack();
    count("queue_messages:buried");
    log("error", "message_buried", { queue, messageId: message.id, reason });
  } catch (error) {
    log("error", "burial_failed", { queue, messageId: message.id }, error);
    message.retry({ delaySeconds: retryDelaySeconds(message.attempts) });
  }
}

/** 1, 2, 4, … seconds after the first, second, third attempt. */
function retryDelaySeconds(attempts: number): number {
  return Math.min(MAX_RETRY_SECONDS, 2 ** Math.min(attempts - 1, 10));
}
