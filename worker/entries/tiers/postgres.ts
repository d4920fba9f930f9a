/**
 * The last tier, the truth: the row itself. Only here does a look-up end in "there is no such link".
 *
 * @module
 */
import type { CodeKey } from "../../../shared/entry.ts";
import type { Answer, Tier } from "../tier.ts";
import type { EntryStore } from "../store.ts";

/**
 * So many look-ups at once an isolate hands to the database. More of them means that what stands in front of it is gone, and
 * then it is better to send some visitors away for a moment than to keep all of them waiting.
 */
const MAX_IN_FLIGHT = 1000;

/** Builds the tier. `store` is asked for when first needed, since it brings the driver and the SQL builder along. */
export function createPostgresTier(store: () => Promise<EntryStore>): Tier {
  let inFlight = 0;
  return {
    name: "postgres",
    async lookup(key: CodeKey, now: number): Promise<Answer> {
      if (inFlight >= MAX_IN_FLIGHT) return { kind: "down", cause: new Error(`${inFlight} look-ups are under way`) };
      inFlight += 1;
      try {
        return { kind: "entry", entry: await (await store()).read(key, now) };
      } catch (cause) {
        return { kind: "down", cause };
      } finally {
        inFlight -= 1;
      }
    },
  };
}
