/**
 * The local stack as tests inside the Worker reach it: the database, and the switches for faults.
 *
 * @module
 */
import { env } from "cloudflare:workers";
import { inject } from "vitest";
import { isRecord } from "../../shared/json.ts";
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

/** The backends that can be made to fail. */
export type Backend = "postgres" | "redis";

const set: { readonly backend: Backend; readonly id: number }[] = [];

/** Makes one backend fail from now on. Other test files use it at the same time: aim with `matching`. */
export async function setFault(backend: Backend, fault: Fault): Promise<void> {
  const answer = await fetch(inject("stack").faultUrls[backend], { method: "PUT", body: JSON.stringify(fault) });
  set.push({ backend, id: numberIn(await answer.json(), "id") });
}

/** Lifts every fault that this file has set. */
export async function liftFaults(): Promise<void> {
  for (const { backend, id } of set.splice(0)) {
    await fetch(`${inject("stack").faultUrls[backend]}/${id}`, { method: "DELETE" });
  }
}

/** How many requests to a backend hold this text in their body. */
export async function countRequests(backend: Backend, matching: string): Promise<number> {
  const answer = await fetch(`${inject("stack").faultUrls[backend]}/count?matching=${encodeURIComponent(matching)}`);
  return numberIn(await answer.json(), "count");
}

function numberIn(body: unknown, name: string): number {
  const value = isRecord(body) ? body[name] : undefined;
  if (typeof value !== "number") throw new TypeError(`the switch answered no ${name}`);
  return value;
}
