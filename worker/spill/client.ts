/**
 * Where messages go that the queue does not take.
 *
 * @module
 */
import { callObject } from "../backends/deadline.ts";
import type { Spill, SpillStatus } from "./object.ts";

/** Keeps one message until the queue takes it. Rejects with `BackendDown` when no object can be asked. */
export type SpillMessage = (body: string) => Promise<void>;

/** An object in another part of the world answers within a few hundred milliseconds. */
const LIMIT_MS = 2000;
/** One object takes some hundred calls a second (Cloudflare, Durable Objects limits: 1,000 in all); together they take all that a queue does. */
const OBJECTS = 8;

/** Builds the client. `dice` gives numbers from 0 to 1. One object that cannot be asked is replaced by another. */
export function createSpill(namespace: DurableObjectNamespace<Spill>, dice: () => number): SpillMessage {
  return async (body) => {
    const first = Math.floor(dice() * OBJECTS);
    const keepIn = (index: number): Promise<void> =>
      ask(async () => await stubOf(namespace, String(index % OBJECTS)).keep(body));
    try {
      await keepIn(first);
    } catch {
      await keepIn(first + 1);
    }
  };
}

/** How all objects together stand. Rejects with `BackendDown` when one cannot be asked. */
export async function readSpill(namespace: DurableObjectNamespace<Spill>): Promise<SpillStatus> {
  const names = Array.from({ length: OBJECTS }, (_, index) => String(index));
  const all = await Promise.all(names.map((name) => ask(async () => await stubOf(namespace, name).status())));
  return {
    waiting: all.reduce((sum, { waiting }) => sum + waiting, 0),
    kept: all.reduce((sum, { kept }) => sum + kept, 0),
  };
}

function stubOf(namespace: DurableObjectNamespace<Spill>, name: string): DurableObjectStub<Spill> {
  return namespace.get(namespace.idFromName(name));
}

function ask<T>(call: () => Promise<T>): Promise<T> {
  return callObject("spill", LIMIT_MS, call);
}
