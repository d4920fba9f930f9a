/**
 * The entrances of the Worker: requests, queue batches, cron runs, and the Durable Objects.
 *
 * @module
 */
import { handleRequest } from "./app.ts";

export { Quota } from "./quota/object.ts";
export { Sequencer } from "./sequencer/object.ts";
export { Spill } from "./spill/object.ts";

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
