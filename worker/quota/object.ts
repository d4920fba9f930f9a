/**
 * The Durable Object that counts the visits of one limited link, so that no more of them pass than its owner allows.
 *
 * @module
 */
import { DurableObject } from "cloudflare:workers";

const SPENT = "spent";

/** The count of one link. It is durable before an answer leaves (output gate), and one object answers one call at a time. */
export class Quota extends DurableObject<Env> {
  /** Spends one visit of `limit`; answers whether there was one left. */
  take(limit: number): boolean {
    const spent = this.#spent();
    if (spent >= limit) return false;
    this.ctx.storage.kv.put(SPENT, spent + 1);
    return true;
  }

  /** Whether a visit is left. Spends nothing. */
  hasLeft(limit: number): boolean {
    return this.#spent() < limit;
  }

  /** Visits that were made before the link was limited. Never lowers the count. */
  countEarlier(visits: number): void {
    if (visits > this.#spent()) this.ctx.storage.kv.put(SPENT, visits);
  }

  /** Drops the count: its link is gone. */
  async forget(): Promise<void> {
    await this.ctx.storage.deleteAll();
  }

  #spent(): number {
    return this.ctx.storage.kv.get<number>(SPENT) ?? 0;
  }
}
