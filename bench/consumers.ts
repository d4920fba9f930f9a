/**
 * A queue of our own in front of Hop's consumers: a driver in the same workerd hands batches to their `queue()` handlers, as the
 * platform does, and tells what they answered. Links and doors for them, as every bench of clicks needs them.
 *
 * @module
 */
import type { Client } from "pg";
import { isRecord, parseJson } from "../shared/json.ts";
import { type Handler, listen, type Listener } from "../local/listener.ts";
import { openEngine } from "../local/postgres/engine.ts";
import { neonHandler } from "../local/postgres/neon-http.ts";
import type { Stack } from "../local/stack.ts";
import { type Bench, HOST } from "./workerd.ts";

/** The driver's source. */
export const DRIVER = `export default { async fetch(request, env) {
  if (request.method !== "POST") return new Response();
  const { consumer, messages } = await request.json();
  const timestamp = new Date();
  return Response.json(await env[consumer].queue("hop-clicks", messages.map((message) => ({ ...message, timestamp }))));
} };`;

/** A message as a queue hands it over. */
export interface Delivered {
  readonly id: string;
  readonly body: string;
  /** How often it was handed over, this time included. */
  readonly attempts: number;
}

/** Hands one batch to a consumer by the name of its Worker; answers the ids of the messages that it acknowledged. */
export async function deliver(
  bench: Bench,
  consumer: string,
  messages: readonly Delivered[],
): Promise<ReadonlySet<string>> {
  const body = JSON.stringify({ consumer, messages });
  const answer = await fetch(bench.target("DRIVER").origin, { method: "POST", body });
  const result = parseJson(await answer.text());
  const acks = isRecord(result) ? result["explicitAcks"] : undefined;
  if (!Array.isArray(acks)) throw new Error(`the consumer did not answer: ${answer.status} ${JSON.stringify(result)}`);
  return new Set(acks.map(String));
}

/** Makes links of these ids. */
export async function insertLinks(client: Client, ids: readonly string[]): Promise<void> {
  await client.query(
    `INSERT INTO short_links (id, domain, short_code, long_url, type, version)
     SELECT id, $2, 'c' || id, 'https://example.com/', 'auto', 1 FROM unnest($1::bigint[]) AS id`,
    [ids, HOST],
  );
}

/** A door to the stack's Postgres that keeps nothing of what passes. `wrap` may stand in its way. */
export async function openDoor(stack: Stack, url: string, wrap: (handle: Handler) => Handler): Promise<Listener> {
  const engine = openEngine(url, CONNECTIONS);
  const { username, password } = new URL(stack.databaseUrl);
  const listener = await listen(wrap(neonHandler(engine, { user: username, password })));
  return {
    origin: listener.origin,
    async stop() {
      await listener.stop();
      await engine.stop();
    },
  };
}

const CONNECTIONS = 8;
