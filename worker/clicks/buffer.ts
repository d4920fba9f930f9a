/**
 * Keeps the visits of this isolate until they are sent together. The array is plain data, so requests may share it; the request that
 * finds it empty owns its flush, and whoever fills it flushes at once, each in a `waitUntil` of its own: no visit waits
 * without an owner, and what is lost when an isolate is killed is at most {@link FLUSH_AFTER_MS} of it and
 * what is on its way to the queue.
 *
 * @module
 */
import { MESSAGE_MAX_CLICKS, type PackedMessage } from "../../shared/click.ts";
import type { WaitUntil } from "../http/context.ts";
import { log } from "../telemetry/log.ts";

/** How long the first visit waits for company. */
export const FLUSH_AFTER_MS = 1000;
/** A send that fails is tried again after these pauses. All of it fits the 30 s that `waitUntil` has. */
const RETRY_AFTER_MS = [250, 1000, 4000];

/** What the buffer hands its visits to. */
export interface Outlet<T> {
  /** The visits as messages, none of them lost. Never rejects. */
  readonly pack: (kept: readonly T[]) => Promise<readonly PackedMessage[]>;
  /** Sends one message to the queue; rejects if the queue did not take it. */
  readonly send: (body: string) => Promise<void>;
  /** The pause of the platform, in milliseconds. */
  readonly wait: (ms: number) => Promise<void>;
  /** Waits until the answer has left: what begins in the turn in which it is made still holds it up. */
  readonly answerFirst: () => Promise<void>;
}

/** Takes a visit. The work that remains is handed to `waitUntil`; the visitor waits for none of it. */
export type Keep<T> = (visit: T, waitUntil: WaitUntil) => void;

/** Builds the buffer. */
export function createBuffer<T>(outlet: Outlet<T>): Keep<T> {
  let waiting: T[] = [];

  /** Swaps before anything is awaited: what is kept meanwhile belongs to the next flush. */
  const take = (): T[] => {
    const taken = waiting;
    waiting = [];
    return taken;
  };

  const flushLater = async (owned: readonly T[]): Promise<void> => {
    await outlet.wait(FLUSH_AFTER_MS);
    // Flushed meanwhile because it was full: what waits now has another owner.
    if (waiting === owned) await deliver(outlet, take());
  };

  const deliverAfterwards = async (full: readonly T[]): Promise<void> => {
    await outlet.answerFirst();
    await deliver(outlet, full);
  };

  return (visit, waitUntil) => {
    waiting.push(visit);
    if (waiting.length >= MESSAGE_MAX_CLICKS) waitUntil(deliverAfterwards(take()));
    else if (waiting.length === 1) waitUntil(flushLater(waiting));
  };
}

async function deliver<T>(outlet: Outlet<T>, kept: readonly T[]): Promise<void> {
  const messages = await outlet.pack(kept);
  await Promise.all(messages.map((message) => insist(outlet, message)));
}

async function insist<T>({ send, wait }: Outlet<T>, { body, clicks }: PackedMessage): Promise<void> {
  for (const pauseMs of [...RETRY_AFTER_MS, undefined]) {
    try {
      await send(body);
      return;
    } catch (error) {
      if (pauseMs === undefined) log("error", "clicks_lost", { clicks }, error);
      else await wait(pauseMs);
    }
  }
}
