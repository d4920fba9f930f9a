/**
 * Builds the parts of the API, each when it is first asked for.
 *
 * @module
 */
import { env } from "cloudflare:workers";
import { KEY_BYTES, writeKey } from "../../shared/api-key.ts";
import type { CodeKey } from "../../shared/entry.ts";
import { lazily } from "../../shared/lazily.ts";
import type { UrlPolicy } from "../../shared/url-policy.ts";
import { createKeyDoor } from "../access/door.ts";
import { createIdempotently } from "../access/idempotency/middleware.ts";
import { allows, createAuthenticate, presentedKey } from "../access/keys.ts";
import { createKnownKeys, type KnownKeys } from "../access/known-keys.ts";
import { costs, createHashPassword, isPassword } from "../access/passwords.ts";
import { mayGoOn } from "../access/rate-limit.ts";
import { within } from "../backends/deadline.ts";
import { createBreaker } from "../backends/breaker.ts";
import { createPrefer } from "../backends/replica.ts";
import type { StampRefusal } from "../entries/filter.ts";
import type { RequestScope } from "../http/context.ts";
import { cutAddress } from "../http/cut-address.ts";
import type { KeyParts } from "../keys/routes.ts";
import type { Passwords } from "../links/passwords.ts";
import type { ListLinks } from "../links/queries.ts";
import type { LinkParts } from "../links/routes.ts";
import { createNextIds, readStatus, requireOne } from "../sequencer/client.ts";
import { readSpill } from "../spill/client.ts";
import type { HealthParts } from "../stats/health.ts";
import type { MetricParts } from "../stats/metrics/routes.ts";
import type { MissParts } from "../stats/misses/routes.ts";
import { preferReplica } from "../stats/replica.ts";
import type { StatsParts } from "../stats/routes.ts";
import { log } from "../telemetry/log.ts";
import type { TransferParts } from "../transfer/routes.ts";
import { newSecret } from "../webhooks/sign.ts";
import type { WebhookParts } from "../webhooks/routes.ts";
import { wireCheck } from "./checks.ts";
import { openCore } from "./core.ts";

/** A scrape waits for the queue this long. */
const QUEUE_LIMIT_MS = 3000;

/** The parts of `/metrics`. */
export async function wireMetrics(): Promise<MetricParts> {
  const { config, fleet, database } = openCore();
  const { createReadCounts } = await import("../stats/metrics/queries.ts");
  return {
    mayRead: openKeys().door("stats:read"),
    readSequencers: () => readStatus(fleet),
    readSpill: () => readSpill(env.SPILL),
    readQueue: () => within("queue", QUEUE_LIMIT_MS, env.CLICKS.metrics()),
    readCounts: createReadCounts(await database()),
    layout: config.layout,
  };
}

/** The parts of `/healthz?deep=1`. */
export function wireHealth(): HealthParts {
  const { database, patientRedis, fleet } = openCore();
  return {
    mayRead: openKeys().door("stats:read"),
    backends: {
      postgres: async () => (await database()).execute("SELECT 1"),
      redis: async () => (await patientRedis()).ping(),
      sequencer: () => requireOne(fleet),
    },
  };
}

function passwordsAt(iterations: number): Passwords {
  return {
    hash: createHashPassword(iterations),
    isOf: async (password, stored) => costs(stored, iterations) && isPassword(password, stored),
  };
}

/** The parts of the links' API. */
export async function wireLinks(): Promise<LinkParts> {
  const { config, codes, fleet, filter, quotas, database, publish, publishAll, wakeWebhooks } = openCore();
  const check = wireCheck(config.urlChecks);
  const [{ createLinkStore }, { createInsertAll }, { entryOf }, listRows] = await Promise.all([
    import("../links/store.ts"),
    import("../links/bulk/store.ts"),
    import("../entries/store.ts"),
    wireList(),
  ]);
  const keyDoor = openKeys().door;
  const nextIds = createNextIds(fleet);
  const passwords = passwordsAt(config.passwordIterations);
  return {
    store: createLinkStore(await database()),
    listRows,
    bulk: {
      codes,
      nextIds,
      entryOf,
      passwords,
      insertAll: createInsertAll(await database()),
      addAllToFilter: (keys, refused) => filter.addAll(keys, refused),
      publishAll,
      check,
    },
    codes,
    nextIds,
    addToFilter: (key, refused) => filter.add(key, refused),
    publish,
    entryOf,
    passwords,
    check,
    countEarlier: quotas.countEarlier,
    forgetVisits: quotas.forget,
    wakeWebhooks,
    domains: config.domains,
    policyFor,
    cutAddress: (address) => cutAddress(address, config.ipMode),
    mayRead: keyDoor("links:read"),
    mayWrite: keyDoor("links:write"),
  };
}

async function wireList(): Promise<ListLinks> {
  const { database, connectReplica } = openCore();
  const [{ createListLinks }, replica] = await Promise.all([import("../links/queries.ts"), connectReplica()]);
  const primary = createListLinks(await database());
  if (replica === null) return primary;
  const prefer = createPrefer({ replica: createListLinks(replica), primary, ...replicaManners() });
  return (asked) => prefer((list) => list(asked));
}

