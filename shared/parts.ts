/**
 * Divides lists that are too long for one request.
 *
 * @module
 */

/** How much goes into one part. */
export interface PartLimits {
  readonly items: number;
  /** Of the sizes together, in whatever unit they are measured. */
  readonly size: number;
}

/**
 * The items in their order, in parts within the limits. An item that is larger than a part is one of its own.
 *
 * @example
 * partsOf(["aaa", "b", "cc"], (text) => text.length, { items: 2, size: 4 }) // [["aaa", "b"], ["cc"]]
 */
export function partsOf<T>(items: readonly T[], sizeOf: (item: T) => number, limits: PartLimits): T[][] {
  const parts: T[][] = [];
  let part: T[] = [];
  let size = 0;
  for (const item of items) {
    const more = sizeOf(item);
    if (part.length > 0 && (part.length === limits.items || size + more > limits.size)) {
      parts.push(part);
      part = [];
      size = 0;
    }
    part.push(item);
    size += more;
  }
  return part.length === 0 ? parts : [...parts, part];
}
