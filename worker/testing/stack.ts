/**
 * The local stack as tests inside the Worker reach it: the database, and the switches for faults.
 *
 * @module
 */
import { env } from "cloudflare:workers";
import { inject } from "vitest";
import { connect, type Database } from "../backends/postgres.ts";
import { readConfig } from "../config.ts";

/** What goes wrong; see `local/faults.ts`. */
export interface Fault {
  readonly kind: "refuse" | "hang" | "delay" | "cut" | "html" | "unauthorized" | "too_many" | "garbage";
  readonly delayMs?: number;
  /** Only requests whose body holds this text meet it. */
  readonly matching?: string;
  readonly times?: number;
}

/** The database of the stack, with a generous time limit. */
export function openDatabase(limitMs = 20_000): Database {
  const { databaseUrl, databaseEndpoint } = readConfig(env);
  return connect({ url: databaseUrl, endpoint: databaseEndpoint }, limitMs);
}

/** Makes one backend fail from now on. Faults of other tests stand beside it: aim it with `matching`. */
export async function setFault(backend: "postgres" | "redis", fault: Fault): Promise<void> {
  await fetch(inject("stack").faultUrls[backend], { method: "PUT", body: JSON.stringify(fault) });
}

/** Lifts every fault of a backend. */
export async function clearFaults(backend: "postgres" | "redis"): Promise<void> {
  await fetch(inject("stack").faultUrls[backend], { method: "DELETE" });
}

/** How many requests to a backend hold this text in their body. */
export async function countRequests(backend: "postgres" | "redis", matching: string): Promise<number> {
  const answer = await fetch(`${inject("stack").faultUrls[backend]}/count?matching=${encodeURIComponent(matching)}`);
  const body: unknown = await answer.json();
  return typeof body === "object" && body !== null && "count" in body ? Number(body.count) : Number.NaN;
}
