/**
 * Packs the clicks of this isolate into messages. The array is plain data, so requests may share it; the request that
 * finds it empty owns its flush, and whoever fills it flushes at once, each in a `waitUntil` of its own: no click waits
 * without an owner, and what is lost when an isolate is killed is at most {@link FLUSH_AFTER_MS} of it.
 *
 * @module
 */
import {
  type Click,
  hasRoom,
  MESSAGE_MAX_CLICKS,
  packClick,
  type PackedClick,
  packMessage,
} from "../../shared/click.ts";
import type { WaitUntil } from "../http/context.ts";
import { log } from "../telemetry/log.ts";

/** How long the first click of a message waits for company. */
export const FLUSH_AFTER_MS = 1000;
/** A send that fails is tried again after these pauses. All of it fits the 30 s that `waitUntil` has. */
const RETRY_AFTER_MS = [250, 1000, 4000];

/** Sends one message to the queue; rejects if the queue did not take it. */
export type SendMessage = (body: string) => Promise<void>;

/** Takes a click. The work that remains is handed to `waitUntil`; the visitor waits for none of it. */
export type AddClick = (click: Click, waitUntil: WaitUntil) => void;

/** Builds the buffer over a queue. `wait` is the pause of the platform, in milliseconds. */
export function createBuffer(send: SendMessage, wait: (ms: number) => Promise<void>): AddClick {
  let waiting: PackedClick[] = [];
  let bytes = 0;

  /** Swaps before anything is awaited: what is added meanwhile belongs to the next message. */
  const take = (): PackedClick[] => {
    const taken = waiting;
    waiting = [];
    bytes = 0;
    return taken;
  };

  const deliver = async (clicks: readonly PackedClick[]): Promise<void> => {
    const body = packMessage(clicks);
    for (const pauseMs of [...RETRY_AFTER_MS, undefined]) {
      try {
        await send(body);
        return;
      } catch (error) {
        if (pauseMs === undefined) log("error", "clicks_lost", { clicks: clicks.length }, error);
        else await wait(pauseMs);
      }
    }
  };

  const flushLater = async (owned: readonly PackedClick[]): Promise<void> => {
    await wait(FLUSH_AFTER_MS);
    // Flushed meanwhile because it was full: the clicks that wait now have another owner.
    if (waiting === owned) await deliver(take());
  };

  return (click, waitUntil) => {
    const packed = packClick(click);
    if (waiting.length > 0 && !hasRoom(waiting.length, bytes, packed.bytes)) waitUntil(deliver(take()));
    waiting.push(packed);
    bytes += packed.bytes;
    if (waiting.length >= MESSAGE_MAX_CLICKS) waitUntil(deliver(take()));
    else if (waiting.length === 1) waitUntil(flushLater(waiting));
  };
}
