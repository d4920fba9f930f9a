/**
 * The webhooks and their deliveries as their owner sees them. Each function is one statement.
 *
 * @module
 */
import { sql, type SQL } from "drizzle-orm";
import type { DeliveryShown, DeliveryStatus, WebhookShown } from "../../shared/schema/webhook.ts";
import { askDatabase as ask, type Database } from "../backends/postgres.ts";

/** What an owner sets. */
export interface WebhookSettings {
  readonly url: string;
  readonly description: string | null;
  readonly events: readonly string[];
  readonly domain: string | null;
  readonly tags: readonly string[];
}

/** A change: what is undefined stays. */
export type WebhookChange = { readonly [Name in keyof WebhookSettings]: WebhookSettings[Name] | undefined } & {
  readonly disabled: boolean | undefined;
};

/** Where a page of deliveries ended: the next one is older, or as old with a smaller id. */
export interface DeliveryPosition {
  /** Epoch milliseconds. */
  readonly at: number;
  readonly id: string;
}

/** The webhooks. Ids are UUIDs; every function rejects with `BackendDown` when the database cannot be asked. */
export interface WebhookRegistry {
  /** Undefined when there are {@link MAX_WEBHOOKS} already. */
  create(id: string, settings: WebhookSettings, secret: string, now: number): Promise<WebhookShown | undefined>;
  list(): Promise<readonly WebhookShown[]>;
  find(id: string): Promise<WebhookShown | undefined>;
  change(id: string, change: WebhookChange, now: number): Promise<WebhookShown | undefined>;
  /** The secret before stays valid until `previousUntil` (epoch milliseconds). */
  rotate(id: string, secret: string, previousUntil: number, now: number): Promise<WebhookShown | undefined>;
  /** Deletes it; answers whether there was one. Its deliveries, which may be many, are forgotten with the next retention. */
  remove(id: string): Promise<boolean>;
  /** Puts a message of the type `webhook.test` into its outbox, whatever its events are. */
  addTest(id: string, eventId: string, now: number): Promise<DeliveryShown | undefined>;
  /** The newest events first, after a position; at most `limit`. */
  readDeliveries(id: string, asked: DeliveriesQuestion): Promise<readonly DeliveryShown[]>;
  /** Sends one again from its first attempt on, whatever came of it. */
  replay(id: string, eventId: string, now: number): Promise<DeliveryShown | undefined>;
  /** The same for all that failed of the events of a period (both ends included); answers how many. */
  replayFailed(id: string, from: number, to: number, now: number): Promise<number>;
}

/** Which deliveries are asked for. */
export interface DeliveriesQuestion {
  readonly status: DeliveryStatus | undefined;
  readonly after: DeliveryPosition | undefined;
  readonly limit: number;
}

/** So many webhooks there may be: each change of a link looks at all of them. */
export const MAX_WEBHOOKS = 20;
/** Every click is written down once for each of these, while the rows of its link's figures are locked. */
export const MAX_CLICK_WEBHOOKS = 5;

/** Builds it. */
export function createRegistry(database: Database): WebhookRegistry {
  const one = <Shown>(statement: SQL): Promise<Shown | undefined> =>
    ask(async () => {
      const { rows } = await database.execute<{ shown: Shown }>(statement);
      return rows[0]?.shown;
    });
  const all = <Shown>(statement: SQL): Promise<readonly Shown[]> =>
    ask(async () => {
      const { rows } = await database.execute<{ shown: Shown }>(statement);
      return rows.map(({ shown }) => shown);
    });
  return {
    create: (id, settings, secret, now) =>
      one(sql`
        INSERT INTO webhooks AS hook (id, url, description, events, domain, tags, secret, created_at, updated_at)
        SELECT ${id}::uuid, ${settings.url}, ${settings.description}, ${texts(settings.events)}, ${settings.domain}, ${texts(settings.tags)},
          ${secret}, ${instant(now)}, ${instant(now)}
        WHERE (SELECT count(*) FROM webhooks) < ${MAX_WEBHOOKS}
        RETURNING ${WEBHOOK} AS shown`),
    list: () => all(sql`SELECT ${WEBHOOK} AS shown FROM webhooks AS hook ORDER BY created_at, id`),
    find: (id) => one(sql`SELECT ${WEBHOOK} AS shown FROM webhooks AS hook WHERE id = ${id}::uuid`),
    change: (id, change, now) => one(changeStatement(id, change, now)),
    rotate: (id, secret, previousUntil, now) =>
      one(sql`
        UPDATE webhooks AS hook
        SET previous_secret = secret, previous_until = ${instant(previousUntil)}, secret = ${secret}, updated_at = ${instant(now)}
        WHERE id = ${id}::uuid RETURNING ${WEBHOOK} AS shown`),
    remove: async (id) => {
      const removed = await one<boolean>(sql`
        DELETE FROM webhooks WHERE id = ${id}::uuid RETURNING true AS shown`);
      return removed === true;
    },
    addTest: (id, eventId, now) =>
      one(sql`
        INSERT INTO webhook_deliveries AS delivery (webhook_id, event_id, type, occurred_at, payload, next_attempt_at)
        SELECT id, ${eventId}, 'webhook.test', ${instant(now)}, '{"message": "A test of this webhook."}', ${instant(now)}
        FROM webhooks WHERE id = ${id}::uuid
        RETURNING ${DELIVERY} AS shown`),
    readDeliveries: (id, { status, after, limit }) =>
      all(sql`
        SELECT ${DELIVERY} AS shown FROM webhook_deliveries AS delivery
        WHERE webhook_id = ${id}::uuid
          AND ${status === undefined ? sql`true` : sql`${STATUS} = ${status}`}
          AND ${after === undefined ? sql`true` : sql`(occurred_at, event_id) < (${instant(after.at)}, ${after.id})`}
        ORDER BY occurred_at DESC, event_id DESC LIMIT ${limit}`),
    replay: (id, eventId, now) =>
      one(sql`
        UPDATE webhook_deliveries AS delivery SET attempts = 0, delivered_at = NULL, next_attempt_at = ${instant(now)}
        WHERE webhook_id = ${id}::uuid AND event_id = ${eventId} AND EXISTS (SELECT FROM webhooks WHERE id = ${id}::uuid)
        RETURNING ${DELIVERY} AS shown`),
    replayFailed: async (id, from, to, now) => {
      const replayed = await one<number>(sql`
        WITH replayed AS (
          UPDATE webhook_deliveries AS delivery SET attempts = 0, next_attempt_at = ${instant(now)}
          WHERE webhook_id = ${id}::uuid AND occurred_at BETWEEN ${instant(from)} AND ${instant(to)} AND ${STATUS} = 'failed'
          RETURNING 1
        )
        SELECT count(*)::int AS shown FROM replayed`);
      return replayed ?? 0;
    },
  };
}

