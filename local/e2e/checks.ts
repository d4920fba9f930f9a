/**
 * The services that a Worker may ask about destinations, on this machine, with their faults.
 *
 * @module
 */
import { dohHandler, type DnsRecords } from "../checks/doh.ts";
import { webRiskHandler } from "../checks/web-risk.ts";
import { createFaults, type Fault } from "../faults.ts";
import { listen } from "../listener.ts";

/** A running resolver and a running reputation service. */
export interface Checks {
  /** What makes a Worker ask both. */
  readonly vars: Readonly<Record<string, string>>;
  /** What the resolver knows. */
  readonly zone: Map<string, DnsRecords>;
  /** The URLs that are on lists. */
  readonly listed: Map<string, readonly string[]>;
  /** The names and the URLs that were asked for so far. */
  readonly names: readonly string[];
  readonly urls: readonly string[];
  /** Makes one of them fail from now on, for questions that hold a text. */
  fail(service: "dns" | "reputation", fault: Fault): void;
  /** Ends all faults. */
  mend(): void;
  stop(): Promise<void>;
}

/** The key of the reputation service. */
export const REPUTATION_KEY = "reputation-key-4711";

/** Starts both. `example.com` has a public address; no other name exists. */
export async function startChecks(): Promise<Checks> {
  const zone = new Map<string, DnsRecords>([
    ["example.com", ["93.184.215.14", "2606:2800:21f:cb07:6820:80da:af6b:8b2c"]],
  ]);
  const listed = new Map<string, readonly string[]>();
  const [names, urls]: [string[], string[]] = [[], []];
  const faults = { dns: createFaults(), reputation: createFaults() };
  const set: (() => void)[] = [];
  const [dns, reputation] = await Promise.all([
    listen(dohHandler(zone, names), faults.dns),
    listen(webRiskHandler(REPUTATION_KEY, listed, urls), faults.reputation),
  ]);
  return {
    vars: {
      DNS_CHECK_URL: `${dns.origin}/dns-query`,
      REPUTATION_URL: `${reputation.origin}/v1/uris:search`,
      REPUTATION_KEY,
    },
    zone,
    listed,
    names,
    urls,
    fail(service, fault) {
      const id = faults[service].set(fault);
      set.push(() => faults[service].lift(id));
    },
    mend() {
      for (const lift of set.splice(0)) lift();
    },
    stop: async () => {
      await Promise.all([dns.stop(), reputation.stop()]);
    },
  };
}
