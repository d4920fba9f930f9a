/**
 * The doctor finds what is wrong with a configuration, says how to mend it, waits for nobody for long and tells no secret.
 *
 * @module
 */
import { execFile } from "node:child_process";
import { createServer } from "node:http";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { inject, test } from "vitest";
import { checkDatabase, checkRedis, checkService } from "./backends.ts";
import { checkCodes, checkSecrets, checkVariables, checkWranglerFile } from "./configuration.ts";
import type { Finding } from "./finding.ts";

const NOW = Date.UTC(2026, 11, 1);
const KEY = "c2VjcmV0IGtleSBvZiB0aGUgdGVhbSE9";
const settingsOf = (values: Readonly<Record<string, string>>) => (name: string) => values[name] ?? "";

function wellValues(): Record<string, string> {
  const stack = inject("stack");
  return {
    ADMIN_KEY: KEY,
    DATABASE_URL: stack.databaseUrl,
    NEON_FETCH_ENDPOINT: stack.databaseEndpoint,
    UPSTASH_REDIS_REST_URL: stack.redisUrl,
    UPSTASH_REDIS_REST_TOKEN: stack.redisToken,
    CODE_KEYS: "00112233445566778899aabbccddeeff",
    LAUNCHED_AT: "2026-11-01T00:00:00Z",
  };
}

const statusOf = (findings: readonly Finding[], what: string): string | undefined =>
  findings.find((finding) => finding.what === what)?.status;

test("a whole configuration is well in every part that can be asked", async ({ expect }) => {
  const settings = settingsOf(wellValues());
  const findings = [
    ...checkVariables(settings),
    ...checkCodes(settings, NOW),
    ...checkSecrets(settings),
    ...(await checkDatabase(settings)),
    ...(await checkRedis(settings)),
  ];
  expect(findings.filter(({ status }) => status === "problem" || status === "skipped")).toEqual([]);
  for (const what of ["database", "migrations", "partitions", "redis", "codes", "ADMIN_KEY"]) {
    expect(statusOf(findings, what), what).toBe("ok");
  }
});

test.for([
  ["FRESH_SECONDS", "0"],
  ["FRESH_SECONDS", "1e3"],
  ["IP_MODE", "some"],
  ["CLICK_MODE", "some"],
  ["SEQUENCER_SHARDS", "1025"],
  ["DOMAINS", "https://go.example.com/"],
  ["HOME_URL", "example"],
  ["LAUNCHED_AT", "2020-01-01"],
  ["SEQUENCER_LOCATIONS", "weur,mars"],
  ["ALLOWED_SCHEMES", "mailto,javascript"],
  ["URL_BLOCKLIST", "a b"],
  ["DNS_CHECK_URL", "1.1.1.1"],
  ["REPUTATION_URL", "webrisk.googleapis.com"],
  ["URL_CHECK_CALLS", "2"],
  ["CACHE_EPOCH", "a/b"],
  ["DEBUG_TIMING", "yes"],
  ["API_LIMIT_PER_MINUTE", "0"],
  ["PASSWORD_ITERATIONS", "100001"],
  ["CORS_ORIGINS", "https://app.example.com/"],
] as const)("%s = %s is to mend", ([name, value], { expect }) => {
  expect(statusOf(checkVariables(settingsOf({ [name]: value })), name)).toBe("problem");
});

test.for([
  ["ADMIN_KEY", "", "problem"],
  ["ADMIN_KEY", "short", "problem"],
  ["ADMIN_KEY", "hop_dev_admin", "warning"],
  ["ADMIN_KEY", "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", "warning"],
  ["DATABASE_URL", "", "problem"],
  ["DATABASE_URL", "mysql://a:b@host/c", "problem"],
  ["DATABASE_URL", "postgres://host/database", "problem"],
  ["DATABASE_REPLICA_URL", "postgres://host/database", "problem"],
  ["UPSTASH_REDIS_REST_URL", "rediss://default:pw@host:6379", "problem"],
  ["UPSTASH_REDIS_REST_TOKEN", "", "problem"],
  ["CF_API_TOKEN", "token", "warning"],
] as const)("%s = %s is a %s", ([name, value, status], { expect }) => {
  const found = checkSecrets(settingsOf({ ...wellValues(), [name]: value }));
  expect(found.some((finding) => finding.status === status)).toBe(true);
  expect(found.every((finding) => finding.status === "ok" || finding.mend !== undefined)).toBe(true);
});

test("codes that cannot be, and codes that can be guessed, are found", ({ expect }) => {
  expect(checkCodes(settingsOf({ CODE_LAYOUT: "compact", SEQUENCER_SHARDS: "65" }), NOW)[0]).toMatchObject({
    status: "problem",
    what: "SEQUENCER_SHARDS",
  });
  expect(statusOf(checkCodes(settingsOf({}), NOW), "CODE_KEYS")).toBe("warning");
  expect(checkCodes(settingsOf(wellValues()), NOW)[0]?.detail).toContain("2093-07-21");
});

