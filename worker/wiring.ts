/**
 * The only file that builds things: from the environment to the parts that the doors use. What a redirect needs is built
 * once an isolate; what it does not need is loaded when somebody asks for it. Nothing here keeps a request.
 *
 * @module
 */
import { env, waitUntil } from "cloudflare:workers";
import { packChange } from "../shared/change.ts";
import { createCodeBook, RESERVED_WORDS } from "../shared/code.ts";
import { lazily } from "../shared/lazily.ts";
import type { UrlPolicy } from "../shared/url-policy.ts";
import { createKeyDoor } from "./access/door.ts";
import { createAuthenticate } from "./access/keys.ts";
import { mayGoOn } from "./access/rate-limit.ts";
import { createBreaker, NO_BREAKER } from "./backends/breaker.ts";
import { openEdgeCache } from "./backends/edge-cache.ts";
import type { Database } from "./backends/postgres.ts";
import { createPurge } from "./backends/purge.ts";
import type { RedisClient } from "./backends/redis.ts";
import { createBuffer } from "./clicks/buffer.ts";
import { createCapture, packVisits } from "./clicks/capture.ts";
import type { Bury } from "./clicks/dead-letters.ts";
import { createDailySalt, newSalt } from "./clicks/salt.ts";
import type { ClickStore } from "./clicks/store.ts";
import { createVisitorHash } from "./clicks/visitor-hash.ts";
import { type Config, readConfig } from "./config.ts";
import { createFilter, type FilterTruth, newGenerationName } from "./entries/filter.ts";
import { createJoin } from "./entries/flight.ts";
import { createPublish } from "./entries/publish.ts";
import { createResolve } from "./entries/resolve.ts";
import { createEdgeTier, type EdgeTier } from "./entries/tiers/edge.ts";
import { createGuardTier } from "./entries/tiers/guard.ts";
import { createMemoryTier } from "./entries/tiers/memory.ts";
import { createPostgresTier } from "./entries/tiers/postgres.ts";
import { createRedisTier } from "./entries/tiers/redis.ts";
import { cutAddress } from "./http/cut-address.ts";
import type { LinkParts } from "./links/routes.ts";
import type { RebuildParts } from "./maintenance/filter-rebuild.ts";
import type { RepairParts } from "./maintenance/repair.ts";
import type { MaintenanceStore } from "./maintenance/store.ts";
import { createQuotas } from "./quota/client.ts";
import { createRedirect, type Redirect } from "./redirect/routes.ts";
import { createNextIds, type Fleet, readStatus, requireOne } from "./sequencer/client.ts";
import type { HealthParts } from "./stats/health.ts";
import type { MetricParts } from "./stats/metrics.ts";
import type { StatsParts } from "./stats/routes.ts";

/** How long a visitor waits for each backend at most. */
const REDIS_LIMIT_MS = 500;
const LOOKUP_LIMIT_MS = 2000;
/** A caller of the API, and the queue's consumer, can wait longer than a visitor. */
const STATEMENT_LIMIT_MS = 10_000;
/** A page of a rebuild is many bits. */
const REBUILD_LIMIT_MS = 5000;
/** How long "there is no such link" is believed. */
const ABSENT_MS = 10_000;

/** What the front door uses. */
export interface Wiring {
  readonly config: Config;
  readonly redirect: Redirect;
}

/** What the queue and cron use. */
export interface Jobs {
  readonly clicks: ClickStore;
  readonly bury: Bury;
  readonly maintenance: MaintenanceStore;
  readonly send: (body: string) => Promise<void>;
  readonly keptMonths: Config["clickRetentionMonths"];
  readonly rebuild: RebuildParts;
  readonly repair: RepairParts;
}

type Core = ReturnType<typeof buildCore>;

let core: Core | undefined;

function openCore(): Core {
  core ??= buildCore(readConfig(env));
  return core;
}

/** The parts of the front door. Throws `ConfigError` when the environment cannot be used. */
export function wire(): Wiring {
  return openCore();
}

/** The parts of `/metrics`. */
export function wireMetrics(): MetricParts {
  const { config, fleet } = openCore();
  return {
    mayRead: keyDoorOf(config)("stats:read"),
    readSequencers: () => readStatus(fleet),
    layout: config.layout,
  };
}

/** The parts of `/healthz?deep=1`. */
export function wireHealth(): HealthParts {
  const { config, database, redisClient, fleet } = openCore();
  return {
    mayRead: keyDoorOf(config)("stats:read"),
    backends: {
      postgres: async () => (await database()).execute("SELECT 1"),
      redis: async () => (await redisClient()).ping(),
      sequencer: () => requireOne(fleet),
    },
  };
}

