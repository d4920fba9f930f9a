/**
 * Builds what a redirect needs, once an isolate, from the environment. This folder is the only place that builds things; what a
 * redirect does not need is loaded when somebody asks for it. Nothing here keeps a request.
 *
 * @module
 */
import { env, waitUntil } from "cloudflare:workers";
import { packChange } from "../../shared/change.ts";
import { MESSAGE_MAX_CLICKS } from "../../shared/click.ts";
import { createCodeBook, RESERVED_WORDS } from "../../shared/code.ts";
import { lazily } from "../../shared/lazily.ts";
import { partsOf } from "../../shared/parts.ts";
import { mayGoOn } from "../access/rate-limit.ts";
import { createBreaker, NO_BREAKER } from "../backends/breaker.ts";
import { within } from "../backends/deadline.ts";
import { openEdgeCache } from "../backends/edge-cache.ts";
import type { Database } from "../backends/postgres.ts";
import { createPurge } from "../backends/purge.ts";
import type { RedisClient } from "../backends/redis.ts";
import { createBuffer } from "../clicks/buffer.ts";
import { createCapture, packVisits } from "../clicks/capture.ts";
import { createRide, type Ride } from "../clicks/counts/ride.ts";
import { createNoteMiss } from "../clicks/misses/note.ts";
import { createDailySalt, newSalt } from "../clicks/salt.ts";
import { createVisitorHash } from "../clicks/visitor-hash.ts";
import { type Config, readConfig } from "../config.ts";
import { createFilter, type FilterTruth } from "../entries/filter.ts";
import { clientNetwork } from "../http/cut-address.ts";
import { createJoin } from "../entries/flight.ts";
import { createPublishAll } from "../entries/publish-all.ts";
import { createPublish } from "../entries/publish.ts";
import { createResolve } from "../entries/resolve.ts";
import { createEdgeTier, type EdgeTier } from "../entries/tiers/edge.ts";
import { createGuardTier } from "../entries/tiers/guard.ts";
import { createMemoryTier } from "../entries/tiers/memory.ts";
import { createPostgresTier } from "../entries/tiers/postgres.ts";
import { createRedisTier } from "../entries/tiers/redis.ts";
import type { RepairParts } from "../maintenance/repair.ts";
import { createQuotas } from "../quota/client.ts";
import { createRedirect, type Redirect, type RedirectParts } from "../redirect/routes.ts";
import type { Fleet } from "../sequencer/client.ts";
import { createSpill } from "../spill/client.ts";
import { count, takeCounts } from "../telemetry/counters.ts";
import type { SenderOf, WakeWebhooks } from "../webhooks/wake.ts";

/** How long a visitor waits for each backend at most. */
const REDIS_LIMIT_MS = 500;
/** How long those wait who have nowhere else to go: a creation for the filter, and who asks whether Redis is well. */
const PATIENT_REDIS_LIMIT_MS = 3000;
const LOOKUP_LIMIT_MS = 2000;
/** A caller of the API, and the queue's consumer, can wait longer than a visitor. */
const STATEMENT_LIMIT_MS = 10_000;
/** Nobody waits for the queue, but the platform ends what is left of a request after 30 s. */
const QUEUE_LIMIT_MS = 3000;
/** How long "there is no such link" is believed. */
const ABSENT_MS = 10_000;

/** What the front door uses. */
export interface Wiring {
  readonly config: Config;
  readonly redirect: Redirect;
  /** Answers `POST` of what is no address of the router's: it takes the passwords of links. */
  readonly submit: Redirect;
  /** Told of each request. */
  readonly ride: Ride;
}

/** What everything else is built from. */
type Core = ReturnType<typeof buildCore>;

let core: Core | undefined;

/** The one core of this isolate. Throws `ConfigError` when the environment cannot be used. */
export function openCore(): Core {
  core ??= buildCore(readConfig(env));
  return core;
}