/** Switched on again, it begins anew: what failed before counts no more, and what waits is due. */
function changeStatement(id: string, change: WebhookChange, now: number): SQL {
  const isOff = change.disabled ?? null;
  return sql`
    WITH due AS (
      UPDATE webhook_deliveries SET next_attempt_at = ${instant(now)}
      FROM webhooks AS hook
      WHERE hook.id = ${id}::uuid AND hook.disabled_at IS NOT NULL AND ${isOff}::boolean = false
        AND webhook_id = hook.id AND next_attempt_at > ${instant(now)}
    )
    UPDATE webhooks AS hook SET
      url = ${change.url === undefined ? sql`url` : sql`${change.url}`},
      description = ${change.description === undefined ? sql`description` : sql`${change.description}`},
      events = ${change.events === undefined ? sql`events` : texts(change.events)},
      domain = ${change.domain === undefined ? sql`domain` : sql`${change.domain}`},
      tags = ${change.tags === undefined ? sql`tags` : texts(change.tags)},
      failing_since = CASE WHEN ${isOff}::boolean = false OR ${change.url !== undefined}::boolean THEN NULL ELSE failing_since END,
      disabled_at = CASE ${isOff}::boolean WHEN true THEN coalesce(disabled_at, ${instant(now)}) WHEN false THEN NULL ELSE disabled_at END,
      disabled_reason = CASE ${isOff}::boolean WHEN true THEN coalesce(disabled_reason, 'asked') WHEN false THEN NULL ELSE disabled_reason END,
      updated_at = ${instant(now)}
    WHERE id = ${id}::uuid RETURNING ${WEBHOOK} AS shown`;
}

const timeOf = (column: string): SQL => {
  const value = sql.raw(column);
  return sql`to_char(${value} AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;
};

/** In the form of `webhookShown`, from `webhooks AS hook`. */
const WEBHOOK = sql`jsonb_build_object('id', hook.id, 'url', hook.url, 'description', hook.description, 'events', hook.events,
  'domain', hook.domain, 'tags', hook.tags, 'disabled', hook.disabled_at IS NOT NULL, 'disabledReason', hook.disabled_reason,
  'disabledAt', ${timeOf("hook.disabled_at")}, 'failingSince', ${timeOf("hook.failing_since")},
  'createdAt', ${timeOf("hook.created_at")}, 'updatedAt', ${timeOf("hook.updated_at")})`;

const STATUS = sql`CASE WHEN delivery.delivered_at IS NOT NULL THEN 'delivered' WHEN delivery.next_attempt_at IS NULL THEN 'failed'
  ELSE 'pending' END`;

/** In the form of `deliveryShown`, from `webhook_deliveries AS delivery`. */
const DELIVERY = sql`jsonb_build_object('id', delivery.event_id, 'type', delivery.type, 'status', ${STATUS},
  'occurredAt', ${timeOf("delivery.occurred_at")}, 'attempts', delivery.attempts,
  'nextAttemptAt', ${timeOf("delivery.next_attempt_at")}, 'deliveredAt', ${timeOf("delivery.delivered_at")},
  'lastAttempt', CASE WHEN delivery.last_attempt_at IS NOT NULL THEN jsonb_build_object('at', ${timeOf("delivery.last_attempt_at")},
    'status', delivery.last_status, 'error', delivery.last_error, 'milliseconds', delivery.last_ms) END)`;

function texts(values: readonly string[]): SQL {
  return sql`ARRAY(SELECT jsonb_array_elements_text(${JSON.stringify(values)}::jsonb))`;
}

function instant(epochMs: number): SQL {
  return sql`${new Date(epochMs).toISOString()}::timestamptz`;
}
