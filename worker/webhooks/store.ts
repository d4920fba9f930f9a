/**
 * The outbox as whoever sends sees it. Rows are put there by the triggers of `migrations/0012_webhooks.sql`. Each function is one statement.
 *
 * @module
 */
import { sql } from "drizzle-orm";
import { askDatabase as ask, type Database } from "../backends/postgres.ts";

/** A delivery that is to be attempted now. */
export interface DueDelivery {
  /** Of the event; `webhook-id` of each attempt. */
  readonly id: string;
  readonly type: string;
  /** Epoch milliseconds. */
  readonly occurredAt: number;
  /** JSON. */
  readonly payload: string;
  /** Which attempt this is, from 1. */
  readonly attempt: number;
}

/** What was claimed: nobody else gets it before the lease ends. */
export interface Claimed {
  readonly url: string;
  /** The newest first. */
  readonly secrets: readonly string[];
  /** When the lease ends, in epoch milliseconds: no other claim of these has the same. */
  readonly leaseEnd: number;
  readonly deliveries: readonly DueDelivery[];
}

/** What came of one attempt. */
export interface Attempted {
  readonly id: string;
  readonly attempt: number;
  readonly ok: boolean;
  /** Null: there was no answer. */
  readonly status: number | null;
  readonly error: string | null;
  readonly ms: number;
  /** When it is tried again, in epoch milliseconds; null: never. */
  readonly nextAt: number | null;
}

/** What came of a webhook's deliveries, for the webhook itself. */
export interface Judged {
  /** Its receiver says that it is gone. */
  readonly gone: boolean;
  /** It is switched off when it has failed since before this, in epoch milliseconds, and nothing of this came through. */
  readonly failingBefore: number;
}

/** The outbox. Every function rejects with `BackendDown` when the database cannot be asked. */
export interface Outbox {
  /**
   * Takes what is due of a webhook for `leaseMs`, the oldest first: `limit` of it, or `failingLimit` while it fails. Undefined when
   * there is nothing, or no such webhook that is on.
   */
  claim(webhookId: string, asked: ClaimQuestion): Promise<Claimed | undefined>;
  /**
   * Keeps what came of the attempts. One that was claimed again meanwhile is left to the other, and a webhook whose address has changed
   * meanwhile is not judged.
   */
  settle(
    webhookId: string,
    claimed: Claim,
    attempted: readonly Attempted[],
    judged: Judged,
    now: number,
  ): Promise<void>;
  /** When a webhook has something due next (epoch milliseconds), or null when never. */
  nextDueAt(webhookId: string): Promise<number | null>;
  /** The webhooks that have something due. */
  readonly readDue: (now: number) => Promise<readonly string[]>;
  /** Drops what is past its time, and what is left of deleted webhooks; answers how much. */
  readonly forget: (past: Past) => Promise<number>;
}

/** What tells a claim from others. */
export type Claim = Pick<Claimed, "url" | "leaseEnd">;

/** How much may be claimed, and for how long. */
export interface ClaimQuestion {
  readonly now: number;
  readonly limit: number;
  readonly failingLimit: number;
  readonly leaseMs: number;
}

/** What is forgotten: events from before these times (epoch milliseconds; the second is the earlier one). */
export interface Past {
  readonly deliveredBefore: number;
  readonly otherBefore: number;
  readonly limit: number;
}

/** A new row is due by the clock of whoever wrote it, which may be ahead of ours by this much. */
const CLOCK_SKEW_MS = 2000;

/** Builds the outbox. */
export function createOutbox(database: Database): Outbox {
  return {
    claim: (webhookId, asked) => claim(database, webhookId, asked),
    settle: (webhookId, claimed, attempted, judged, now) =>
      ask(async () => {
        await database.execute(settleStatement(webhookId, claimed, attempted, judged, now));
      }),
    nextDueAt: (webhookId) =>
      ask(async () => {
        const { rows } = await database.execute<{ at: string | null }>(sql`
          SELECT (extract(epoch FROM min(next_attempt_at)) * 1000)::bigint::text AS at FROM webhook_deliveries
          WHERE webhook_id = ${webhookId}::uuid AND next_attempt_at IS NOT NULL
            AND EXISTS (SELECT FROM webhooks WHERE id = ${webhookId}::uuid AND disabled_at IS NULL)`);
        const at = rows[0]?.at ?? null;
        return at === null ? null : Number(at);
      }),
    readDue: (now) =>
      ask(async () => {
        const { rows } = await database.execute<{ id: string }>(sql`
          SELECT id FROM webhooks AS hook WHERE disabled_at IS NULL AND EXISTS (
            SELECT FROM webhook_deliveries WHERE webhook_id = hook.id AND next_attempt_at <= ${instant(now + CLOCK_SKEW_MS)})`);
        return rows.map(({ id }) => id);
      }),
    forget: (past) =>
      ask(async () => {
        const { rows } = await database.execute<{ forgotten: string }>(forgetStatement(past));
        return Number(rows[0]?.forgotten ?? 0);
      }),
  };
}

