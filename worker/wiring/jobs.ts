/**
 * Builds the parts of the queue's consumers and of cron.
 *
 * @module
 */
import { waitUntil } from "cloudflare:workers";
import { lazily } from "../../shared/lazily.ts";
import type { IdempotencyStore } from "../access/idempotency/store.ts";
import type { Database } from "../backends/postgres.ts";
import type { ConsumerParts } from "../clicks/consumer.ts";
import { type ConsumeCounts, createConsumeCounts } from "../clicks/counts/consume.ts";
import type { WriteCounts } from "../clicks/counts/store.ts";
import type { WriteMisses } from "../clicks/misses/store.ts";
import type { Config } from "../config.ts";
import { newGenerationName } from "../entries/filter.ts";
import type { RecheckParts } from "../links/checks/recheck.ts";
import type { RebuildParts } from "../maintenance/filter-rebuild.ts";
import type { RepairParts } from "../maintenance/repair.ts";
import type { MaintenanceStore } from "../maintenance/store.ts";
import { deliverDue } from "../webhooks/deliver.ts";
import type { RunWebhook } from "../webhooks/object.ts";
import { createRender } from "../webhooks/render.ts";
import type { Outbox } from "../webhooks/store.ts";
import type { WakeWebhooks } from "../webhooks/wake.ts";
import { wirePatientCheck } from "./checks.ts";
import { openCore, send } from "./core.ts";

/** A page of a rebuild is many bits. */
const REBUILD_LIMIT_MS = 5000;

/** What the queue and cron use. */
export interface Jobs {
  readonly clicks: ConsumerParts;
  readonly writeMisses: WriteMisses;
  readonly maintenance: MaintenanceStore;
  readonly send: (body: string) => Promise<void>;
  readonly keptMonths: Config["clickRetentionMonths"];
  readonly rebuild: RebuildParts;
  readonly repair: RepairParts;
  readonly wakeWebhooks: WakeWebhooks;
  readonly forgetDeliveries: Outbox["forget"];
  readonly forgetAnswers: IdempotencyStore["forget"];
  /** Null: no check is switched on. */
  readonly recheck: RecheckParts | null;
}

let consumeCounts: ConsumeCounts | undefined;

/** One for the isolate: it remembers a report that may not have been written. */
function consumeCountsOf(write: WriteCounts): ConsumeCounts {
  consumeCounts ??= createConsumeCounts({ write, mintId: () => crypto.randomUUID(), clock: () => Date.now() });
  return consumeCounts;
}

/** The parts of the queue's consumers and of cron. */
export async function wireJobs(): Promise<Jobs> {
  const [
    { createClickStore },
    { createBury },
    { createWriteCounts },
    { createWriteMisses },
    { createMaintenanceStore },
    { createFilterBuild },
    { createOutbox },
    { createIdempotencyStore },
  ] = await Promise.all([
    import("../clicks/store.ts"),
    import("../clicks/dead-letters.ts"),
    import("../clicks/counts/store.ts"),
    import("../clicks/misses/store.ts"),
    import("../maintenance/store.ts"),
    import("../entries/filter-build.ts"),
    import("../webhooks/store.ts"),
    import("../access/idempotency/store.ts"),
  ]);
  const { config, database: openDatabase, connectRedis, redisForRepair, purge, wakeWebhooks } = openCore();
  const database = await openDatabase();
  const maintenance = createMaintenanceStore(database);
  return {
    clicks: {
      store: createClickStore(database),
      bury: createBury(database),
      consumeCounts: consumeCountsOf(createWriteCounts(database)),
      wakeWebhooks,
      clock: () => Date.now(),
    },
    writeMisses: createWriteMisses(database),
    maintenance,
    send,
    keptMonths: config.clickRetentionMonths,
    rebuild: {
      build: createFilterBuild(
        lazily(() => connectRedis(REBUILD_LIMIT_MS)),
        config.redisPrefix,
      ),
      truth: maintenance.filterTruth,
      readRows: maintenance.readCustomRows,
      capacity: config.filterCapacity,
      newName: newGenerationName,
      clock: () => Date.now(),
    },
    repair: { keepInRedis: (key, entry) => redisForRepair.fill(key, entry), purge },
    wakeWebhooks,
    forgetDeliveries: createOutbox(database).forget,
    forgetAnswers: createIdempotencyStore(database).forget,
    recheck: await wireRecheck(database),
  };
}

/** Loaded only where a check is switched on. */
async function wireRecheck(database: Database): Promise<RecheckParts | null> {
  const { config, publish } = openCore();
  const patient = wirePatientCheck(config.urlChecks);
  if (patient === null) return null;
  const [{ createLinkStore }, { createCheckStore }, { entryOf }] = await Promise.all([
    import("../links/store.ts"),
    import("../links/checks/store.ts"),
    import("../entries/store.ts"),
  ]);
  return { ...patient, store: createLinkStore(database), checks: createCheckStore(database), publish, entryOf };
}

/** The parts of whoever sends what webhooks are to be told. */
export async function wireSender(): Promise<RunWebhook> {
  const [{ createOutbox }, { createReadSnapshots }, { linkOf, showLink }] = await Promise.all([
    import("../webhooks/store.ts"),
    import("../links/store.ts"),
    import("../links/rows.ts"),
  ]);
  const database = await openCore().database();
  const readSnapshots = createReadSnapshots(database);
  const parts = {
    outbox: createOutbox(database),
    render: createRender(async (rows) => {
      const links = (await readSnapshots(rows)).map((row) => linkOf(row));
      return links.map((link) => showLink(link, `https://${link.domain}`));
    }),
    fetch: (url: string, init: RequestInit) => fetch(url, init),
    clock: () => Date.now(),
    dice: Math.random,
  };
  const { ride } = openCore();
  return async (webhookId) => {
    const next = await deliverDue(parts, webhookId);
    // An object has no visits, which would take along what it counts.
    ride(Date.now(), (work) => waitUntil(work));
    return next;
  };
}