/** The parts of the links' API. */
export async function wireLinks(): Promise<LinkParts> {
  const { config, codes, fleet, filter, quotas, database, publish } = openCore();
  const [{ createLinkStore }, { entryOf }] = await Promise.all([
    import("./links/store.ts"),
    import("./entries/store.ts"),
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
  const { config, database } = openCore();
  const { createStatsStore } = await import("./stats/queries.ts");
  return {
    store: createStatsStore(await database()),
    domains: config.domains,
    mayRead: keyDoorOf(config)("stats:read"),
  };
}

/** The parts of the queue's consumers and of cron. */
export async function wireJobs(): Promise<Jobs> {
  const [{ createClickStore }, { createBury }, { createMaintenanceStore }, { createFilterBuild }] = await Promise.all([
    import("./clicks/store.ts"),
    import("./clicks/dead-letters.ts"),
    import("./maintenance/store.ts"),
    import("./entries/filter-build.ts"),
  ]);
  const { config, database: openDatabase, connectRedis, redisForRepair, purge } = openCore();
  const database = await openDatabase();
  const maintenance = createMaintenanceStore(database);
  return {
    clicks: createClickStore(database),
    bury: createBury(database),
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
  };
}

function buildCore(config: Config) {
  const codes = createCodeBook(config.codeFormats, {
    launchedAtMs: config.launchedAt,
    shards: config.sequencerShards,
    reserved: RESERVED_WORDS,
  });
  const fleet: Fleet = {
    namespace: env.SEQUENCER,
    layout: config.layout.name,
    shards: config.sequencerShards,
    hints: config.sequencerLocations,
    isUsable: (first, now) => codes.prove(codes.encode(first), now) === first,
  };
  const connect = async (limitMs: number): Promise<Database> => {
    const postgres = await import("./backends/postgres.ts");
    return postgres.connect({ url: config.databaseUrl, endpoint: config.databaseEndpoint }, limitMs);
  };
  const entryStore = lazily(async () => {
    const { createEntryStore } = await import("./entries/store.ts");
    return createEntryStore(await connect(LOOKUP_LIMIT_MS));
  });
  const connectRedis = async (limitMs: number, breaker = createBreaker("redis")): Promise<RedisClient> => {
    const backend = await import("./backends/redis.ts");
    const manners = { limitMs, breaker, clock: () => Date.now() };
    return backend.connectRedis(config.redisUrl, config.redisToken, manners);
  };
  const redisClient = lazily(() => connectRedis(REDIS_LIMIT_MS));
  const filterTruth = lazily(async (): Promise<FilterTruth> => {
    const { createFilterTruth } = await import("./maintenance/store.ts");
    return createFilterTruth(await connect(STATEMENT_LIMIT_MS));
  });

  const quotas = createQuotas(env.QUOTA);
  const memory = createMemoryTier(() => Date.now());
  const edge = createEdgeTier(openEdgeCache(), config.cacheEpoch);
  // Not under the caches' epoch: the filter is no cache, and emptying them must not leave Postgres unguarded.
  const filter = createFilter({
    client: redisClient,
    prefix: config.redisPrefix,
    truth: filterTruth,
    background: (work) => waitUntil(work),
  });
  const entriesPrefix = `${config.redisPrefix}${config.cacheEpoch}`;
  const redis = createRedisTier(redisClient, entriesPrefix, {
    filter,
    includes: (code) => codes.classify(code).kind === "custom",
  });
  const visitorHash = createVisitorHash(
    createDailySalt({ client: redisClient, prefix: config.redisPrefix, random: newSalt, clock: () => Date.now() }),
  );
  return {
    config,
    codes,
    fleet,
    connectRedis,
    redisClient,
    filter,
    quotas,
    database: lazily(() => connect(STATEMENT_LIMIT_MS)),
    // A change that is overdue asks Redis itself, whatever visitors met before: it is through as soon as Redis is back.
    redisForRepair: createRedisTier(
      lazily(() => connectRedis(REDIS_LIMIT_MS, NO_BREAKER)),
      entriesPrefix,
    ),
    purge: purgeOf(config, edge),
    publish: createPublish({
      near: [memory, edge],
      redis,
      enqueue: (change) => send(packChange(change)),
      canPurge: config.purge !== null,
    }),
    redirect: createRedirect({
      codes,
      resolve: createResolve({
        near: [memory, createGuardTier(codes)],
        below: [edge, redis, createPostgresTier(entryStore)],
        freshness: { presentMs: config.freshMs, absentMs: ABSENT_MS },
        dice: Math.random,
        join: createJoin((ms) => scheduler.wait(ms)),
        answerFirst,
      }),
      capture: createCapture(
        createBuffer({
          pack: (visits) =>
            packVisits(visits, { ipMode: config.ipMode, visitorHash, mintId: () => crypto.randomUUID() }),
          send,
          wait: (ms) => scheduler.wait(ms),
          answerFirst,
        }),
      ),
      mayMiss: (address) => mayGoOn(env.UNKNOWN_CODE_LIMIT, address),
      visitsLeft: quotas,
      debugTiming: config.debugTiming,
    }),
  };
}

function keyDoorOf(config: Config): ReturnType<typeof createKeyDoor> {
  return createKeyDoor(createAuthenticate(config.adminKey), (address) => mayGoOn(env.REFUSED_KEY_LIMIT, address));
}

/** A turn of the event loop: the answer that this one made leaves before it. */
function answerFirst(): Promise<void> {
  return scheduler.wait(0);
}

/** As text: what is packed once is not serialised a second time. */
async function send(body: string): Promise<void> {
  await env.CLICKS.send(body, { contentType: "text" });
}

/** Empties the other places' caches, when the zone and its token are configured. */
function purgeOf(config: Config, { tagOf }: EdgeTier): RepairParts["purge"] {
  const purge = config.purge === null ? undefined : createPurge(config.purge);
  return purge && ((keys) => purge(keys.map((key) => tagOf(key))));
}
