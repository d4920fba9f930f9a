/**
 * The environment, read once into a frozen value with real types. A missing or odd variable is one error that names it.
 *
 * @module
 */
import type { IpMode } from "../shared/click.ts";
import type { CodeFormat } from "../shared/code.ts";
import { type ParsedFormats, parseCodeFormats } from "../shared/code-formats.ts";
import { isLocationHint, LOCATION_HINTS, type LocationHint } from "../shared/location-hint.ts";
import { isAllowedOrigin } from "../shared/origin.ts";
import { MAX_ITERATIONS } from "../shared/password.ts";
import { FORBIDDEN_SCHEMES } from "../shared/scheme.ts";
import { EPOCH_AT, type Layout, LAYOUTS } from "../shared/snowflake.ts";
import { parseHostPatterns, type HostPattern } from "../shared/url-policy.ts";

/** All that the service may be told from outside. */
export interface Config {
  /** Hosts that short links live on, lower case; the first is the default. Empty: each host is a domain of its own. */
  readonly domains: readonly string[];
  /** Where `GET /` leads, or null for the small page. */
  readonly homeUrl: string | null;
  /** How long memory and edge may serve an entry after Redis or Postgres vouched for it. */
  readonly freshMs: number;
  readonly ipMode: IpMode;
  /** Whether clicks travel many to a queue message, or each in its own. */
  readonly clickMode: "packed" | "each";
  /** For how many whole months (UTC) before this one raw clicks are kept; null: for ever. */
  readonly clickRetentionMonths: number | null;
  /** The layout of new ids. */
  readonly layout: Layout;
  /** How codes are, and were, written; the newest first. Holds keys. */
  readonly codeFormats: readonly CodeFormat[];
  /** No code was made before this, in epoch milliseconds. */
  readonly launchedAt: number;
  /** Machine ids 0 to this minus one are in use. */
  readonly sequencerShards: number;
  /** Where to put the sequencers, dealt out in turn; empty leaves it to Cloudflare. */
  readonly sequencerLocations: readonly LocationHint[];
  /** Destination schemes without the colon; http and https are always among them. */
  readonly schemes: readonly string[];
  readonly urlAllowlist: readonly HostPattern[];
  readonly urlBlocklist: readonly HostPattern[];
  /** Who is asked about destinations. */
  readonly urlChecks: {
    /** A resolver that speaks DNS over HTTPS; null: names are not looked up. */
    readonly dnsUrl: string | null;
    /** Google Web Risk; null: no reputation service is asked. */
    readonly reputation: { readonly url: string; readonly key: string } | null;
    /** Calls outwards for that, in one request or one run of cron. */
    readonly maxCalls: number;
  };
  /** Hosts of the operator's own network that webhooks may be sent to, also over http. */
  readonly webhookLocalHosts: readonly HostPattern[];
  /** Origins of pages that may call the API from a browser, or `*` among them; empty: none. */
  readonly corsOrigins: readonly string[];
  /** What callers are told of the rate limiter `API_LIMIT`: calls a minute of one key. */
  readonly apiLimitPerMinute: number;
  /** What the hash of a link's password costs. */
  readonly passwordIterations: number;
  /** Whether redirects name the tier that answered. */
  readonly debugTiming: boolean;
  /** The key that has every scope. */
  readonly adminKey: string;
  readonly databaseUrl: string;
  /** Where statistics are read, when that is not the database itself. */
  readonly databaseReplicaUrl: string | null;
  /** The SQL-over-HTTP endpoint when it is not Neon's own. */
  readonly databaseEndpoint: string | null;
  readonly redisUrl: string;
  readonly redisToken: string;
  /** For how many custom codes the filter is built. */
  readonly filterCapacity: number;
  /** Part of every cache's keys: another word empties all of them at a stroke. Empty, or `@` and the word. */
  readonly cacheEpoch: string;
  /** The zone whose edge caches are emptied of what was changed; null leaves them to the freshness budget. */
  readonly purge: { readonly zoneId: string; readonly apiToken: string; readonly apiBase: string } | null;
  /** Put before each Redis key, so that several deployments can share one database. */
  readonly redisPrefix: string;
}

/** A variable that is missing or cannot be used. The message names it and says what it may hold; it never quotes a secret. */
export class ConfigError extends Error {
  override readonly name = "ConfigError";
}

/** The admin key guards everything; shorter ones can be guessed. */
const ADMIN_KEY_MIN_CHARACTERS = 8;
const API_LIMIT_MAX = 1_000_000;
/** What a Worker of the paid plan may make at least is 1,000 (Cloudflare, "Subrequests"); the rest is for the work itself. */
const URL_CHECK_MAX_CALLS = 900;
const FRESH_MAX_SECONDS = 3600;
/** 2 ms: fewer would be no slow hash. */
const PASSWORD_MIN_ITERATIONS = 10_000;
const RETENTION_MAX_MONTHS = 1200;
/** 350 MiB in Redis. */
const FILTER_MAX_CAPACITY = 200_000_000;

