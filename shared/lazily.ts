/**
 * What is built when it is first asked for.
 *
 * @module
 */

/** Builds when first asked and keeps the value, not the promise: a promise belongs to the request that made it. */
export function lazily<T>(build: () => Promise<T>): () => Promise<T> {
  let value: T | undefined;
  return async () => {
    value ??= await build();
    return value;
  };
}
