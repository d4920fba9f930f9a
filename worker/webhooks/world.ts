/**
 * A world for tests of what is sent: webhooks of their own, a clock, and a receiver that answers as it is told.
 *
 * @module
 */
import { parseJson } from "../../shared/json.ts";
import type { Database } from "../backends/postgres.ts";
import { deliverDue } from "./deliver.ts";
import { createRegistry } from "./queries.ts";
import { createRender } from "./render.ts";
import type { Fetch } from "./send.ts";
import { newSecret } from "./sign.ts";
import { createOutbox } from "./store.ts";

/** Milliseconds. */
export const SECOND = 1000;
/** Milliseconds. */
export const DAY = 24 * 3600 * SECOND;
/** Far from now: nothing that another test file has is due by this clock only. */
export const START = Date.now() + 1000 * DAY;

interface Sent {
  readonly id: string;
  readonly at: number;
  readonly body: unknown;
  readonly redirect: string | undefined;
}

/** Takes a message. */
export const ok = () => new Response(null, { status: 204 });
/** Takes none. */
export const broken = () => new Response("no", { status: 500 });

/** Reads no row that says that it is broken. */
const showLinks = (rows: readonly string[]): Promise<readonly []> =>
  rows.some((row) => row.includes("broken")) ? Promise.reject(new TypeError("broken")) : Promise.resolve([]);

/** What tests need of a database. */
export function openScene(database: Database) {
  const outbox = createOutbox(database);
  const registry = createRegistry(database);
  const made: string[] = [];
  const deliveriesOf = (id: string) => registry.readDeliveries(id, { status: undefined, after: undefined, limit: 100 });
  return {
    outbox,
    registry,
    /** What stands of a webhook, the newest first. */
    deliveriesOf,
    /** The statuses of that. */
    left: async (id: string) => (await deliveriesOf(id)).map(({ status }) => status).toSorted(),
    /** Why it is off; null: it is on. */
    offReason: async (id: string) => (await registry.find(id))?.disabledReason,
    /** Makes a webhook that nothing but tests fills. */
    makeWebhook: async (domain = `${crypto.randomUUID()}.example`): Promise<string> => {
      const id = crypto.randomUUID();
      const settings = { url: `https://${domain}/`, description: null, events: ["link.clicked"], domain, tags: [] };
      await registry.create(id, settings, newSecret(), START);
      made.push(id);
      return id;
    },
    /** Removes the webhooks that were made. */
    removeMade: async (): Promise<void> => {
      for (const id of made.splice(0)) await registry.remove(id);
    },
    /** Gives it something to tell. */
    addTests: async (id: string, count: number, now = START): Promise<void> => {
      for (let index = 0; index < count; index += 1) await registry.addTest(id, `test_${crypto.randomUUID()}`, now);
    },
    /** A clock, and a receiver that answers as it is told. */
    openWorld: (answer: (sent: Sent) => Response | Promise<Response>) => {
      const world = { now: START, sent: [] as readonly Sent[] };
      const fetch: Fetch = async (_url, init) => {
        const headers = new Headers(init.headers);
        const body = parseJson(typeof init.body === "string" ? init.body : "");
        const at = Number(headers.get("webhook-timestamp"));
        const sent = { id: headers.get("webhook-id") ?? "", at, body, redirect: init.redirect };
        world.sent = [...world.sent, sent];
        return answer(sent);
      };
      const parts = { outbox, render: createRender(showLinks), fetch, clock: () => world.now, dice: () => 0 };
      return { world, run: async (webhookId: string) => (await deliverDue(parts, webhookId)).at };
    },
  };
}
