/**
 * Looks at what can be judged without asking anybody: the variables, the secrets and `wrangler.toml`.
 *
 * @module
 */
import { parseCodeFormats } from "../../shared/code-formats.ts";
import { isRecord } from "../../shared/json.ts";
import { isLocationHint, LOCATION_HINTS } from "../../shared/location-hint.ts";
import { isAllowedOrigin } from "../../shared/origin.ts";
import { MAX_ITERATIONS } from "../../shared/password.ts";
import { FORBIDDEN_SCHEMES } from "../../shared/scheme.ts";
import { EPOCH_AT, exhaustsAt } from "../../shared/snowflake.ts";
import { parseHostPatterns } from "../../shared/url-policy.ts";
import type { Settings } from "../settings.ts";
import { type Finding, ok, problem, warning } from "./finding.ts";

const DEVELOPMENT_KEY = "hop_dev_admin";
const KEY_MIN_CHARACTERS = 8;
const KEY_GOOD_CHARACTERS = 24;
/** At this age of a deployment, with 4 sequencers, 1 in 100,000 made-up codes passes the guard. */
const GUARD_GOOD_DAYS = 98;
const DAY_MS = 24 * 60 * 60 * 1000;

/** A rule for one variable: what is wrong with its text, or undefined. */
type Rule = (text: string) => string | undefined;

const RULES: Readonly<Record<string, Rule>> = {
  DOMAINS: (text) => firstOf(text, (host) => (isBareHost(host) ? undefined : `"${host}" is no bare host name`)),
  HOME_URL: (text) => (URL.canParse(text) ? undefined : "it is no URL"),
  FRESH_SECONDS: wholeNumber(1, 3600),
  SEQUENCER_SHARDS: wholeNumber(1, 1024),
  FILTER_CAPACITY: wholeNumber(1000, 200_000_000),
  IP_MODE: oneOf("truncated", "full", "none"),
  CLICK_MODE: oneOf("packed", "each"),
  API_LIMIT_PER_MINUTE: wholeNumber(1, 1_000_000),
  PASSWORD_ITERATIONS: wholeNumber(10_000, MAX_ITERATIONS),
  DEBUG_TIMING: oneOf("off", "on"),
  CACHE_EPOCH: (text) =>
    /^[A-Za-z0-9._-]{1,40}$/.test(text) ? undefined : "it takes letters, digits, dots and hyphens",
  LAUNCHED_AT: (text) => (Date.parse(text) >= EPOCH_AT ? undefined : "it is no time since 2023-11-14T22:13:20Z"),
  SEQUENCER_LOCATIONS: (text) =>
    firstOf(text, (hint) => (isLocationHint(hint) ? undefined : `"${hint}" is none of ${LOCATION_HINTS.join(", ")}`)),
  ALLOWED_SCHEMES: (text) =>
    firstOf(text, (scheme) =>
      FORBIDDEN_SCHEMES.has(scheme.replace(/:$/, "")) ? `"${scheme}" is never allowed` : undefined,
    ),
  URL_ALLOWLIST: hostPatterns,
  URL_BLOCKLIST: hostPatterns,
  DNS_CHECK_URL: webAddress,
  REPUTATION_URL: webAddress,
  URL_CHECK_CALLS: wholeNumber(3, 900),
  WEBHOOK_LOCAL_HOSTS: hostPatterns,
  CORS_ORIGINS: (text) =>
    firstOf(text, (origin) =>
      isAllowedOrigin(origin) ? undefined : `"${origin}" is no origin such as https://a.example`,
    ),
};

/** Every variable that is set and has a rule. */
export function checkVariables(settings: Settings): Finding[] {
  const findings = Object.entries(RULES).flatMap(([name, rule]): Finding[] => {
    const text = settings(name);
    const fault = text === "" ? undefined : rule(text);
    return fault === undefined ? [] : [problem(name, fault, `Correct ${name}; the README's table says what it takes.`)];
  });
  return findings.length === 0 ? [ok("variables", "every value can be used")] : findings;
}

