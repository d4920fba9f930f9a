/**
 * Builds the parts of the API, each when it is first asked for.
 *
 * @module
 */
import { env } from "cloudflare:workers";
import type { UrlPolicy } from "../../shared/url-policy.ts";
import { createKeyDoor } from "../access/door.ts";
import { createAuthenticate } from "../access/keys.ts";
import { mayGoOn } from "../access/rate-limit.ts";
import { within } from "../backends/deadline.ts";
import { createBreaker } from "../backends/breaker.ts";
import type { Config } from "../config.ts";
import { cutAddress } from "../http/cut-address.ts";
import type { LinkParts } from "../links/routes.ts";
import { createNextIds, readStatus, requireOne } from "../sequencer/client.ts";
import { readSpill } from "../spill/client.ts";
import type { HealthParts } from "../stats/health.ts";
import type { MetricParts } from "../stats/metrics/routes.ts";
import type { MissParts } from "../stats/misses/routes.ts";
import { preferReplica } from "../stats/replica.ts";
import type { StatsParts } from "../stats/routes.ts";
import { newSecret } from "../webhooks/sign.ts";
import type { WebhookParts } from "../webhooks/routes.ts";
import { openCore } from "./core.ts";

/** A scrape waits for the queue this long. */
const QUEUE_LIMIT_MS = 3000;

/** The parts of `/metrics`. */
export async function wireMetrics(): Promise<MetricParts> {
  const { config, fleet, database } = openCore();
  const { createReadCounts } = await import("../stats/metrics/queries.ts");
  return {
    mayRead: keyDoorOf(config)("stats:read"),
    readSequencers: () => readStatus(fleet),
    readSpill: () => readSpill(env.SPILL),
    readQueue: () => within("queue", QUEUE_LIMIT_MS, env.CLICKS.metrics()),
    readCounts: createReadCounts(await database()),
    layout: config.layout,
  };
}

/** The parts of `/healthz?deep=1`. */
export function wireHealth(): HealthParts {
  const { config, database, patientRedis, fleet } = openCore();
  return {
    mayRead: keyDoorOf(config)("stats:read"),
    backends: {
      postgres: async () => (await database()).execute("SELECT 1"),
      redis: async () => (await patientRedis()).ping(),
      sequencer: () => requireOne(fleet),
    },
  };
}

/** The parts of the links' API. */
export async function wireLinks(): Promise<LinkParts> {
  const { config, codes, fleet, filter, quotas, database, publish, wakeWebhooks } = openCore();
  const [{ createLinkStore }, { entryOf }] = await Promise.all([
    import("../links/store.ts"),
    import("../entries/store.ts"),
  ]);
  const keyDoor = keyDoorOf(config);
  return {
    store: createLinkStore(await database()),
    codes,
    nextIds: createNextIds(fleet),
    addToFilter: (key, refused) => filter.add(key, refused),
    publish,
    entryOf,
    countEarlier: quotas.countEarlier,
    forgetVisits: quotas.forget,
    wakeWebhooks,
    domains: config.domains,
    policyFor: (ownHosts): UrlPolicy => ({
      schemes: config.schemes,
      allow: config.urlAllowlist,
      block: config.urlBlocklist,
      ownHosts,
    }),
    cutAddress: (address) => cutAddress(address, config.ipMode),
    mayRead: keyDoor("links:read"),
    mayWrite: keyDoor("links:write"),
  };
}

/** The parts of the statistics. */
export async function wireStats(): Promise<StatsParts> {
  const { config, database, connectReplica } = openCore();
  const [{ createStatsStore }, { createEraseClicks }, replica] = await Promise.all([
    import("../stats/queries.ts"),
    import("../stats/store.ts"),
    connectReplica(),
  ]);
  const primary = createStatsStore(await database());
  const manners = { breaker: createBreaker("replica"), clock: () => Date.now() };
  const keyDoor = keyDoorOf(config);
  return {
    store: replica === null ? primary : preferReplica({ replica: createStatsStore(replica), primary, ...manners }),
    findToErase: (key) => primary.findLink(key),
    eraseClicks: createEraseClicks(await database()),
    domains: config.domains,
    mayRead: keyDoor("stats:read"),
    mayErase: keyDoor("links:write"),
  };
}

/** The parts of the misses. */
export async function wireMisses(): Promise<MissParts> {
  const { config, database } = openCore();
  const { createReadMisses } = await import("../stats/misses/queries.ts");
  return { readMisses: createReadMisses(await database()), mayRead: keyDoorOf(config)("stats:read") };
}

/** The parts of the webhooks. */
export async function wireWebhooks(): Promise<WebhookParts> {
  const { config, database, wakeWebhooks } = openCore();
  const { createRegistry } = await import("../webhooks/queries.ts");
  return {
    registry: createRegistry(await database()),
    wake: wakeWebhooks,
    newSecret,
    newId: () => crypto.randomUUID(),
    domains: config.domains,
    receiverPolicy: (host) => ({
      policy: { block: config.urlBlocklist, ownHosts: [...config.domains, host] },
      localHosts: config.webhookLocalHosts,
    }),
    mayAdminister: keyDoorOf(config)("admin"),
  };
}

function keyDoorOf(config: Config): ReturnType<typeof createKeyDoor> {
  return createKeyDoor(createAuthenticate(config.adminKey), (address) => mayGoOn(env.REFUSED_KEY_LIMIT, address));
}
