/**
 * Faults on demand: a stand-in that is slow, silent, broken or gone. Set in this process, or over HTTP by tests that run
 * elsewhere. What a fault does to an answer is the transport's work.
 *
 * @module
 */

/** Every kind of fault. */
export const FAULT_KINDS = ["refuse", "hang", "delay", "cut", "html", "unauthorized", "too_many", "garbage"] as const;

/**
 * What goes wrong: `refuse` closes the connection before a byte is answered, `hang` never answers, `delay` answers late,
 * `cut` ends in the middle of the right answer, `html` is a proxy's 500, `unauthorized` and `too_many` are the service's
 * own 401 and 429, `garbage` is a 200 with what is no answer.
 */
export type FaultKind = (typeof FAULT_KINDS)[number];

/** A fault, until it is lifted or used up. */
export interface Fault {
  readonly kind: FaultKind;
  /** For `delay`. */
  readonly delayMs?: number;
  /** Only requests whose body holds this text meet it, so that tests that run at once leave each other alone. */
  readonly matching?: string;
  /** How many requests meet it; without a number, all. */
  readonly times?: number;
}

/** The switch of one stand-in, and its count of requests. */
export interface Faults {
  /** Sets a fault beside those that are set, and answers its number. */
  set(fault: Fault): number;
  /** Lifts a fault; its number may be unknown. */
  lift(id: number): void;
  /** The fault that a request with this body meets. Counts the request. */
  meet(body: string): Fault | undefined;
  /** How many requests so far hold this text in their body. */
  count(matching: string): number;
}

/** The bodies of so many requests are kept, to be counted by what they hold. */
const MAX_SEEN = 100_000;

/** A switch with no fault set. */
export function createFaults(): Faults {
  const faults = new Map<number, { readonly fault: Fault; left: number }>();
  const seen: string[] = [];
  let lastId = 0;
  return {
    set(fault) {
      lastId += 1;
      faults.set(lastId, { fault, left: fault.times ?? Infinity });
      return lastId;
    },
    lift: (id) => void faults.delete(id),
    meet(body) {
      if (seen.length < MAX_SEEN) seen.push(body);
      const met = [...faults.values()].find(({ fault, left }) => left > 0 && body.includes(fault.matching ?? ""));
      if (met === undefined) return undefined;
      met.left -= 1;
      return met.fault;
    },
    count: (matching) => seen.filter((body) => body.includes(matching)).length,
  };
}
