/**
 * With `DATABASE_REPLICA_URL`, statistics and the list of links are read from the replica and everything else goes to the primary. The two are told apart by
 * the host in their connection strings, which a recorder in front of Postgres' HTTP endpoint sees.
 *
 * @module
 */
import { afterAll, beforeAll, inject, test } from "vitest";
import { listen, type Listener } from "../listener.ts";
import { isRecord, parseJson } from "../../shared/json.ts";
import { fieldOf, type Service, see, startService } from "./service.ts";

const { DATABASE_URL = "", NEON_FETCH_ENDPOINT = "" } = inject("workerBindings");
const REPLICA_HOST = "replica.example.test";

interface Statement {
  readonly host: string;
  readonly body: string;
}

const statements: Statement[] = [];
/** How the replica does; one that is behind has none of the rows that are asked for. */
let replicaIs: "well" | "away" | "behind" = "well";
let recorder: Listener;
let service: Service;

beforeAll(async () => {
  recorder = await listen(async ({ headers, body }) => {
    const host = new URL(String(headers["neon-connection-string"])).hostname;
    statements.push({ host, body });
    if (host === REPLICA_HOST && replicaIs === "away")
      return { status: 502, contentType: "text/html", body: "<h1>no</h1>" };
    const forwarded = Object.entries(headers).filter(([name]) => name.startsWith("neon-"));
    const answer = await fetch(NEON_FETCH_ENDPOINT, {
      method: "POST",
      body,
      headers: Object.fromEntries(forwarded.map(([name, value]) => [name, String(value)])),
    });
    const text = await answer.text();
    const parsed = parseJson(text);
    const isEmptied = host === REPLICA_HOST && replicaIs === "behind" && isRecord(parsed);
    const told = isEmptied ? JSON.stringify({ ...parsed, rows: [], rowCount: 0 }) : text;
    return { status: answer.status, contentType: "application/json", body: told };
  });
  const replica = new URL(DATABASE_URL);
  replica.hostname = REPLICA_HOST;
  service = await startService("replica.example.test", {
    NEON_FETCH_ENDPOINT: recorder.origin,
    DATABASE_REPLICA_URL: replica.href,
  });
});
afterAll(async () => {
  await service.stop();
  await recorder.stop();
});

const hostsOf = (text: string): ReadonlySet<string> =>
  new Set(statements.filter(({ body }) => body.includes(text)).map(({ host }) => host));

test("figures, raw clicks and lists come from the replica, single links and redirects from the primary", async ({
  expect,
}) => {
  const created = await see(service.api("POST", "/links", { longUrl: "https://example.com/replica" }));
  const code = String(fieldOf(created.body, "shortCode"));
  expect((await service.fetch(`/${code}`)).status).toBe(302);
  for (const path of [`/links/${code}/stats`, "/stats", `/links/${code}/clicks`, "/links?search=on-the-replica"]) {
    expect((await service.api("GET", path)).status).toBe(200);
  }
  expect([...hostsOf("click_rollups")].filter((host) => host === REPLICA_HOST)).toEqual([REPLICA_HOST]);
  expect([...hostsOf("FROM click_logs, asked")]).toEqual([REPLICA_HOST]);
  expect([...hostsOf("on-the-replica")]).toEqual([REPLICA_HOST]);
  expect(hostsOf("example.com/replica").has(REPLICA_HOST)).toBe(false);
});

test("a link that the replica does not have yet is found all the same", async ({ expect }) => {
  const created = await see(service.api("POST", "/links", { longUrl: "https://example.com/behind" }));
  replicaIs = "behind";
  const path = `/links/${String(fieldOf(created.body, "shortCode"))}/clicks`;
  expect(await see(service.api("GET", path))).toMatchObject({ status: 200, body: { clicks: [] } });
  expect((await service.api("GET", "/links/no-such-link/clicks")).status).toBe(404);
  replicaIs = "well";
});

test("a replica that is away costs no figure, and no list", async ({ expect }) => {
  replicaIs = "away";
  const created = await see(service.api("POST", "/links", { longUrl: "https://example.com/away" }));
  const code = String(fieldOf(created.body, "shortCode"));
  for (let asked = 0; asked < 5; asked += 1) {
    expect((await service.api("GET", `/links/${code}/stats`)).status).toBe(200);
  }
  const listed = await see(service.api("GET", "/links?search=example.com/away"));
  expect(listed).toMatchObject({ status: 200, body: { links: [{ shortCode: code }] } });
  // After three failures in a row the replica is left alone for a while.
  const before = statements.filter(({ host }) => host === REPLICA_HOST).length;
  expect((await service.api("GET", `/links/${code}/stats`)).status).toBe(200);
  expect(statements.filter(({ host }) => host === REPLICA_HOST)).toHaveLength(before);
});
