/**
 * What the Worker asks of the world. The test harness sends every request that leaves the Worker through this process's own `fetch`, so
 * this is the wire: what is not seen here was not sent.
 *
 * @module
 */

/** The requests that left the Worker. */
export interface Outbound {
  /** Their URLs so far, in order. */
  readonly urls: readonly string[];
  /** Where a host is: requests for it go to another origin, as if the DNS said so. */
  lead(host: string, origin: string): void;
  /** Sends requests as before. */
  stop(): void;
}

/** Watches from now on. */
export function watchOutbound(): Outbound {
  const urls: string[] = [];
  const origins = new Map<string, string>();
  const send = globalThis.fetch;
  const watching: typeof fetch = (input, init) => {
    const url = new URL(input instanceof Request ? input.url : input);
    urls.push(url.href);
    const origin = origins.get(url.hostname);
    if (origin === undefined) return send(input, init);
    return send(new URL(`${url.pathname}${url.search}`, origin), init);
  };
  globalThis.fetch = watching;
  return {
    urls,
    lead: (host, origin) => void origins.set(host, origin),
    stop: () => {
      globalThis.fetch = send;
    },
  };
}
