/**
 * Reads that may be a moment old, from a read replica where there is one.
 *
 * @module
 */
import { BackendDown } from "../../shared/backend-down.ts";
import type { Breaker } from "./breaker.ts";

/** Two that answer the same questions, and the manners between them. */
export interface ReplicaParts<Store> {
  readonly replica: Store;
  readonly primary: Store;
  /** A replica that hangs costs its time limit a few times, then none. */
  readonly breaker: Breaker;
  readonly clock: () => number;
  /** Told when the replica cannot be asked. */
  readonly onDown: (error: BackendDown) => void;
}

/** Asks one of the two. */
export type Prefer<Store> = <T>(read: (store: Store) => Promise<T>) => Promise<T>;

/** Asks the replica, and the primary where that cannot be asked. Answers are as old as the replica is behind. */
export function createPrefer<Store>({ replica, primary, breaker, clock, onDown }: ReplicaParts<Store>): Prefer<Store> {
  return async (read) => {
    try {
      return await breaker(clock(), () => read(replica));
    } catch (error) {
      if (!(error instanceof BackendDown)) throw error;
      onDown(error);
      return read(primary);
    }
  };
}
