/**
 * The Durable Object of one webhook: it wakes when there is something to send, and is the only one that sends it. So a receiver that is
 * slow holds up no other's, and each retry has its alarm.
 *
 * @module
 */
import { DurableObject } from "cloudflare:workers";
import { log } from "../telemetry/log.ts";
import type { NextRun } from "./deliver.ts";

/** Makes a run of a webhook; answers when the next one is to be. */
export type RunWebhook = (webhookId: string) => Promise<NextRun>;

const WEBHOOK = "webhook";
/** Until when it rests, in epoch milliseconds. */
const REST = "rest";
/** After a run that could not be made: the database is away. */
const PAUSE_MS = 60_000;

/** What the object can be asked for. */
export interface WakesWebhook {
  /** Makes a run soon. */
  wake(webhookId: string): Promise<void>;
}

/**
 * Builds the class over what `open` hands in, which is loaded when there is something to send. The object keeps a name and an alarm; the
 * outbox is in Postgres, so one that is lost is woken by the next event, or by cron.
 */
export function createSenderClass(open: () => Promise<RunWebhook>) {
  const run = async (webhookId: string): Promise<NextRun> => {
    try {
      return await (
        await open()
      )(webhookId);
    } catch (error) {
      log("error", "webhook_delayed", { webhookId }, error);
      return { at: Date.now() + PAUSE_MS, restUntil: 0 };
    }
  };
  return class extends DurableObject<Env> implements WakesWebhook {
    async wake(webhookId: string): Promise<void> {
      const { kv } = this.ctx.storage;
      if (kv.get<string>(WEBHOOK) !== webhookId) kv.put(WEBHOOK, webhookId);
      await this.#planAt(Math.max(Date.now(), kv.get<number>(REST) ?? 0));
    }

    /** Never rejects: it plans its own next run. While it runs no second one begins. */
    override async alarm(): Promise<void> {
      const { kv } = this.ctx.storage;
      const webhookId = kv.get<string>(WEBHOOK);
      if (webhookId === undefined) return;
      const next = await run(webhookId);
      if ((kv.get<number>(REST) ?? 0) !== next.restUntil) kv.put(REST, next.restUntil);
      if (next.at !== null) await this.#planAt(next.at);
    }

    /** The earliest of all plans stands. */
    async #planAt(at: number): Promise<void> {
      const planned = await this.ctx.storage.getAlarm();
      if (planned === null || planned > at) await this.ctx.storage.setAlarm(at);
    }
  };
}
