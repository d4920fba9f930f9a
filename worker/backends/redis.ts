/**
 * Redis over Upstash's REST protocol. The client is loaded only when it is asked; it holds no connection and nothing of a request.
 *
 * @module
 */
import { Redis } from "@upstash/redis/cloudflare";
import { BackendDown } from "../../shared/backend-down.ts";
import type { Breaker } from "./breaker.ts";

/** The few commands that Hop sends. Each is one Upstash command; each rejects with {@link BackendDown} if it is not answered properly in time. */
export interface RedisClient {
  /** The text stored under `key`, or null. */
  get(key: string): Promise<string | null>;
  /** Runs a Lua script; its answer as Redis gave it. */
  evaluate(script: string, keys: readonly string[], args: readonly string[]): Promise<unknown>;
  /** Answers when Redis does. */
  ping(): Promise<void>;
}

/** How a client is to ask. */
export interface RedisManners {
  /** How long a command may take. */
  readonly limitMs: number;
  /** Stands in front of every command. */
  readonly breaker: Breaker;
  /** Epoch milliseconds. */
  readonly clock: () => number;
  /** Told what became of each command that was sent. */
  readonly tally?: (outcome: "ok" | "failed") => void;
}

/** Builds a client whose every command is tried once: the caller has somewhere else to go. */
export function connectRedis(
  url: string,
  token: string,
  { limitMs, breaker, clock, tally }: RedisManners,
): RedisClient {
  const redis = new Redis({
    url,
    token,
    // Off: it turns "123" into a number and "null" into null, which then looks like a miss.
    automaticDeserialization: false,
    // Off: it would send a lone GET as a pipeline and hold it back for company.
    enableAutoPipelining: false,
    enableTelemetry: false,
    retry: false,
    // A function: an aborted plain signal would resolve as null, again a false miss.
    signal: () => AbortSignal.timeout(limitMs),
  });
  const ask = <T>(command: () => Promise<T>): Promise<T> => breaker(clock(), () => asBackendDown(command, tally));
  return {
    get: (key) =>
      ask(async () => {
        const value: unknown = await redis.get(key);
        if (value === null || typeof value === "string") return value;
        throw new Error(`GET answered ${typeof value}`);
      }),
    evaluate: (script, keys, args) => ask(() => redis.eval<string[]>(script, [...keys], [...args])),
    ping: () =>
      ask(async () => {
        if ((await redis.ping()) !== "PONG") throw new Error("PING was not answered with PONG");
      }),
  };
}

async function asBackendDown<T>(command: () => Promise<T>, tally: RedisManners["tally"]): Promise<T> {
  try {
    const answer = await command();
    tally?.("ok");
    return answer;
  } catch (error) {
    tally?.("failed");
    throw new BackendDown("redis", error);
  }
}
