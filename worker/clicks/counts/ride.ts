/**
 * Sends counts that no click takes along: those of an isolate that answers the API, or nothing but unknown codes.
 *
 * @module
 */
import { packCounts } from "../../../shared/click.ts";
import type { WaitUntil } from "../../http/context.ts";
import { countsTakenAt, takeCounts } from "../../telemetry/counters.ts";
import { log } from "../../telemetry/log.ts";

/** So long the counts wait for clicks. */
const PATIENCE_MS = 10_000;
/** The first request after that waits once more, for its own clicks and for others. */
const WINDOW_MS = 5000;

/** What sends them. */
export interface RideParts {
  /** Takes one message; rejects when it cannot. */
  readonly send: (body: string) => Promise<void>;
  /** The pause of the platform, in milliseconds. */
  readonly wait: (ms: number) => Promise<void>;
  /** Gives a new UUID. */
  readonly mintId: () => string;
  /** Epoch milliseconds. */
  readonly clock: () => number;
}

/** Told of each request; returns at once. `now` is epoch milliseconds. */
export type Ride = (now: number, waitUntil: WaitUntil) => void;

/** Builds it for an isolate. */
export function createRide({ send, wait, mintId, clock }: RideParts): Ride {
  let begunAt = 0;

  const rideLater = async (begun: number): Promise<void> => {
    await wait(WINDOW_MS);
    if (countsTakenAt() >= begun) return;
    const counts = takeCounts(clock());
    if (counts === undefined) return;
    try {
      await send(packCounts({ id: mintId(), counts }));
    } catch (error) {
      log("warn", "counts_lost", { reports: 1 }, error);
    }
  };

  return (now, waitUntil) => {
    if (now - Math.max(begunAt, countsTakenAt()) < PATIENCE_MS) return;
    begunAt = now;
    waitUntil(rideLater(now));
  };
}
