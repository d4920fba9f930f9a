/**
 * Asks the object of a limited link. A link without a limit never comes here.
 *
 * @module
 */
import { callObject } from "../backends/deadline.ts";
import type { Quota } from "./object.ts";

/** The visits left of one link; each rejects with `BackendDown` when its object cannot be asked. */
export interface Quotas {
  /** Spends one visit; answers whether there was one left. */
  readonly take: (linkId: string, limit: number) => Promise<boolean>;
  /** Whether a visit is left. */
  readonly hasLeft: (linkId: string, limit: number) => Promise<boolean>;
  /** Counts visits that were made before the link was limited. */
  readonly countEarlier: (linkId: string, visits: number) => Promise<void>;
  /** Drops the count of a link that is gone. */
  readonly forget: (linkId: string) => Promise<void>;
}

/** An object in another part of the world answers within a few hundred milliseconds. */
const LIMIT_MS = 2000;

/** Builds the client. */
export function createQuotas(namespace: DurableObjectNamespace<Quota>): Quotas {
  const stubOf = (linkId: string): DurableObjectStub<Quota> => namespace.get(namespace.idFromName(linkId));
  return {
    take: (linkId, limit) => ask(async () => await stubOf(linkId).take(limit)),
    hasLeft: (linkId, limit) => ask(async () => await stubOf(linkId).hasLeft(limit)),
    countEarlier: (linkId, visits) => ask(async () => await stubOf(linkId).countEarlier(visits)),
    forget: (linkId) => ask(async () => await stubOf(linkId).forget()),
  };
}

function ask<T>(call: () => Promise<T>): Promise<T> {
  return callObject("quota", LIMIT_MS, call);
}