function claim(database: Database, webhookId: string, asked: ClaimQuestion): Promise<Claimed | undefined> {
  return ask(async () => {
    const { rows } = await database.execute<{
      url: string;
      secrets: string[];
      id: string;
      type: string;
      at: string;
      payload: string;
      attempt: number;
    }>(sql`
      WITH hook AS (
        SELECT id, url, CASE WHEN previous_until > ${instant(asked.now)} THEN ARRAY[secret, previous_secret] ELSE ARRAY[secret] END AS secrets,
          CASE WHEN failing_since IS NULL THEN ${asked.limit}::int ELSE ${asked.failingLimit}::int END AS most
        FROM webhooks WHERE id = ${webhookId}::uuid AND disabled_at IS NULL
      ), due AS (
        SELECT event_id FROM webhook_deliveries
        WHERE webhook_id = (SELECT id FROM hook) AND next_attempt_at <= ${instant(asked.now + CLOCK_SKEW_MS)}
        ORDER BY next_attempt_at LIMIT (SELECT most FROM hook) FOR UPDATE SKIP LOCKED
      ), claimed AS (
        UPDATE webhook_deliveries AS delivery
        SET attempts = delivery.attempts + 1, next_attempt_at = ${instant(asked.now + asked.leaseMs)}
        FROM due WHERE delivery.webhook_id = ${webhookId}::uuid AND delivery.event_id = due.event_id
        RETURNING delivery.event_id AS id, type, (extract(epoch FROM occurred_at) * 1000)::bigint::text AS at,
          payload::text AS payload, attempts AS attempt
      )
      SELECT hook.url, to_jsonb(hook.secrets) AS secrets, claimed.* FROM claimed, hook ORDER BY at, claimed.id`);
    const [first] = rows;
    if (first === undefined) return undefined;
    const deliveries = rows.map(({ id, type, at, payload, attempt }) => ({
      id,
      type,
      occurredAt: Number(at),
      payload,
      attempt,
    }));
    return { url: first.url, secrets: first.secrets, leaseEnd: asked.now + asked.leaseMs, deliveries };
  });
}

/**
 * A success clears what failed before; a first failure is remembered; a lasting one switches off. When the last that waits is given up the
 * webhook is no longer one that fails: nothing is left by which it could show that it works.
 */
function settleStatement(
  webhookId: string,
  { url, leaseEnd }: Claim,
  attempted: readonly Attempted[],
  judged: Judged,
  now: number,
) {
  const anyOk = attempted.some(({ ok }) => ok);
  const allOver = attempted.every(({ nextAt }) => nextAt === null);
  const isOver = sql`${allOver}::boolean AND NOT EXISTS (
    SELECT FROM webhook_deliveries AS other WHERE other.webhook_id = hook.id AND other.next_attempt_at IS NOT NULL
      AND NOT EXISTS (SELECT FROM attempted WHERE attempted.id = other.event_id))`;
  const isLasting = sql`${!anyOk}::boolean AND hook.failing_since < ${instant(judged.failingBefore)}`;
  return sql`
    WITH attempted AS (
      SELECT * FROM jsonb_to_recordset(${JSON.stringify(attempted)}::jsonb) AS attempt(
        id text, attempt int, ok boolean, status int, error text, ms int, "nextAt" bigint)
    ), settled AS (
      UPDATE webhook_deliveries AS delivery SET
        delivered_at = CASE WHEN ok THEN ${instant(now)} END,
        next_attempt_at = to_timestamp("nextAt" / 1000.0),
        last_attempt_at = ${instant(now)}, last_status = status, last_error = error, last_ms = ms
      FROM attempted
      WHERE delivery.webhook_id = ${webhookId}::uuid AND delivery.event_id = attempted.id AND delivery.attempts = attempted.attempt
        AND delivery.next_attempt_at = ${instant(leaseEnd)} AND delivery.delivered_at IS NULL
    )
    UPDATE webhooks AS hook SET
      failing_since = CASE WHEN ${anyOk}::boolean OR (${isOver}) THEN NULL ELSE coalesce(hook.failing_since, ${instant(now)}) END,
      disabled_at = CASE WHEN ${judged.gone}::boolean OR ${isLasting} THEN ${instant(now)} END,
      disabled_reason = CASE WHEN ${judged.gone}::boolean THEN 'gone' WHEN ${isLasting} THEN 'failing' END
    WHERE id = ${webhookId}::uuid AND url = ${url} AND disabled_at IS NULL`;
}

/** Goes from one webhook to the next through the index, also to those that are deleted: a scan of the whole table would cost minutes. */
function forgetStatement({ deliveredBefore, otherBefore, limit }: Past) {
  return sql`
    WITH RECURSIVE known AS (
      (SELECT webhook_id AS id FROM webhook_deliveries ORDER BY webhook_id LIMIT 1)
      UNION ALL
      SELECT (SELECT webhook_id FROM webhook_deliveries WHERE webhook_id > known.id ORDER BY webhook_id LIMIT 1)
      FROM known WHERE known.id IS NOT NULL
    ), judged AS (
      SELECT id, NOT EXISTS (SELECT FROM webhooks WHERE webhooks.id = known.id) AS is_gone FROM known WHERE id IS NOT NULL
    ), forgotten AS (
      DELETE FROM webhook_deliveries WHERE ctid = ANY (ARRAY(
        SELECT past.ctid FROM judged, LATERAL (
          SELECT ctid FROM webhook_deliveries
          WHERE webhook_id = judged.id AND occurred_at < CASE WHEN is_gone THEN 'infinity' ELSE ${instant(deliveredBefore)} END
            AND (is_gone OR delivered_at IS NOT NULL OR occurred_at < ${instant(otherBefore)})
        ) AS past LIMIT ${limit}))
      RETURNING 1
    )
    SELECT count(*) AS forgotten FROM forgotten`;
}

function instant(epochMs: number) {
  return sql`${new Date(epochMs).toISOString()}::timestamptz`;
}
