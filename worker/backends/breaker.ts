/**
 * A circuit breaker: a backend that keeps failing is left alone for a while, so that it costs a visitor its time limit once
 * and not each time. Plain data, which requests of an isolate may share.
 *
 * @module
 */
import { BackendDown } from "../../shared/backend-down.ts";

/** When a breaker opens, and for how long. */
export interface BreakerLimits {
  /** So many failures in a row open it. */
  readonly failures: number;
  /** How long it stays open at first; twice as long each time the call that tries again fails too. */
  readonly firstPauseMs: number;
  readonly longestPauseMs: number;
}

/** Runs a call, or rejects with `BackendDown` at once while the breaker is open. `now` is epoch milliseconds. */
export type Breaker = <T>(now: number, call: () => Promise<T>) => Promise<T>;

/** Two failures in a row may be chance; three of them cost three visitors a limit. */
export const BREAKER_LIMITS: BreakerLimits = { failures: 3, firstPauseMs: 1000, longestPauseMs: 30_000 };

/** Lets every call through: for work that nobody waits for, and that has pauses of its own. */
export const NO_BREAKER: Breaker = (_now, call) => call();

/** Builds a closed breaker for a backend. */
export function createBreaker(backend: string, limits: BreakerLimits = BREAKER_LIMITS): Breaker {
  let failures = 0;
  let pauseMs = limits.firstPauseMs;
  let openUntil = 0;

  const failed = (now: number, isRetry: boolean): void => {
    failures += 1;
    if (isRetry) pauseMs = Math.min(limits.longestPauseMs, pauseMs * 2);
    // Calls that were under way when it opened fail too, and say nothing new.
    if (isRetry || failures === limits.failures) openUntil = now + pauseMs;
  };

  return async (now, call) => {
    if (now < openUntil) throw new BackendDown(backend, new Error(`left alone for ${openUntil - now} ms more`));
    // The first call after the pause tries again; those that come while it runs are still turned away.
    const isRetry = failures >= limits.failures;
    if (isRetry) openUntil = now + pauseMs;
    try {
      const answer = await call();
      failures = 0;
      pauseMs = limits.firstPauseMs;
      openUntil = 0;
      return answer;
    } catch (error) {
      failed(now, isRetry);
      throw error;
    }
  };
}
