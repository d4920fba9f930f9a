/**
 * The last tier, the truth: the row itself. Only here does a look-up end in "there is no such link".
 *
 * @module
 */
import type { CodeKey } from "../../../shared/entry.ts";
import type { Answer, Tier } from "../tier.ts";
import type { EntryStore } from "../store.ts";

/** Builds the tier. `store` is asked for when first needed, since it brings the driver and the SQL builder along. */
export function createPostgresTier(store: () => Promise<EntryStore>): Tier {
  return {
    name: "postgres",
    async lookup(key: CodeKey, now: number): Promise<Answer> {
      try {
        return { kind: "entry", entry: await (await store()).read(key, now) };
      } catch (cause) {
        return { kind: "down", cause };
      }
    },
  };
}
