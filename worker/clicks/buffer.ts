/**
 * Keeps the visits of this isolate until they are sent together. The array is plain data, so requests may share it; the request that
 * finds it empty owns its flush, and whoever fills it flushes at once, each in a `waitUntil` of its own: no visit waits
 * without an owner, and what is lost when an isolate is killed is at most {@link MAX_WINDOW_MS} of it and
 * what is on its way to the queue.
 *
 * @module
 */
import type { PackedMessage } from "../../shared/click.ts";
import type { WaitUntil } from "../http/context.ts";
import { count } from "../telemetry/counters.ts";
import { log } from "../telemetry/log.ts";

/** How long the first visit waits for company where it is rare. */
export const MIN_WINDOW_MS = 1000;
/**
 * How long it waits where visits are steady: so many more share a message. With the queue's own 2 s and the statement's time a click
 * still shows within the 10 s that are promised.
 */
export const MAX_WINDOW_MS = 4000;
/** An owner whose request was ended by the platform flushes nothing: after so long the next visit takes over. */
const ORPHANED_MS = 2 * MAX_WINDOW_MS;
/** A send that fails is tried again after these pauses. All of it fits the 30 s that `waitUntil` has, also when each send takes 3 s. */
const RETRY_AFTER_MS = [250, 1000, 4000];

/** What the buffer hands its visits to. */
export interface Outlet<T> {
  /** The visits as messages, none of them lost. Never rejects. */
  readonly pack: (kept: readonly T[]) => Promise<readonly PackedMessage[]>;
  /** So many visits leave without waiting for more. */
  readonly capacity: number;
  /** Sends one message to the queue; rejects if the queue did not take it. */
  readonly send: (body: string) => Promise<void>;
  /** Keeps one message that the queue did not take until it does; rejects if that cannot be done. */
  readonly spill: (body: string) => Promise<void>;
  /** The pause of the platform, in milliseconds. */
  readonly wait: (ms: number) => Promise<void>;
  /** Waits until the answer has left: what begins in the turn in which it is made still holds it up. */
  readonly answerFirst: () => Promise<void>;
}

/** Takes a visit at `now`, in epoch milliseconds. The work that remains is handed to `waitUntil`; the visitor waits for none of it. */
export type Keep<T> = (visit: T, now: number, waitUntil: WaitUntil) => void;

/** Builds the buffer. */
export function createBuffer<T>(outlet: Outlet<T>): Keep<T> {
  let waiting: T[] = [];
  let windowMs = MIN_WINDOW_MS;
  let ownedSince = 0;

  /** Swaps before anything is awaited: what is kept meanwhile belongs to the next flush. */
  const take = (): T[] => {
    const taken = waiting;
    waiting = [];
    return taken;
  };

  const flushLater = async (owned: readonly T[]): Promise<void> => {
    await outlet.wait(windowMs);
    // Flushed meanwhile because it was full: what waits now has another owner.
    if (waiting !== owned) return;
    windowMs = nextWindow(windowMs, owned.length);
    await deliver(outlet, take());
  };

  const deliverAfterwards = async (full: readonly T[]): Promise<void> => {
    await outlet.answerFirst();
    await deliver(outlet, full);
  };

  return (visit, now, waitUntil) => {
    waiting.push(visit);
    if (waiting.length >= outlet.capacity) waitUntil(deliverAfterwards(take()));
    else if (waiting.length === 1 || now - ownedSince > ORPHANED_MS) {
      if (waiting.length > 1) count("click_windows_orphaned");
      ownedSince = now;
      waitUntil(flushLater(waiting));
    }
  };
}

/** Longer after a window that brought company, short again after one that brought none. */
function nextWindow(windowMs: number, visits: number): number {
  return visits > 1 ? Math.min(MAX_WINDOW_MS, windowMs * 2) : MIN_WINDOW_MS;
}

async function deliver<T>(outlet: Outlet<T>, kept: readonly T[]): Promise<void> {
  const messages = await outlet.pack(kept);
  await Promise.all(messages.map((message) => insist(outlet, message)));
}

/** Sends one message until the queue takes it, or else keeps it elsewhere. Never rejects: what nobody takes is lost, and logged. */
async function insist<T>(outlet: Outlet<T>, { body, clicks }: PackedMessage): Promise<void> {
  try {
    if (await isSent(outlet, body)) return;
    await outlet.spill(body);
    log("warn", "clicks_spilled", { clicks });
  } catch (error) {
    count("clicks:lost", clicks);
    log("error", "clicks_lost", { clicks }, error);
  }
}

async function isSent<T>({ send, wait }: Outlet<T>, body: string): Promise<boolean> {
  for (const pauseMs of [...RETRY_AFTER_MS, undefined]) {
    try {
      await send(body);
      return true;
    } catch (error) {
      if (pauseMs === undefined) log("warn", "queue_refused", {}, error);
      else await wait(pauseMs);
    }
  }
  return false;
}
