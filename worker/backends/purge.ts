/**
 * Empties the edge caches of the whole zone by `Cache-Tag` (Cloudflare API, "Purge cached content by tag").
 *
 * @module
 */
import { BackendDown } from "../../shared/backend-down.ts";

/** Drops everything that carries one of the tags, everywhere. Rejects with `BackendDown` when Cloudflare did not do it. */
export type Purge = (tags: readonly string[]) => Promise<void>;

/** The zone and who may empty its caches. */
export interface PurgeTarget {
  readonly zoneId: string;
  /** An API token with the permission Zone → Cache Purge. */
  readonly apiToken: string;
  /** `https://api.cloudflare.com/client/v4`, or a stand-in for it. */
  readonly apiBase: string;
}

/** So many tags a call are allowed on every plan. */
export const PURGE_MAX_TAGS = 30;
const LIMIT_MS = 10_000;

/** Builds the call for a zone. More tags than one call takes are divided. */
export function createPurge({ zoneId, apiToken, apiBase }: PurgeTarget): Purge {
  const purgeSome = async (tags: readonly string[]): Promise<void> => {
    const answer = await ask(`${apiBase}/zones/${zoneId}/purge_cache`, {
      method: "POST",
      headers: { Authorization: `Bearer ${apiToken}`, "Content-Type": "application/json" },
      body: JSON.stringify({ tags }),
      signal: AbortSignal.timeout(LIMIT_MS),
    });
    if (answer.ok) return;
    const seconds = Number(answer.headers.get("Retry-After"));
    const cause = new Error(`purge was answered with ${answer.status}`);
    throw new BackendDown("purge", cause, Number.isInteger(seconds) && seconds > 0 ? seconds : undefined);
  };
  return async (tags) => {
    for (let at = 0; at < tags.length; at += PURGE_MAX_TAGS) await purgeSome(tags.slice(at, at + PURGE_MAX_TAGS));
  };
}

async function ask(url: string, init: RequestInit): Promise<Response> {
  try {
    const answer = await fetch(url, init);
    // An answer that is not read to its end keeps its connection.
    await answer.arrayBuffer();
    return answer;
  } catch (error) {
    throw new BackendDown("purge", error);
  }
}
