/**
 * Of the requests of an isolate that ask for one code at once, one looks it up and the others take what it finds: a link that
 * everybody opens in the same second costs one look-up.
 *
 * A request may not await another's promise (it is cancelled on Workers), so those that wait look again and again at plain data.
 *
 * @module
 */

/** Runs `work` for a key, or takes the result of the one that runs for it already. `now` is epoch milliseconds. */
export type Join<T> = (key: string, now: number, work: () => Promise<T>) => Promise<T>;

interface Flight<T> {
  readonly startedAt: number;
  result: T | undefined;
}

/** Longer than a look-up can take: one that was cancelled with its request is not waited for. */
const FLIGHT_MS = 3000;
/** The first pause of those that wait; each is twice as long as the one before, up to the longest. */
const FIRST_PAUSE_MS = 4;
const LONGEST_PAUSE_MS = 32;
/** Flights of cancelled requests are left behind; they are few, and dropped when they are many. */
const MAX_FLIGHTS = 10_000;

/** Builds the meeting point. `wait` is the pause of the platform, in milliseconds. */
export function createJoin<T>(wait: (ms: number) => Promise<void>): Join<T> {
  const flights = new Map<string, Flight<T>>();
  return async (key, now, work) => {
    const running = flights.get(key);
    if (running !== undefined && now - running.startedAt < FLIGHT_MS) return (await resultOf(running, wait)) ?? work();
    if (flights.size >= MAX_FLIGHTS) flights.clear();
    const flight: Flight<T> = { startedAt: now, result: undefined };
    flights.set(key, flight);
    try {
      flight.result = await work();
      return flight.result;
    } finally {
      if (flights.get(key) === flight) flights.delete(key);
    }
  };
}

async function resultOf<T>(flight: Flight<T>, wait: (ms: number) => Promise<void>): Promise<T | undefined> {
  let pauseMs = FIRST_PAUSE_MS;
  for (let waitedMs = 0; waitedMs < FLIGHT_MS; waitedMs += pauseMs) {
    await wait(pauseMs);
    if (flight.result !== undefined) return flight.result;
    pauseMs = Math.min(LONGEST_PAUSE_MS, pauseMs * 2);
  }
  return undefined;
}
