/**
 * Wakes the objects of the webhooks that have something to send.
 *
 * @module
 */
import { callObject } from "../backends/deadline.ts";
import { log } from "../telemetry/log.ts";
import type { WakesWebhook } from "./object.ts";
import type { Outbox } from "./store.ts";

/** Wakes who has something due; answers how many. Never rejects: what is not woken now, cron wakes. */
export type WakeWebhooks = () => Promise<number>;

/** Finds the object of a webhook. */
export type SenderOf = (webhookId: string) => Pick<WakesWebhook, "wake">;

const LIMIT_MS = 2000;

/** Builds it. */
export function createWake(readDue: Outbox["readDue"], senderOf: SenderOf, clock: () => number): WakeWebhooks {
  const wake = async (webhookId: string): Promise<boolean> => {
    try {
      await callObject("webhook", LIMIT_MS, async () => await senderOf(webhookId).wake(webhookId));
      return true;
    } catch (error) {
      log("warn", "webhook_not_woken", { webhookId }, error);
      return false;
    }
  };
  return async () => {
    try {
      const woken = await Promise.all((await readDue(clock())).map(wake));
      return woken.filter(Boolean).length;
    } catch (error) {
      log("warn", "webhooks_not_woken", {}, error);
      return 0;
    }
  };
}
