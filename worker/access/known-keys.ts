/**
 * The keys that this isolate has asked the database for, remembered for a moment: a caller's next call does not wait for it. So
 * a key that is revoked elsewhere works here for up to 30 seconds, and then never again.
 *
 * @module
 */
import { LRUCache } from "lru-cache";
import type { Scope } from "../../shared/api-key.ts";
import type { RequestScope } from "../http/context.ts";
import { log } from "../telemetry/log.ts";

/** A key as the database knows it. Times are epoch milliseconds. */
export interface StoredKey {
  readonly id: string;
  readonly scopes: readonly Scope[];
  readonly expiresAt: number | null;
  readonly lastUsedAt: number | null;
}

/** Reads the key with a SHA-256 (hex) from the database; null: there is none. Rejects with `BackendDown`. */
export type ReadKey = (hash: string) => Promise<StoredKey | null>;

/** Finds the key with a SHA-256 (hex), expired or not. Rejects with `BackendDown` when only the database could tell. */
export type FindKey = (hash: string, scope: RequestScope) => Promise<StoredKey | null>;

/** What it needs, handed in. */
export interface KnownKeysParts {
  readonly readKey: ReadKey;
  /** Notes that a key was used at a time (epoch milliseconds). */
  readonly noteUse: (id: string, now: number) => Promise<void>;
}

/** The keys of an isolate. */
export interface KnownKeys {
  readonly find: FindKey;
  /** Forgets one that was revoked here. */
  readonly forget: (hash: string) => void;
}

/** How long a good key is believed: the bound on how long a revoked one works. */
export const KNOWN_MS = 30_000;
/** How long a wrong one is: whoever repeats it costs the database nothing. */
const UNKNOWN_MS = 10_000;
/** A key's use is written once in so long. */
const USE_NOTED_MS = 60_000;
/** Of each kind; an entry has some 300 bytes. Apart, so that made-up keys push out no good one. */
const MAX_KEYS = 1000;

/** Builds the memory of an isolate. Callers that ask at once ask each for themselves: no request waits for another's. */
export function createKnownKeys({ readKey, noteUse }: KnownKeysParts): KnownKeys {
  const known = new LRUCache<string, { readonly key: StoredKey; readonly until: number }>({ max: MAX_KEYS });
  const unknown = new LRUCache<string, number>({ max: MAX_KEYS });
  return {
    async find(hash, { now, waitUntil }) {
      const remembered = known.get(hash);
      if (remembered !== undefined && now < remembered.until) return remembered.key;
      if (now < (unknown.get(hash) ?? 0)) return null;
      const key = await readKey(hash);
      if (key === null) {
        known.delete(hash);
        unknown.set(hash, now + UNKNOWN_MS);
        return null;
      }
      known.set(hash, { key, until: now + KNOWN_MS });
      if (key.lastUsedAt === null || now - key.lastUsedAt >= USE_NOTED_MS) {
        waitUntil(
          noteUse(key.id, now).catch((error: unknown) => log("warn", "key_use_not_noted", { key: key.id }, error)),
        );
      }
      return key;
    },
    forget: (hash) => void known.delete(hash),
  };
}