/** The parts of export and import. */
export async function wireTransfer(): Promise<TransferParts> {
  const { config, codes, fleet, filter, quotas, database, publishAll } = openCore();
  const [{ createInsertAll }, { createReadStanding }, { openAdoption }, { createReadPage }, { entryOf }] =
    await Promise.all([
      import("../links/bulk/store.ts"),
      import("../links/bulk/queries.ts"),
      import("../links/bulk/adopt.ts"),
      import("../transfer/queries.ts"),
      import("../entries/store.ts"),
    ]);
  const keyDoor = openKeys().door;
  const adoptParts = {
    codes,
    nextIds: createNextIds(fleet),
    entryOf,
    readStanding: createReadStanding(await database()),
    insertAll: createInsertAll(await database(), true),
    passwords: passwordsAt(config.passwordIterations),
    addAllToFilter: (keys: readonly CodeKey[], refused?: StampRefusal) => filter.addAll(keys, refused),
    publishAll,
    checksLater: config.urlChecks.dnsUrl !== null || config.urlChecks.reputation !== null,
    countEarlier: quotas.countEarlier,
    clock: () => Date.now(),
  };
  return {
    domains: config.domains,
    policyFor,
    openAdoption: (manners) => openAdoption(adoptParts, manners),
    readPage: createReadPage(await database()),
    wait: (ms) => scheduler.wait(ms),
    isAdmin: openKeys().isAdmin,
    mayRead: keyDoor("links:read"),
    mayWrite: keyDoor("links:write", { isRepeatable: true }),
  };
}

/** What destinations are allowed, given all hosts that are the service's own. */
function policyFor(ownHosts: readonly string[]): UrlPolicy {
  const { schemes, urlAllowlist: allow, urlBlocklist: block } = openCore().config;
  return { schemes, allow, block, ownHosts };
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
  const keyDoor = openKeys().door;
  return {
    store:
      replica === null ? primary : preferReplica({ replica: createStatsStore(replica), primary, ...replicaManners() }),
    findToErase: (key) => primary.findLink(key),
    eraseClicks: createEraseClicks(await database()),
    domains: config.domains,
    mayRead: keyDoor("stats:read"),
    mayErase: keyDoor("links:write"),
  };
}

/** The parts of the misses. */
export async function wireMisses(): Promise<MissParts> {
  const { database } = openCore();
  const { createReadMisses } = await import("../stats/misses/queries.ts");
  return { readMisses: createReadMisses(await database()), mayRead: openKeys().door("stats:read") };
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
    mayAdminister: openKeys().door("admin"),
  };
}

/** The parts of the keys' API. */
export async function wireKeys(): Promise<KeyParts> {
  const { createKeyRegistry } = await import("../keys/queries.ts");
  const { door, forget } = openKeys();
  return {
    registry: createKeyRegistry(await openCore().database()),
    newKey: () => writeKey(crypto.getRandomValues(new Uint8Array(KEY_BYTES))),
    newId: () => crypto.randomUUID(),
    forgetKey: forget,
    mayAdminister: door("admin"),
  };
}

let keys:
  | (Pick<KnownKeys, "forget"> & {
      readonly door: ReturnType<typeof createKeyDoor>;
      readonly isAdmin: TransferParts["isAdmin"];
    })
  | undefined;

/** One for the isolate: what is known of keys is known at each door. */
function openKeys(): NonNullable<typeof keys> {
  if (keys !== undefined) return keys;
  const { config, database, lookups } = openCore();
  const store = lazily(async () => {
    const { createKeyStore } = await import("../access/store.ts");
    return createKeyStore(await lookups());
  });
  const { find, forget } = createKnownKeys({
    readKey: async (hash) => (await store()).readKey(hash),
    noteUse: async (id, now) => (await store()).noteUse(id, now),
  });
  const answers = lazily(async () => {
    const { createIdempotencyStore } = await import("../access/idempotency/store.ts");
    return createIdempotencyStore(await database());
  });
  const authenticate = createAuthenticate(config.adminKey, find);
  const isAdmin = async ({ headers }: Request, scope: RequestScope): Promise<boolean> => {
    const key = presentedKey(headers);
    const caller = key === null ? null : await authenticate(key, scope);
    return caller !== null && allows(caller, "admin");
  };
  const door = createKeyDoor({
    authenticate,
    mayTry,
    mayCall,
    callsPerMinute: config.apiLimitPerMinute,
    idempotently: createIdempotently(answers, () => crypto.randomUUID()),
  });
  keys = { door, forget, isAdmin };
  return keys;
}

function mayCall(id: string): Promise<boolean> {
  return mayGoOn(env.API_LIMIT, id);
}

function mayTry(address: string): Promise<boolean> {
  return mayGoOn(env.REFUSED_KEY_LIMIT, address);
}

function replicaManners() {
  return {
    breaker: createBreaker("replica"),
    clock: () => Date.now(),
    onDown: (error: unknown) => log("warn", "replica_down", {}, error),
  };
}
