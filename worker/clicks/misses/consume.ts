/**
 * Takes messages of misses off the queue.
 *
 * @module
 */
import { unpackMisses } from "../../../shared/miss.ts";
import { log } from "../../telemetry/log.ts";
import type { WriteMisses } from "./store.ts";

const RETRY_SECONDS = 60;

/** Writes what the messages tell, and acknowledges them, or has all of them delivered again later. Never throws. */
export async function consumeMisses(messages: readonly Message[], write: WriteMisses): Promise<void> {
  if (messages.length === 0) return;
  try {
    await write(messages.flatMap(({ body }) => unpackMisses(body) ?? []));
    for (const message of messages) message.ack();
  } catch (error) {
    log("warn", "misses_delayed", { messages: messages.length }, error);
    for (const message of messages) message.retry({ delaySeconds: RETRY_SECONDS });
  }
}