test("a wrangler.toml that lacks a binding is to mend, one without a domain to look at", ({ expect }) => {
  expect(checkWranglerFile({}, settingsOf({}))[0]).toMatchObject({
    status: "problem",
    detail: expect.stringContaining("SEQUENCER"),
  });
  expect(statusOf(checkWranglerFile({}, settingsOf({})), "domain")).toBe("warning");
  expect(statusOf(checkWranglerFile({ routes: [{}] }, settingsOf({})), "DOMAINS")).toBe("warning");
});

test.for([
  [600, 60, "", "ok"],
  [50, 60, "50", "ok"],
  [50, 60, "", "warning"],
  [600, 10, "600", "warning"],
] as const)("API_LIMIT of %i in %i s, told as %j: %s", ([limit, period, told, status], { expect }) => {
  const config = { ratelimits: [{ name: "API_LIMIT", simple: { limit, period } }] };
  const findings = checkWranglerFile(config, settingsOf({ API_LIMIT_PER_MINUTE: told }));
  expect(findings.find(({ what }) => what.startsWith("API_LIMIT"))?.status).toBe(status);
});

test("a wrong password, a wrong token and hosts that are not there are told apart", async ({ expect }) => {
  const well = wellValues();
  const wrong = { ...well, DATABASE_URL: "postgres://hop:wrong@localhost/hop", UPSTASH_REDIS_REST_TOKEN: "wrong" };
  expect((await checkDatabase(settingsOf(wrong)))[0]).toMatchObject({
    status: "problem",
    detail: expect.stringContaining("password"),
  });
  expect((await checkRedis(settingsOf(wrong)))[0]).toMatchObject({
    status: "problem",
    detail: expect.stringContaining("token"),
  });
  const gone = { ...well, NEON_FETCH_ENDPOINT: "http://127.0.0.1:1/sql", UPSTASH_REDIS_REST_URL: "http://127.0.0.1:1" };
  expect((await checkDatabase(settingsOf(gone)))[0]).toMatchObject({ status: "problem", detail: "cannot be reached" });
  expect((await checkRedis(settingsOf(gone)))[0]).toMatchObject({ status: "problem", detail: "cannot be reached" });
});

test(
  "a deployed service is judged by its health, its key and its sequencers",
  { timeout: 20_000 },
  async ({ expect }) => {
    const metrics =
      'hop_ids_issued_total{machine="0"} 5\nhop_ids_issued_total{machine="1"} 2\nhop_sequencer_refusals_total{machine="0"} 1\n';
    const server = createServer((request, response) => {
      const isAllowed = request.headers.authorization === `Bearer ${KEY}`;
      if (request.url === "/healthz") response.end('{"status":"ok"}');
      else response.writeHead(isAllowed ? 200 : 401).end(isAllowed ? metrics : "");
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const address = server.address();
    const url = `http://127.0.0.1:${typeof address === "object" && address !== null ? address.port : 0}`;
    const found = await checkService(url, settingsOf(wellValues()));
    expect(found).toMatchObject([
      { status: "ok", what: "service" },
      { status: "warning", what: "ids", detail: expect.stringContaining("7 issued") },
    ]);
    expect(await checkService(url, settingsOf({ ADMIN_KEY: "another" }))).toMatchObject([{ status: "problem" }]);
    await new Promise((resolve) => server.close(resolve));
    expect(await checkService(url, settingsOf(wellValues()))).toMatchObject([
      { status: "problem", detail: "does not answer" },
    ]);
  },
);

test(
  "the command ends with 1 when something is to mend, with 0 when nothing is, and prints no secret",
  { timeout: 60_000 },
  async ({ expect }) => {
    const script = fileURLToPath(new URL("../doctor.ts", import.meta.url));
    const run = async (env: Readonly<Record<string, string>>) => {
      try {
        const { stdout } = await promisify(execFile)(process.execPath, [script], { env: { ...process.env, ...env } });
        return { code: 0, printed: stdout };
      } catch (error) {
        const { code, stdout, stderr } = Object(error);
        return { code: Number(code), printed: `${String(stdout)}${String(stderr)}` };
      }
    };
    const well = wellValues();
    const [good, bad] = await Promise.all([
      run(well),
      run({ ...well, UPSTASH_REDIS_REST_TOKEN: "wrong-token-x", FRESH_SECONDS: "0" }),
    ]);
    expect(good).toMatchObject({ code: 0, printed: expect.stringContaining("0 to mend") });
    expect(bad).toMatchObject({ code: 1, printed: expect.stringContaining("2 to mend") });
    const { password } = new URL(well["DATABASE_URL"] ?? "");
    for (const secret of [
      KEY,
      password,
      well["UPSTASH_REDIS_REST_TOKEN"] ?? "",
      well["CODE_KEYS"] ?? "",
      "wrong-token-x",
    ]) {
      expect(good.printed + bad.printed).not.toContain(secret);
    }
  },
);