/** How codes are written, and when their layout runs out. */
export function checkCodes(settings: Settings, now: number): Finding[] {
  const parsed = parseCodeFormats({
    layout: settings("CODE_LAYOUT"),
    alphabet: settings("CODE_ALPHABET"),
    history: settings("CODE_HISTORY"),
    keys: settings("CODE_KEYS"),
    shards: Number(settings("SEQUENCER_SHARDS") === "" ? "4" : settings("SEQUENCER_SHARDS")),
  });
  if (!parsed.ok) return [problem(parsed.variable, parsed.message, `Correct ${parsed.variable}.`)];
  const end = new Date(exhaustsAt(parsed.layout)).toISOString().slice(0, 10);
  const findings = [ok("codes", `${parsed.layout.name} layout, which has ids until ${end}`)];
  if (parsed.formats[0]?.key === undefined) {
    const mend =
      "Set the secret CODE_KEYS to the output of: openssl rand -hex 16 (followed by ,none if links exist already)";
    findings.push(
      warning("CODE_KEYS", "codes are plain numbers: they tell their age, and their neighbours can be guessed", mend),
    );
  }
  const launchedAt = settings("LAUNCHED_AT") === "" ? EPOCH_AT : Date.parse(settings("LAUNCHED_AT"));
  if (settings("LAUNCHED_AT") === "") {
    findings.push(
      warning(
        "LAUNCHED_AT",
        "not set: more made-up codes than need be are looked up",
        `Set it to the time of your first link, such as ${new Date(now).toISOString().slice(0, 10)}T00:00:00Z.`,
      ),
    );
  } else if (now - launchedAt > GUARD_GOOD_DAYS * DAY_MS) {
    findings.push(
      ok(
        "LAUNCHED_AT",
        `${Math.floor((now - launchedAt) / DAY_MS)} days ago; the guard lets the more through the older it is`,
      ),
    );
  }
  return findings;
}

/** The secrets, by their form. */
export function checkSecrets(settings: Settings): Finding[] {
  return [
    adminKey(settings("ADMIN_KEY")),
    databaseUrl("DATABASE_URL", settings),
    ...(settings("DATABASE_REPLICA_URL") === "" ? [] : [databaseUrl("DATABASE_REPLICA_URL", settings)]),
    redisUrl(settings("UPSTASH_REDIS_REST_URL")),
    settings("UPSTASH_REDIS_REST_TOKEN") === ""
      ? problem("UPSTASH_REDIS_REST_TOKEN", "not set", "Copy it from the database's page at Upstash, section REST API.")
      : ok("UPSTASH_REDIS_REST_TOKEN", "set"),
    ...purgeSecrets(settings),
  ];
}

function adminKey(key: string): Finding {
  const mend = "Make one with: openssl rand -base64 32";
  if (key === "") return problem("ADMIN_KEY", "not set", mend);
  if (key.length < KEY_MIN_CHARACTERS)
    return problem("ADMIN_KEY", `shorter than ${KEY_MIN_CHARACTERS} characters`, mend);
  if (key === DEVELOPMENT_KEY) return warning("ADMIN_KEY", "the key of npm run dev, which everybody knows", mend);
  if (key.length < KEY_GOOD_CHARACTERS || new Set(key).size < 10) return warning("ADMIN_KEY", "easy to guess", mend);
  return ok("ADMIN_KEY", "set");
}

function databaseUrl(name: string, settings: Settings): Finding {
  const text = settings(name);
  const mend = "Copy the connection string from the project's page at Neon: postgresql://user:password@host/database";
  if (text === "") return problem(name, "not set", mend);
  const url = URL.canParse(text) ? new URL(text) : null;
  const isWhole =
    url !== null &&
    /^postgres(?:ql)?:$/.test(url.protocol) &&
    url.username !== "" &&
    url.password !== "" &&
    url.hostname !== "" &&
    url.pathname.length > 1;
  return isWhole
    ? ok(name, `database ${url.pathname.slice(1)} at ${url.hostname}`)
    : problem(name, "no whole connection string", mend);
}

function redisUrl(text: string): Finding {
  const mend = "Copy the REST URL from the database's page at Upstash; it begins with https://";
  if (text === "") return problem("UPSTASH_REDIS_REST_URL", "not set", mend);
  if (/^rediss?:/.test(text))
    return problem("UPSTASH_REDIS_REST_URL", "this is the address for Redis' own protocol", mend);
  return URL.canParse(text)
    ? ok("UPSTASH_REDIS_REST_URL", new URL(text).host)
    : problem("UPSTASH_REDIS_REST_URL", "no URL", mend);
}

function purgeSecrets(settings: Settings): Finding[] {
  const [zone, token] = [settings("CF_ZONE_ID"), settings("CF_API_TOKEN")];
  if (zone === "" && token === "") return [];
  if (zone === "" || token === "") {
    const missing = zone === "" ? "CF_ZONE_ID" : "CF_API_TOKEN";
    return [warning(missing, "not set, so changes are not purged", "Set both, or neither.")];
  }
  if (!/^[0-9a-f]{32}$/.test(zone))
    return [problem("CF_ZONE_ID", "no zone id", "It has 32 hex digits: the domain's overview page at Cloudflare.")];
  return [ok("purge", "changes are purged world-wide")];
}

