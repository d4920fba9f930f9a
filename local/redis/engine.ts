/**
 * A Redis to send commands to: one in this process (ioredis-mock), or a real server.
 *
 * @module
 */
import { createHash } from "node:crypto";
import { Redis } from "ioredis";
import RedisMock from "ioredis-mock";

/** What Redis may answer: status lines and bulk strings are text. */
export type Reply = string | number | null | readonly Reply[];

/** A command's name and arguments. */
export type Command = readonly [name: string, ...args: string[]];

/** A Redis that takes any command. */
export interface RedisEngine {
  /** Runs one command; rejects with Redis' own words when it fails. */
  run(command: Command): Promise<Reply>;
  /** Runs all in one piece (MULTI … EXEC); what each answered, or why it failed. */
  transact(commands: readonly Command[]): Promise<(Reply | Error)[]>;
  stop(): Promise<void>;
}

/** Connects to a Redis server. Commands fail when it is gone, rather than wait for it. */
export function openRedis(url: string): RedisEngine {
  const redis = new Redis(url, { maxRetriesPerRequest: 1, commandTimeout: 5000 });
  redis.on("error", () => {});
  return {
    run: async ([name, ...args]) => asReply(await redis.call(name, ...args)),
    async transact(commands) {
      const queued = redis.multi();
      for (const [name, ...args] of commands) queued.call(name, ...args);
      return ((await queued.exec()) ?? []).map(([error, value]) => error ?? asReply(value));
    },
    async stop() {
      redis.disconnect();
    },
  };
}

/** A Redis in memory, empty and shared with no other. It lacks `SCRIPT`, and its `TIME` jumps by a second: both are made good here. */
export function openEmbeddedRedis(): RedisEngine {
  // Instances of the mock share their data by host and port, so each gets an address of its own.
  const redis = new RedisMock({ host: `embedded-${crypto.randomUUID()}` });
  const scripts = new Map<string, string>();
  const run = async (command: Command): Promise<Reply> => {
    const [name, ...args] = command;
    const known = knownScript(scripts, command);
    if (known !== undefined) return known.kind === "reply" ? known.reply : run(known.command);
    if (name.toUpperCase() === "TIME") return time();
    const method: unknown = Reflect.get(redis, name.toLowerCase());
    if (typeof method !== "function") throw new Error(`ERR unknown command '${name}'`);
    return asReply(await Reflect.apply(method, redis, understood(name, args)));
  };
  return {
    run,
    // One process and no command that waits: nothing comes in between.
    transact: (commands) => Promise.all(commands.map((command) => run(command).catch((error: Error) => error))),
    async stop() {
      redis.disconnect();
    },
  };
}

/** The arguments as the mock takes them. */
function understood(name: string, args: readonly string[]): readonly string[] {
  switch (name.toUpperCase()) {
    case "SET":
      return inCapitals(args);
    case "EVAL":
      return args.map((argument, at) => (at === 0 ? withTime(argument) : argument));
    default:
      return args;
  }
}

/** Seconds since 1970, and the microseconds behind them. The mock rounds the seconds and takes the rest from another clock. */
function time(): readonly [string, string] {
  const now = Date.now();
  return [String(Math.floor(now / 1000)), String((now % 1000) * 1000)];
}

/** A script in which the time of its call stands: from within, the mock asks only itself. */
function withTime(script: string): string {
  const [seconds, microseconds] = time();
  return script.replaceAll(/redis\.call\((['"])TIME\1\)/gi, `{'${seconds}','${microseconds}'}`);
}

/** The options of SET in capitals: the mock knows no others. */
function inCapitals([key = "", value = "", ...options]: readonly string[]): string[] {
  return [key, value, ...options.map((option) => option.toUpperCase())];
}

type KnownScript =
  | { readonly kind: "reply"; readonly reply: Reply }
  | { readonly kind: "run"; readonly command: Command };

function knownScript(scripts: Map<string, string>, [name, first = "", ...rest]: Command): KnownScript | undefined {
  switch (name.toUpperCase()) {
    case "SCRIPT": {
      if (first.toUpperCase() !== "LOAD") return undefined;
      const [source = ""] = rest;
      const sha = createHash("sha1").update(source).digest("hex");
      scripts.set(sha, source);
      return { kind: "reply", reply: sha };
    }
    case "EVAL":
      scripts.set(createHash("sha1").update(first).digest("hex"), first);
      return undefined;
    case "EVALSHA": {
      const source = scripts.get(first.toLowerCase());
      if (source === undefined) throw new Error("NOSCRIPT No matching script. Please use EVAL.");
      return { kind: "run", command: ["EVAL", source, ...rest] };
    }
    default:
      return undefined;
  }
}

/** ioredis makes objects of some replies and passes on others as they are; the wire has lists of pairs. */
function asReply(value: unknown): Reply {
  if (value === null || value === undefined) return null;
  if (typeof value === "string" || typeof value === "number") return value;
  if (Buffer.isBuffer(value)) return value.toString("utf8");
  if (Array.isArray(value)) return value.map((item: unknown) => asReply(item));
  if (typeof value === "object")
    return Object.entries(value)
      .flat()
      .map((item) => asReply(item));
  // A truth of Lua: Redis makes 1 of true and nothing of false.
  return value === true ? 1 : null;
}
