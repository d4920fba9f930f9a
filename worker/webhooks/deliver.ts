/**
 * A run of one webhook: claims what is due, sends it, keeps what came of it, and says when to come back.
 *
 * @module
 */
import { log } from "../telemetry/log.ts";
import { LASTING_FAILURE_MS, nextAttemptAt } from "./schedule.ts";
import { type Fetch, type Reception, sendOnce } from "./send.ts";
import type { Attempted, Claimed, DueDelivery, Outbox } from "./store.ts";

/** What a run needs, handed in. */
export interface DeliverParts {
  readonly outbox: Outbox;
  /** The bodies of some deliveries, by their ids, as JSON. */
  readonly render: (deliveries: readonly DueDelivery[]) => Promise<ReadonlyMap<string, string>>;
  readonly fetch: Fetch;
  readonly clock: () => number;
  readonly dice: () => number;
}

/** The free plan of Workers allows 50 calls outwards in one invocation, of which the database gets four. */
const RUN_DELIVERIES = 20;
/** A Worker has six connections that wait for an answer (Cloudflare, "Simultaneous open connections"); the database keeps one. */
const AT_ONCE = 5;
/** Of a webhook that fails so many are tried in a run: as many as time out at once. */
const FAILING_DELIVERIES = AT_ONCE;
/** Longer than the slowest run: four rounds of 15 s each, and the database. */
const LEASE_MS = 2 * 60_000;
/** Between two runs of a webhook of which nothing came through. */
const FAILING_PAUSE_MS = 5000;

/** A row that a person wrote, or that is older than the form it has now. */
const UNREADABLE: Reception = { kind: "silent", reason: "What happened cannot be read any more." };

/** When to come back, in epoch milliseconds. */
export interface NextRun {
  /** When the next delivery is due; null: nothing waits. */
  readonly at: number | null;
  /** No run before this, also when something new is due; 0: at any time. */
  readonly restUntil: number;
}

/** Makes a run, and answers when the next one is to be. Rejects with `BackendDown`. */
export async function deliverDue(parts: DeliverParts, webhookId: string): Promise<NextRun> {
  const { outbox, clock } = parts;
  const claimed = await outbox.claim(webhookId, {
    now: clock(),
    limit: RUN_DELIVERIES,
    failingLimit: FAILING_DELIVERIES,
    leaseMs: LEASE_MS,
  });
  if (claimed === undefined) return { at: await outbox.nextDueAt(webhookId), restUntil: 0 };

  const { attempted, gone } = await attemptAll(parts, claimed);
  const now = clock();
  await outbox.settle(webhookId, claimed, attempted, { gone, failingBefore: now - LASTING_FAILURE_MS }, now);
  const delivered = attempted.filter(({ ok }) => ok).length;
  log("info", "webhook_run", { webhookId, delivered, failed: attempted.length - delivered, gone });
  const nextAt = await outbox.nextDueAt(webhookId);
  const restUntil = delivered > 0 ? 0 : now + FAILING_PAUSE_MS;
  return { at: nextAt === null ? null : Math.max(nextAt, restUntil), restUntil };
}

async function attemptAll(
  parts: DeliverParts,
  { url, secrets, deliveries }: Claimed,
): Promise<{ readonly attempted: readonly Attempted[]; readonly gone: boolean }> {
  const bodies = await parts.render(deliveries);
  const attempted: Attempted[] = [];
  let gone = false;
  // Each of these takes the next one that nobody took, so one that is slow holds up no other.
  const queue = deliveries.values();
  const work = async (): Promise<void> => {
    for (const delivery of queue) {
      if (gone) continue;
      const startedAt = parts.clock();
      const body = bodies.get(delivery.id);
      const reception =
        body === undefined
          ? UNREADABLE
          : await sendOnce(parts.fetch, url, secrets, { id: delivery.id, now: startedAt, body });
      gone ||= reception.kind === "gone";
      attempted.push(outcomeOf(delivery, reception, startedAt, parts));
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  return { attempted, gone };
}

function outcomeOf(delivery: DueDelivery, reception: Reception, startedAt: number, parts: DeliverParts): Attempted {
  const { id, attempt } = delivery;
  const now = parts.clock();
  const ms = Math.max(0, Math.round(now - startedAt));
  if (reception.kind === "taken")
    return { id, attempt, ok: true, status: reception.status, error: null, ms, nextAt: null };
  const isSilent = reception.kind === "silent";
  const askedMs = reception.kind === "refused" ? reception.askedMs : 0;
  return {
    id,
    attempt,
    ok: false,
    status: isSilent ? null : reception.status,
    error: isSilent ? reception.reason : null,
    ms,
    nextAt: nextAttemptAt(attempt, now, parts.dice, askedMs),
  };
}