/** The parts of the front door. Throws `ConfigError` when the environment cannot be used. */
export function wire(): Wiring {
  return openCore();
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
  const connect = async (limitMs: number, url = config.databaseUrl): Promise<Database> => {
    const postgres = await import("../backends/postgres.ts");
    return postgres.connect({ url, endpoint: config.databaseEndpoint }, limitMs, (outcome) => {
      count(`database_queries:${outcome}`);
    });
  };
  const lookups = lazily(() => connect(LOOKUP_LIMIT_MS));
  const entryStore = lazily(async () => {
    const { createEntryStore } = await import("../entries/store.ts");
    return createEntryStore(await lookups());
  });
  const connectRedis = async (limitMs: number, breaker = createBreaker("redis")): Promise<RedisClient> => {
    const backend = await import("../backends/redis.ts");
    return backend.connectRedis(config.redisUrl, config.redisToken, {
      limitMs,
      breaker,
      clock: () => Date.now(),
      tally(outcome) {
        count(`redis_commands:${outcome}`);
      },
    });
  };
  const redisClient = lazily(() => connectRedis(REDIS_LIMIT_MS));
  const patientRedis = lazily(() => connectRedis(PATIENT_REDIS_LIMIT_MS, NO_BREAKER));
  const filterTruth = lazily(async (): Promise<FilterTruth> => {
    const { createFilterTruth } = await import("../maintenance/store.ts");
    return createFilterTruth(await connect(STATEMENT_LIMIT_MS));
  });

  const linkStore = lazily(async () => {
    const { createLinkStore } = await import("../links/store.ts");
    return createLinkStore(await connect(LOOKUP_LIMIT_MS));
  });

  const database = lazily(() => connect(STATEMENT_LIMIT_MS));
  const readDueWebhooks = async (now: number): Promise<readonly string[]> => {
    const { createOutbox } = await import("../webhooks/store.ts");
    return createOutbox(await database()).readDue(now);
  };
  const wakeWebhooks: WakeWebhooks = async () => {
    const { createWake } = await import("../webhooks/wake.ts");
    return createWake(readDueWebhooks, senderOf, () => Date.now())();
  };
  const quotas = createQuotas(env.QUOTA);
  const spill = createSpill(env.SPILL, Math.random);
  const sendOrSpill = (body: string): Promise<void> => send(body).catch(() => spill(body));
  const memory = createMemoryTier(() => Date.now());
  const edge = createEdgeTier(openEdgeCache(), config.cacheEpoch);
  // Not under the caches' epoch: the filter is no cache, and emptying them must not leave Postgres unguarded.
  const filter = createFilter({
    client: redisClient,
    patientClient: patientRedis,
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
    patientRedis,
    filter,
    quotas,
    database,
    /** The same for what somebody waits for who has asked for something else. */
    lookups,
    wakeWebhooks,
    /** The read replica, or null where there is none. */
    connectReplica: async () =>
      config.databaseReplicaUrl === null ? null : connect(STATEMENT_LIMIT_MS, config.databaseReplicaUrl),
    // A change that is overdue asks Redis itself, whatever visitors met before: it is through as soon as Redis is back.
    redisForRepair: createRedisTier(
      lazily(() => connectRedis(REDIS_LIMIT_MS, NO_BREAKER)),
      entriesPrefix,
    ),
    purge: purgeOf(config, edge),
    publish: createPublish({
      near: [memory, edge],
      redis,
      enqueue: (change) => sendOrSpill(packChange(change)),
      canPurge: config.purge !== null,
    }),
    publishAll: createPublishAll({ memory, redis, enqueueAll: (changes) => sendAll(changes.map(packChange)) }),
    ride: createRide({
      send,
      wait: (ms) => scheduler.wait(ms),
      mintId: () => crypto.randomUUID(),
      clock: () => Date.now(),
    }),
    ...doorsOf({
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
            packVisits(visits, {
              ipMode: config.ipMode,
              visitorHash,
              mintId: () => crypto.randomUUID(),
              takeCounts: () => takeCounts(Date.now()),
            }),
          capacity: config.clickMode === "each" ? 1 : MESSAGE_MAX_CLICKS,
          send,
          spill,
          wait: (ms) => scheduler.wait(ms),
          answerFirst,
        }),
      ),
      mayMiss: (address) => mayGoOn(env.UNKNOWN_CODE_LIMIT, address),
      noteMiss: createNoteMiss({ send: sendOrSpill, wait: (ms) => scheduler.wait(ms) }),
      visitsLeft: quotas,
      describe: async (key) => {
        const row = await (await linkStore()).find(key);
        return row && { title: row.title, createdAt: row.createdAt.getTime(), clickCount: row.clickCount };
      },
      debugTiming: config.debugTiming,
    }),
  };
}

/** Both ways into a link. Passwords are rare, so what takes them is loaded with the first. */
function doorsOf(parts: RedirectParts): Pick<Wiring, "redirect" | "submit"> {
  const submit = lazily(async () => {
    const [{ createSubmit }, { isPassword }] = await Promise.all([
      import("../redirect/submit.ts"),
      import("../access/passwords.ts"),
    ]);
    return createSubmit({ ...parts, isPassword, mayTry: mayTryPassword });
  });
  return {
    redirect: createRedirect(parts),
    submit: async (request, scope) => (await submit())(request, scope),
  };
}

/** Whoever has no address that is known shares the limit with all others who have none. */
function mayTryPassword(address: string | null): Promise<boolean> {
  return mayGoOn(env.PASSWORD_LIMIT, address === null ? "unknown" : clientNetwork(address));
}

/** The object of a webhook. */
function senderOf(webhookId: string): ReturnType<SenderOf> {
  return env.WEBHOOK_SENDER.get(env.WEBHOOK_SENDER.idFromName(webhookId));
}

/** A turn of the event loop: the answer that this one made leaves before it. */
function answerFirst(): Promise<void> {
  return scheduler.wait(0);
}

/**
 * Sends one message, as text: what is packed once is not serialised a second time. A queue that hangs rejects like one that refuses;
 * a message that arrives all the same, twice, counts once.
 */
export async function send(body: string): Promise<void> {
  await within("queue", QUEUE_LIMIT_MS, env.CLICKS.send(body, { contentType: "text" }));
}

/** What one call of the queue takes is 100 messages and 256 KB (Cloudflare Queues, limits); a few bytes of each are the queue's own. */
const BATCH = { items: 100, size: 200_000 };

/** Sends messages, as text, with as few calls as their sizes allow. */
async function sendAll(bodies: readonly string[]): Promise<void> {
  for (const part of partsOf(bodies, bytesOf, BATCH)) {
    const messages = part.map((body) => ({ body, contentType: "text" as const }));
    await within("queue", QUEUE_LIMIT_MS, env.CLICKS.sendBatch(messages));
  }
}

function bytesOf(text: string): number {
  return new TextEncoder().encode(text).length;
}

/** Empties the other places' caches, when the zone and its token are configured. */
function purgeOf(config: Config, { tagOf }: EdgeTier): RepairParts["purge"] {
  const purge = config.purge === null ? undefined : createPurge(config.purge);
  return purge && ((keys) => purge(keys.map((key) => tagOf(key))));
}
