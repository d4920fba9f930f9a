/**
 * The entrances of the Worker: requests, queue batches, cron runs, and the Durable Objects.
 *
 * @module
 */
import { handleRequest } from "./app.ts";
import { createSenderClass } from "./webhooks/object.ts";

export { Quota } from "./quota/object.ts";
export { Sequencer } from "./sequencer/object.ts";
export { Spill } from "./spill/object.ts";

/** Sends what webhooks are to be told. */
export class WebhookSender extends createSenderClass(async () => {
  const { openSender } = await import("./jobs.ts");
  return openSender();
}) {}

export default {
  fetch: (request, _env, context) => handleRequest(request, context),
  async queue(batch) {
    const { handleBatch } = await import("./jobs.ts");
    await handleBatch(batch);
  },
  async scheduled(controller) {
    const { runSchedule } = await import("./jobs.ts");
    await runSchedule(controller.scheduledTime);
  },
} satisfies ExportedHandler<Env>;
