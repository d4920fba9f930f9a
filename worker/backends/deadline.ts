/**
 * Time limits for what we wait on. A backend that is slow must cost its limit and no more.
 *
 * @module
 */
import { BackendDown } from "../../shared/backend-down.ts";

/**
 * Settles as `work` does, or rejects with {@link BackendDown} after `limitMs`. For work that takes no abort signal:
 * the work goes on, its late result is ignored, and its late rejection is not reported as unhandled.
 */
export async function within<T>(backend: string, limitMs: number, work: Promise<T>): Promise<T> {
  const { promise: timeout, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(
    () => reject(new BackendDown(backend, new Error(`no answer within ${limitMs} ms`))),
    limitMs,
  );
  try {
    return await Promise.race([work, timeout]);
  } finally {
    clearTimeout(timer);
  }
}

/** Calls a Durable Object {@link within} a limit; whatever goes wrong is {@link BackendDown}. */
export async function callObject<T>(backend: string, limitMs: number, call: () => Promise<T>): Promise<T> {
  try {
    return await within(backend, limitMs, call());
  } catch (error) {
    throw error instanceof BackendDown ? error : new BackendDown(backend, error);
  }
}