/** The bindings and the domain in `wrangler.toml`. */
export function checkWranglerFile(config: unknown, settings: Settings): Finding[] {
  const required: readonly (readonly [string, boolean])[] = [
    ["Durable Object SEQUENCER", has(part(config, "durable_objects", "bindings"), "name", "SEQUENCER")],
    ["Durable Object QUOTA", has(part(config, "durable_objects", "bindings"), "name", "QUOTA")],
    ["Durable Object SPILL", has(part(config, "durable_objects", "bindings"), "name", "SPILL")],
    ["queue producer CLICKS", has(part(config, "queues", "producers"), "binding", "CLICKS")],
    ["consumer of hop-clicks", has(part(config, "queues", "consumers"), "queue", "hop-clicks")],
    ["consumer of hop-clicks-dead", has(part(config, "queues", "consumers"), "queue", "hop-clicks-dead")],
    ["dead-letter queue", has(part(config, "queues", "consumers"), "dead_letter_queue", "hop-clicks-dead")],
    ["cron trigger", Array.isArray(part(config, "triggers", "crons"))],
    [
      "rate limits",
      has(part(config, "ratelimits"), "name", "UNKNOWN_CODE_LIMIT") &&
        has(part(config, "ratelimits"), "name", "REFUSED_KEY_LIMIT") &&
        has(part(config, "ratelimits"), "name", "API_LIMIT") &&
        has(part(config, "ratelimits"), "name", "PASSWORD_LIMIT"),
    ],
  ];
  const missing = required.filter(([, isThere]) => !isThere).map(([name]) => name);
  const findings =
    missing.length === 0
      ? [ok("wrangler.toml", "every binding is there")]
      : [problem("wrangler.toml", `lacks ${missing.join(", ")}`, "Take it over from the file that Hop comes with.")];
  findings.push(...toldLimit(config, settings));
  const routes = part(config, "routes") ?? (part(config, "route") === undefined ? [] : [part(config, "route")]);
  if (!Array.isArray(routes) || routes.length === 0) {
    findings.push(
      warning(
        "domain",
        "no route: the edge cache does nothing on *.workers.dev",
        "Uncomment [[routes]] in wrangler.toml and put your domain in.",
      ),
    );
  } else if (settings("DOMAINS") === "") {
    findings.push(
      warning(
        "DOMAINS",
        "not set: every host that reaches the Worker is a domain of its own",
        "Name your short domain in [vars].",
      ),
    );
  }
  return findings;
}

/** A Worker cannot read its limiter, so what callers are told of it stands in a variable. */
function toldLimit(config: unknown, settings: Settings): Finding[] {
  const limiters = part(config, "ratelimits");
  const limiter: unknown = Array.isArray(limiters)
    ? limiters.find((one) => part(one, "name") === "API_LIMIT")
    : undefined;
  if (limiter === undefined) return [];
  const told = settings("API_LIMIT_PER_MINUTE") === "" ? "600" : settings("API_LIMIT_PER_MINUTE");
  const [limit, period] = [part(limiter, "simple", "limit"), part(limiter, "simple", "period")];
  if (String(limit) === told && period === 60) return [ok("API_LIMIT", `${told} calls a minute, as callers are told`)];
  const found = `callers are told of ${told} calls in 60 s, and API_LIMIT allows ${String(limit)} in ${String(period)} s`;
  return [warning("API_LIMIT_PER_MINUTE", found, "Give both the same number in wrangler.toml, and the period 60.")];
}

function part(value: unknown, ...names: string[]): unknown {
  return names.reduce((at, name) => (isRecord(at) ? at[name] : undefined), value);
}

function has(list: unknown, field: string, value: string): boolean {
  return Array.isArray(list) && list.some((item) => part(item, field) === value);
}

function firstOf(text: string, fault: Rule): string | undefined {
  for (const item of text.split(",")) {
    const found = item.trim() === "" ? undefined : fault(item.trim());
    if (found !== undefined) return found;
  }
  return undefined;
}

function isBareHost(host: string): boolean {
  return URL.canParse(`https://${host}`) && new URL(`https://${host}`).href === `https://${host.toLowerCase()}/`;
}

function webAddress(text: string): string | undefined {
  return URL.canParse(text) && /^https?:$/.test(new URL(text).protocol) ? undefined : "it is no address of the web";
}

function wholeNumber(min: number, max: number): Rule {
  return (text) =>
    /^\d{1,9}$/.test(text) && Number(text) >= min && Number(text) <= max
      ? undefined
      : `"${text}" is no whole number from ${min} to ${max}`;
}

function oneOf(...words: string[]): Rule {
  return (text) => (words.includes(text) ? undefined : `"${text}" is none of ${words.join(", ")}`);
}

function hostPatterns(text: string): string | undefined {
  const parsed = parseHostPatterns(text);
  return parsed.ok ? undefined : parsed.message;
}