/** Reads and checks every variable; throws {@link ConfigError} at the first that cannot be used. */
export function readConfig(env: object): Config {
  const read = (name: string): string => {
    const value: unknown = Reflect.get(env, name);
    return typeof value === "string" ? value.trim() : "";
  };
  const codes = codeFormats(read);
  return Object.freeze({
    domains: list(read("DOMAINS")).map((host) => domain(host)),
    homeUrl: read("HOME_URL") === "" ? null : url(read, "HOME_URL"),
    freshMs: integer(read, "FRESH_SECONDS", 60, 1, FRESH_MAX_SECONDS) * 1000,
    ipMode: oneOf(read, "IP_MODE", ["truncated", "full", "none"]),
    clickMode: oneOf(read, "CLICK_MODE", ["packed", "each"]),
    clickRetentionMonths: clickRetentionMonths(read),
    layout: codes.layout,
    codeFormats: codes.formats,
    launchedAt: launchedAt(read),
    sequencerShards: shards(read),
    sequencerLocations: list(read("SEQUENCER_LOCATIONS")).map((name) => locationHint(name)),
    schemes: ["http", "https", ...list(read("ALLOWED_SCHEMES")).map((name) => scheme(name))],
    urlAllowlist: patterns(read, "URL_ALLOWLIST"),
    urlBlocklist: patterns(read, "URL_BLOCKLIST"),
    urlChecks: urlChecks(read),
    webhookLocalHosts: patterns(read, "WEBHOOK_LOCAL_HOSTS"),
    corsOrigins: list(read("CORS_ORIGINS")).map((text) => origin(text)),
    apiLimitPerMinute: integer(read, "API_LIMIT_PER_MINUTE", 600, 1, API_LIMIT_MAX),
    passwordIterations: integer(read, "PASSWORD_ITERATIONS", MAX_ITERATIONS, PASSWORD_MIN_ITERATIONS, MAX_ITERATIONS),
    debugTiming: oneOf(read, "DEBUG_TIMING", ["off", "on"]) === "on",
    adminKey: adminKey(read("ADMIN_KEY")),
    databaseUrl: url(read, "DATABASE_URL"),
    databaseReplicaUrl: read("DATABASE_REPLICA_URL") === "" ? null : url(read, "DATABASE_REPLICA_URL"),
    databaseEndpoint: read("NEON_FETCH_ENDPOINT") === "" ? null : url(read, "NEON_FETCH_ENDPOINT"),
    redisUrl: url(read, "UPSTASH_REDIS_REST_URL"),
    redisToken: required(read, "UPSTASH_REDIS_REST_TOKEN"),
    filterCapacity: integer(read, "FILTER_CAPACITY", 1_000_000, 1000, FILTER_MAX_CAPACITY),
    cacheEpoch: cacheEpoch(read),
    purge: purge(read),
    redisPrefix: read("REDIS_PREFIX") === "" ? "hop:" : read("REDIS_PREFIX"),
  });
}

type Read = (name: string) => string;

function list(text: string): string[] {
  return text.split(",").flatMap((item) => (item.trim() === "" ? [] : [item.trim()]));
}

function required(read: Read, name: string): string {
  const value = read(name);
  if (value === "") throw new ConfigError(`${name} is not set.`);
  return value;
}

function url(read: Read, name: string): string {
  const value = required(read, name);
  if (!URL.canParse(value)) throw new ConfigError(`${name} is not a URL.`);
  return value;
}

function integer(read: Read, name: string, fallback: number, min: number, max: number): number {
  const text = read(name);
  if (text === "") return fallback;
  const value = /^\d{1,9}$/.test(text) ? Number(text) : Number.NaN;
  if (value >= min && value <= max) return value;
  throw new ConfigError(`${name} is "${text}"; it takes a whole number from ${min} to ${max}.`);
}

/** Machine ids are counted from 0, so no count of shards can use one twice; the layout says how many there are. */
function shards(read: Read): number {
  return integer(read, "SEQUENCER_SHARDS", 4, 1, LAYOUTS.classic.machines);
}

function clickRetentionMonths(read: Read): number | null {
  if (read("CLICK_RETENTION_MONTHS") === "") return null;
  return integer(read, "CLICK_RETENTION_MONTHS", 1, 1, RETENTION_MAX_MONTHS);
}

