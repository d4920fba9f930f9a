/**
 * The Durable Object that keeps messages which the queue did not take, and brings them there when it is back.
 *
 * @module
 */
import { DurableObject } from "cloudflare:workers";
import { log } from "../telemetry/log.ts";

/** What an object tells of itself. */
export interface SpillStatus {
  /** Messages that the queue has not taken yet. */
  readonly waiting: number;
  /** Messages that were ever brought here. */
  readonly kept: number;
}

/** So many messages are sent in one run; what is left comes in the next, so that a run stays short. */
const RUN_MESSAGES = 200;
const FIRST_PAUSE_MS = 5000;
/** A queue that is away for hours is asked this seldom. */
const MAX_PAUSE_MS = 5 * 60_000;
const KEPT = "kept";
const FAILURES = "failures";

/**
 * Some of the spilled messages. They are durable before an answer leaves (output gate). One that was sent and not yet removed when
 * the object died is sent again: every message counts once, however often it is delivered.
 */
export class Spill extends DurableObject<Env> {
  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env);
    ctx.storage.sql.exec(
      "CREATE TABLE IF NOT EXISTS messages (id INTEGER PRIMARY KEY AUTOINCREMENT, body TEXT NOT NULL)",
    );
  }

  /** Keeps one message. The next try is planned first: a message without one would wait for ever. */
  async keep(body: string): Promise<void> {
    if ((await this.ctx.storage.getAlarm()) === null) await this.#wakeIn(FIRST_PAUSE_MS);
    const { sql, kv } = this.ctx.storage;
    sql.exec("INSERT INTO messages (body) VALUES (?)", body);
    kv.put(KEPT, (kv.get<number>(KEPT) ?? 0) + 1);
  }

  /** How it stands. */
  status(): SpillStatus {
    return { waiting: this.#waiting(), kept: this.ctx.storage.kv.get<number>(KEPT) ?? 0 };
  }

  /** Brings to the queue what waits, the oldest first. Never rejects: it plans its own next run. */
  override async alarm(): Promise<void> {
    const { sql, kv } = this.ctx.storage;
    const rows = sql.exec<{ id: number; body: string }>(
      "SELECT id, body FROM messages ORDER BY id LIMIT ?",
      RUN_MESSAGES,
    );
    for (const { id, body } of rows.toArray()) {
      try {
        await this.env.CLICKS.send(body, { contentType: "text" });
      } catch (error) {
        // To the end of the line: one that the queue never takes holds up no other.
        sql.exec("UPDATE messages SET id = (SELECT max(id) FROM messages) + 1 WHERE id = ?", id);
        const failures = (kv.get<number>(FAILURES) ?? 0) + 1;
        kv.put(FAILURES, failures);
        log("warn", "spill_delayed", { waiting: this.#waiting(), failures }, error);
        await this.#wakeIn(Math.min(MAX_PAUSE_MS, FIRST_PAUSE_MS * 2 ** Math.min(failures, 10)));
        return;
      }
      sql.exec("DELETE FROM messages WHERE id = ?", id);
      kv.delete(FAILURES);
    }
    if (this.#waiting() > 0) await this.#wakeIn(0);
  }

  #waiting(): number {
    return this.ctx.storage.sql.exec<{ waiting: number }>("SELECT count(*) AS waiting FROM messages").one().waiting;
  }

  async #wakeIn(pauseMs: number): Promise<void> {
    await this.ctx.storage.setAlarm(Date.now() + pauseMs);
  }
}
