/**
 * Statistics from a read replica, so that no reader of figures slows a creation.
 *
 * @module
 */
import { BackendDown } from "../../shared/backend-down.ts";
import type { Breaker } from "../backends/breaker.ts";
import { log } from "../telemetry/log.ts";
import type { StatsStore } from "./queries.ts";

/** The stores, and their manners. */
export interface ReplicaParts {
  readonly replica: StatsStore;
  readonly primary: StatsStore;
  /** A replica that hangs costs its time limit a few times, then none. */
  readonly breaker: Breaker;
  readonly clock: () => number;
}

/**
 * Asks the replica; the primary where that cannot be asked, and for a link that the replica does not know: it may have been made a
 * moment ago. Figures are as old as the replica is behind.
 */
export function preferReplica({ replica, primary, breaker, clock }: ReplicaParts): StatsStore {
  const prefer = async <T>(read: (store: StatsStore) => Promise<T>): Promise<T> => {
    try {
      return await breaker(clock(), () => read(replica));
    } catch (error) {
      if (!(error instanceof BackendDown)) throw error;
      log("warn", "replica_down", {}, error);
      return read(primary);
    }
  };
  return {
    findLink: async (key) => (await prefer((store) => store.findLink(key))) ?? primary.findLink(key),
    read: (scope, question) => prefer((store) => store.read(scope, question)),
    topLinks: (scope, question) => prefer((store) => store.topLinks(scope, question)),
    readClicks: (...asked) => prefer((store) => store.readClicks(...asked)),
  };
}
