/**
 * Delivers changes that could not be made seen at once: to Redis until it takes them, and to the edge caches of other places.
 *
 * @module
 */
import { type Change, unpackChange } from "../../shared/change.ts";
import { BackendDown } from "../../shared/backend-down.ts";
import type { CodeKey, Entry } from "../../shared/entry.ts";
import { log } from "../telemetry/log.ts";

/** Where changes go, handed in. */
export interface RepairParts {
  /** Writes an entry to Redis unless a newer one stands there. */
  readonly keepInRedis: (key: CodeKey, entry: Entry) => Promise<void>;
  /** Empties other places' caches of these keys; undefined when the zone is not configured. */
  readonly purge: ((keys: readonly CodeKey[]) => Promise<void>) | undefined;
}

/** A first retry comes soon, later ones after up to this long. */
const MAX_RETRY_SECONDS = 300;

interface Pending {
  readonly message: Message;
  readonly change: Change;
}

/** Delivers the changes of a batch, one call of purge for all of them. Each message is acknowledged, or retried, on its own. */
export async function deliverChanges(messages: readonly Message[], parts: RepairParts): Promise<void> {
  const pending = messages.flatMap((message): Pending[] => {
    const change = unpackChange(message.body);
    return change === undefined ? [] : [{ message, change }];
  });
  // Redis first: a cache that was emptied fills itself from there.
  const kept = await Promise.all(pending.map((item) => keep(item, parts)));
  const toPurge = kept.filter((item) => item !== undefined);
  await purgeAll(toPurge, parts);
}

/** The item when all of it but the purge is done; undefined when its message was answered. */
async function keep(item: Pending, { keepInRedis }: RepairParts): Promise<Pending | undefined> {
  const { change } = item;
  if (!change.redis) return item;
  try {
    await keepInRedis(change.key, change.entry);
    return item;
  } catch (error) {
    retry(item, error);
    return undefined;
  }
}

async function purgeAll(items: readonly Pending[], { purge }: RepairParts): Promise<void> {
  const purged = items.filter(({ change }) => change.purge);
  try {
    if (purge !== undefined && purged.length > 0) await purge(purged.map(({ change }) => change.key));
    for (const { message } of items) message.ack();
  } catch (error) {
    for (const item of items) {
      if (item.change.purge) retry(item, error);
      else item.message.ack();
    }
  }
}

/** As the backend says, or 1, 2, 4, … seconds after the first, second, third attempt. */
function retry({ message }: Pending, error: unknown): void {
  const asked = error instanceof BackendDown ? error.retryAfterSeconds : undefined;
  const delaySeconds = Math.min(MAX_RETRY_SECONDS, asked ?? 2 ** Math.min(message.attempts - 1, 10));
  log("warn", "change_delayed", { delaySeconds, attempts: message.attempts }, error);
  message.retry({ delaySeconds });
}
