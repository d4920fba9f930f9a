/**
 * Statistics from a read replica, so that no reader of figures slows a creation.
 *
 * @module
 */
import { createPrefer, type ReplicaParts } from "../backends/replica.ts";
import type { StatsStore } from "./queries.ts";

/**
 * Asks the replica; the primary where that cannot be asked, and for a link that the replica does not know: it may have been made a
 * moment ago. Figures are as old as the replica is behind.
 */
export function preferReplica(parts: ReplicaParts<StatsStore>): StatsStore {
  const { primary } = parts;
  const prefer = createPrefer(parts);
  return {
    findLink: async (key) => (await prefer((store) => store.findLink(key))) ?? primary.findLink(key),
    read: (scope, question) => prefer((store) => store.read(scope, question)),
    topLinks: (scope, question) => prefer((store) => store.topLinks(scope, question)),
    readClicks: (...asked) => prefer((store) => store.readClicks(...asked)),
  };
}
