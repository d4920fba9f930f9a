/**
 * Takes the counts that messages bring along, and this isolate's own.
 *
 * @module
 */
import { type CountReport, readReport } from "../../../shared/counters.ts";
import { BackendDown } from "../../../shared/backend-down.ts";
import { takeCounts } from "../../telemetry/counters.ts";
import { log } from "../../telemetry/log.ts";
import type { WriteCounts } from "./store.ts";

/** What adds counts up. */
export interface CountParts {
  readonly write: WriteCounts;
  /** Gives a new UUID. */
  readonly mintId: () => string;
  /** Epoch milliseconds. */
  readonly clock: () => number;
}

/** Adds up what some messages bring along. Rejects with `BackendDown` when it has to be tried again. */
export type ConsumeCounts = (bodies: readonly unknown[]) => Promise<void>;

/** Builds it for an isolate. */
export function createConsumeCounts({ write, mintId, clock }: CountParts): ConsumeCounts {
  // What may have been written keeps its id until it surely is: so it is added once.
  let own: CountReport | undefined;
  return async (bodies) => {
    const counts = own === undefined ? takeCounts(clock()) : undefined;
    if (counts !== undefined) own = { id: mintId(), counts };
    const writing = own;
    const brought = bodies.flatMap((body) => (typeof body === "string" ? (readReport(body) ?? []) : []));
    try {
      await write(writing === undefined ? brought : [...brought, writing]);
    } catch (error) {
      if (error instanceof BackendDown) throw error;
      // Counts that the database refuses must not take clicks along.
      log("error", "counts_lost", { reports: brought.length }, error);
    }
    if (own === writing) own = undefined;
  };
}
