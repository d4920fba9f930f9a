/**
 * Limits for one address, counted by the platform in each location.
 *
 * @module
 */
import { log } from "../telemetry/log.ts";

/** Whether one more may pass. A limiter that cannot be asked stops nobody. */
export async function mayGoOn(limiter: RateLimit, key: string): Promise<boolean> {
  try {
    return (await limiter.limit({ key })).success;
  } catch (error) {
    log("warn", "rate_limiter_down", {}, error);
    return true;
  }
}