function locationHint(name: string): LocationHint {
  if (isLocationHint(name)) return name;
  throw new ConfigError(`SEQUENCER_LOCATIONS holds "${name}"; it takes some of ${LOCATION_HINTS.join(", ")}.`);
}

function codeFormats(read: Read): Extract<ParsedFormats, { readonly ok: true }> {
  const parsed = parseCodeFormats({
    layout: read("CODE_LAYOUT"),
    alphabet: read("CODE_ALPHABET"),
    history: read("CODE_HISTORY"),
    keys: read("CODE_KEYS"),
    shards: shards(read),
  });
  if (parsed.ok) return parsed;
  throw new ConfigError(`${parsed.variable}: ${parsed.message}`);
}

function cacheEpoch(read: Read): string {
  const word = read("CACHE_EPOCH");
  if (/^[A-Za-z0-9._-]{0,40}$/.test(word)) return word === "" ? "" : `@${word}`;
  throw new ConfigError("CACHE_EPOCH takes up to 40 letters, digits, dots, hyphens and underscores.");
}

function purge(read: Read): Config["purge"] {
  const [zoneId, apiToken] = [read("CF_ZONE_ID"), read("CF_API_TOKEN")];
  // Each takes effect on its own, one before the other: half of a pair is off, not an error that stops redirects.
  if (zoneId === "" || apiToken === "") return null;
  if (!/^[0-9a-f]{32}$/.test(zoneId)) throw new ConfigError("CF_ZONE_ID takes the 32 hex digits of the zone's id.");
  const apiBase = read("CF_API_BASE") === "" ? "https://api.cloudflare.com/client/v4" : url(read, "CF_API_BASE");
  return { zoneId, apiToken, apiBase };
}

function urlChecks(read: Read): Config["urlChecks"] {
  const key = read("REPUTATION_KEY");
  return {
    dnsUrl: read("DNS_CHECK_URL") === "" ? null : url(read, "DNS_CHECK_URL"),
    // Each takes effect on its own, as with the purge: half of a pair is off.
    reputation: read("REPUTATION_URL") === "" || key === "" ? null : { url: url(read, "REPUTATION_URL"), key },
    maxCalls: integer(read, "URL_CHECK_CALLS", 24, 3, URL_CHECK_MAX_CALLS),
  };
}

function launchedAt(read: Read): number {
  const text = read("LAUNCHED_AT");
  if (text === "") return EPOCH_AT;
  const at = Date.parse(text);
  if (at >= EPOCH_AT) return at;
  throw new ConfigError(
    `LAUNCHED_AT is "${text}"; it takes a time since 2023-11-14T22:13:20Z, such as 2026-12-01T00:00:00Z.`,
  );
}

/** The first of `allowed` is the default. */
function oneOf<const Name extends string>(read: Read, name: string, allowed: readonly [Name, ...Name[]]): Name {
  const text = read(name);
  if (text === "") return allowed[0];
  const found = allowed.find((candidate) => candidate === text);
  if (found !== undefined) return found;
  throw new ConfigError(`${name} is "${text}"; it takes one of ${allowed.join(", ")}.`);
}

function domain(host: string): string {
  const parsed = URL.canParse(`https://${host}`) ? new URL(`https://${host}`) : null;
  if (parsed !== null && parsed.href === `https://${parsed.hostname}/`) return parsed.hostname;
  throw new ConfigError(
    `DOMAINS holds "${host}"; it takes bare host names such as go.example.com, separated by commas.`,
  );
}

function scheme(name: string): string {
  const bare = name.replace(/:$/, "").toLowerCase();
  if (!/^[a-z][a-z0-9+.-]*$/.test(bare))
    throw new ConfigError(`ALLOWED_SCHEMES holds "${name}", which is not a URL scheme.`);
  if (FORBIDDEN_SCHEMES.has(bare)) throw new ConfigError(`ALLOWED_SCHEMES holds "${name}", which no link may have.`);
  return bare;
}

function origin(text: string): string {
  if (isAllowedOrigin(text)) return text;
  throw new ConfigError(`CORS_ORIGINS holds "${text}"; it takes * or origins such as https://app.example.com.`);
}

function patterns(read: Read, name: string): readonly HostPattern[] {
  const parsed = parseHostPatterns(read(name));
  if (parsed.ok) return parsed.patterns;
  throw new ConfigError(`${name}: ${parsed.message}`);
}

function adminKey(value: string): string {
  if (value.length >= ADMIN_KEY_MIN_CHARACTERS) return value;
  throw new ConfigError(
    value === "" ? "ADMIN_KEY is not set." : `ADMIN_KEY is shorter than ${ADMIN_KEY_MIN_CHARACTERS} characters.`,
  );
}
