/**
 * Webhooks from end to end: a real receiver gets what happened, signed so that the library of Standard Webhooks takes it; what it refuses
 * comes again; what it never wants again stops.
 *
 * @module
 */
import { Webhook } from "standardwebhooks";
import { afterAll, beforeAll, test } from "vitest";
import { fieldOf, type Seen, see, type Service, startService, stranger } from "./service.ts";
import { type Receiver, type Reply, startReceiver } from "./receiver.ts";

const HOST = "webhooks.example.test";
/** The code "größe", as a webhook names it: over TLS, whatever the API was asked over. */
const SHORT_URL = `https://${HOST}/gr%C3%B6%C3%9Fe`;
const ALL = ["link.created", "link.updated", "link.deleted", "link.clicked"];
const BROWSER =
  "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/26.0 Safari/605.1.15";
/** More than a message takes: a click waits in the buffer and in the queue, and a first retry comes after five seconds. */
const PATIENCE = { timeout: 30_000, interval: 100 };

let service: Service;
let receiver: Receiver;
/** What the receiver answers at a path, in turn; the last one stays. */
const replies = new Map<string, Reply[]>();

beforeAll(async () => {
  receiver = await startReceiver(({ path }) => {
    const planned = replies.get(path) ?? [];
    return (planned.length > 1 ? planned.shift() : planned[0]) ?? { status: 200 };
  });
  service = await startService(HOST, { WEBHOOK_LOCAL_HOSTS: "localhost" });
});
afterAll(async () => {
  await service.stop();
  await receiver.stop();
});

const call = (method: string, path: string, body?: unknown): Promise<Seen> => see(service.api(method, path, body));
const text = (seen: Seen, name: string): string => String(fieldOf(seen.body, name));

interface Made {
  readonly id: string;
  readonly secret: string;
}

async function makeWebhook(path: string, fields: Readonly<Record<string, unknown>> = {}): Promise<Made> {
  const body = { url: `${receiver.origin}${path}`, events: ALL, domain: HOST, ...fields };
  const seen = await call("POST", "/webhooks", body);
  if (seen.status !== 201) throw new Error(`no webhook was made: ${seen.status} ${seen.text}`);
  return { id: text(seen, "id"), secret: text(seen, "secret") };
}

/** What came to a path, verified: each message as `{ id, type, data, … }`. */
function verified(path: string, secret: string) {
  return receiver.at(path).map((received) => {
    const body: unknown = new Webhook(secret).verify(received.text, received.headers);
    return {
      id: received.headers["webhook-id"],
      type: fieldOf(body, "type"),
      timestamp: fieldOf(body, "timestamp"),
      data: fieldOf(body, "data"),
    };
  });
}

async function statusesOf(id: string, query = ""): Promise<unknown> {
  const { body } = await call("GET", `/webhooks/${id}/deliveries${query}`);
  const deliveries = fieldOf(body, "deliveries");
  return Array.isArray(deliveries) ? deliveries.map((delivery) => fieldOf(delivery, "status")) : body;
}

test("a link that is made, changed, visited and deleted is told of, signed, as the API shows it", async ({
  expect,
}) => {
  const { id, secret } = await makeWebhook("/all", { tags: ["told"] });
  const ofType = (type: string) => verified("/all", secret).filter((message) => message.type === type);
  const created = await call("POST", "/links", {
    longUrl: "https://example.com/",
    customCode: "größe",
    tags: ["told"],
    externalId: "told-1",
    metadata: { n: 1 },
    expireAt: "2099-01-01T00:00:00Z",
  });
  await call("POST", "/links", { longUrl: "https://example.com/", customCode: "untold" });
  await expect.poll(() => ofType("link.created").length, PATIENCE).toBe(1);
  const [first] = ofType("link.created");
  expect(first).toMatchObject({
    timestamp: text(created, "createdAt"),
    data: { ...Object(created.body), shortUrl: SHORT_URL },
  });

  const changed = await call("PATCH", "/links/größe", { title: "new" });
  await expect
    .poll(() => ofType("link.updated").map(({ data }) => data), PATIENCE)
    .toEqual([{ ...Object(changed.body), shortUrl: SHORT_URL }]);

  const headers = { ...stranger(), "User-Agent": BROWSER, "Accept-Language": "de", Referer: "https://news.example/" };
  expect((await service.fetch("/gr%C3%B6%C3%9Fe?utm_source=mail&qr", { headers })).status).toBe(302);
  expect((await service.fetch("/gr%C3%B6%C3%9Fe", { headers: stranger() })).status).toBe(302);
  await expect.poll(() => ofType("link.clicked").length, PATIENCE).toBe(1);
  expect(ofType("link.clicked")).toMatchObject([
    {
      id: expect.stringMatching(/^clicked_/),
      data: {
        click: { browser: "Safari", language: "de", referrer: "news.example", utmSource: "mail", trigger: "qr" },
        link: { id: text(created, "id"), shortCode: "größe", shortUrl: SHORT_URL, tags: ["told"] },
      },
    },
  ]);

  await call("DELETE", "/links/größe");
  await expect.poll(() => ofType("link.deleted").length, PATIENCE).toBe(1);
  expect(ofType("link.deleted")).toMatchObject([
    { data: { ...Object(changed.body), shortUrl: SHORT_URL, clickCount: 2, lastClickAt: expect.any(String) } },
  ]);
  await expect.poll(() => statusesOf(id), PATIENCE).toEqual(["delivered", "delivered", "delivered", "delivered"]);
  expect(new Set(verified("/all", secret).map((message) => message.id)).size).toBe(4);

  // Page by page, the newest first.
  const page = await call("GET", `/webhooks/${id}/deliveries?limit=3`);
  expect(fieldOf(page.body, "deliveries")).toMatchObject([
    { type: "link.deleted" },
    { type: "link.clicked" },
    { type: "link.updated" },
  ]);
  const rest = await call("GET", `/webhooks/${id}/deliveries?limit=3&cursor=${text(page, "nextCursor")}`);
  expect(rest.body).toMatchObject({ deliveries: [{ type: "link.created", attempts: 1 }], nextCursor: null });
  expect((await call("DELETE", `/webhooks/${id}`)).status).toBe(204);
});

test("a receiver that fails gets the message again under its id, and by a replay", async ({ expect }) => {
  replies.set("/flaky", [{ status: 503 }, { status: 500 }, { status: 200 }]);
  const { id, secret } = await makeWebhook("/flaky", { events: ["link.deleted"] });
  const asked = await call("POST", `/webhooks/${id}/test`);
  expect(asked).toMatchObject({ status: 202, body: { type: "webhook.test", status: "pending", attempts: 0 } });
  await expect.poll(() => receiver.at("/flaky").length, PATIENCE).toBe(2);
  const failing = async () => (await call("GET", `/webhooks/${id}/deliveries?status=pending`)).body;
  await expect
    .poll(failing, PATIENCE)
    .toMatchObject({ deliveries: [{ attempts: 2, lastAttempt: { status: 500, error: null } }] });
  expect((await call("GET", `/webhooks/${id}`)).body).toMatchObject({ failingSince: expect.any(String) });

  const deliveryId = text(asked, "id");
  expect(await call("POST", `/webhooks/${id}/deliveries/${deliveryId}/replay`)).toMatchObject({ status: 202 });
  await expect.poll(() => statusesOf(id), PATIENCE).toEqual(["delivered"]);
  expect((await call("GET", `/webhooks/${id}`)).body).toMatchObject({ failingSince: null });
  expect(verified("/flaky", secret).map((message) => message.id)).toEqual([deliveryId, deliveryId, deliveryId]);
  expect(new Set(receiver.at("/flaky").map(({ headers }) => headers["webhook-timestamp"])).size).toBeGreaterThan(1);
  expect((await call("POST", `/webhooks/${id}/replay`, { from: "2026-01-01T00:00:00Z" })).body).toEqual({
    replayed: 0,
  });
  await call("DELETE", `/webhooks/${id}`);
});

test("410 switches a webhook off; a change switches it on again, and what waited goes out", async ({ expect }) => {
  replies.set("/gone", [{ status: 410 }, { status: 200 }]);
  const { id, secret } = await makeWebhook("/gone", { events: ["link.deleted"] });
  await call("POST", `/webhooks/${id}/test`);
  const read = async () => (await call("GET", `/webhooks/${id}`)).body;
  await expect.poll(read, PATIENCE).toMatchObject({ disabled: true, disabledReason: "gone" });
  expect(await call("POST", `/webhooks/${id}/test`)).toMatchObject({ status: 409, body: { code: "conflict" } });
  expect((await call("PATCH", `/webhooks/${id}`, { disabled: false })).body).toMatchObject({
    disabled: false,
    disabledReason: null,
  });
  await expect.poll(() => statusesOf(id), PATIENCE).toEqual(["delivered"]);
  expect(verified("/gone", secret)).toHaveLength(2);
  await call("DELETE", `/webhooks/${id}`);
});

test("a receiver that never answers is given up after fifteen seconds, and holds up no other", async ({ expect }) => {
  replies.set("/hanging", [{ status: 0 }]);
  const hanging = await makeWebhook("/hanging", { events: ["link.deleted"] });
  const quick = await makeWebhook("/quick", { events: ["link.deleted"] });
  await call("POST", `/webhooks/${hanging.id}/test`);
  await expect.poll(() => receiver.at("/hanging").length, PATIENCE).toBeGreaterThan(0);
  await call("POST", `/webhooks/${quick.id}/test`);
  await expect.poll(() => statusesOf(quick.id), PATIENCE).toEqual(["delivered"]);
  const first = async () => (await call("GET", `/webhooks/${hanging.id}/deliveries`)).body;
  expect(await first()).toMatchObject({ deliveries: [{ lastAttempt: null }] });
  await expect
    .poll(first, PATIENCE)
    .toMatchObject({ deliveries: [{ lastAttempt: { status: null, error: expect.stringContaining("Timeout") } }] });
  for (const { id } of [hanging, quick]) await call("DELETE", `/webhooks/${id}`);
});

test("the secret is shown when it is made and never again; a new one and the one before both verify", async ({
  expect,
}) => {
  const { id, secret } = await makeWebhook("/rotated", { events: ["link.deleted"], description: "of our shop" });
  const rotated = await call("POST", `/webhooks/${id}/secret`);
  expect(rotated).toMatchObject({ status: 200, headers: { "cache-control": "no-store" } });
  expect(text(rotated, "secret")).toMatch(/^whsec_[\w+/]{43}=$/);
  expect(text(rotated, "secret")).not.toBe(secret);
  await call("POST", `/webhooks/${id}/test`);
  await expect.poll(() => receiver.at("/rotated").length, PATIENCE).toBe(1);
  for (const valid of [secret, text(rotated, "secret")]) expect(verified("/rotated", valid)).toHaveLength(1);

  const shown = await call("GET", `/webhooks/${id}`);
  expect(shown.body).toMatchObject({
    id,
    description: "of our shop",
    events: ["link.deleted"],
    domain: HOST,
    tags: [],
  });
  const listed = await call("GET", "/webhooks");
  const all = fieldOf(listed.body, "webhooks");
  expect(Array.isArray(all) ? all.filter((webhook) => fieldOf(webhook, "id") === id) : all).toEqual([shown.body]);
  for (const answer of [shown.text, listed.text, ...service.logs()]) expect(answer).not.toContain("whsec_");
  await call("DELETE", `/webhooks/${id}`);
});

test.for([
  [{ url: "http://example.com/" }, "url_not_allowed", "url"],
  [{ url: "https://10.0.0.1/" }, "url_not_allowed", "url"],
  [{ url: "http://127.0.0.1:9/" }, "url_not_allowed", "url"],
  [{ url: `https://${HOST}/api/v1/links` }, "url_not_allowed", "url"],
  [{ url: "https://user:secret@example.com/" }, "url_not_allowed", "url"],
  [{ url: "mailto:someone@example.com" }, "url_not_allowed", "url"],
  [{ url: undefined }, "invalid_request", "url"],
  [{ events: [] }, "invalid_request", "events"],
  [{ events: ["link.exploded"] }, "invalid_request", "events.0"],
  [{ events: undefined }, "invalid_request", "events"],
  [{ domain: "elsewhere.example" }, "invalid_request", "domain"],
  [{ tags: [""] }, "invalid_request", "tags.0"],
  [{ secret: "whsec_mine" }, "invalid_request", "secret"],
] as const)("a creation with %j is refused with %s", async ([fields, code, path], { expect }) => {
  const seen = await call("POST", "/webhooks", { url: "https://example.com/", events: ALL, ...fields });
  expect(seen).toMatchObject({ status: 400, body: { code, errors: [{ path }] } });
});

test("what is not there is 404, what cannot be used is 400, and no key is 401", async ({ expect }) => {
  const nobody = "00000000-0000-4000-8000-000000000000";
  const missing: readonly (readonly [string, string, unknown?])[] = [
    ["GET", `/webhooks/${nobody}`],
    ["GET", "/webhooks/not-a-uuid"],
    ["PATCH", `/webhooks/${nobody}`, { disabled: true }],
    ["DELETE", `/webhooks/${nobody}`],
    ["POST", `/webhooks/${nobody}/secret`],
    ["POST", `/webhooks/${nobody}/test`],
    ["GET", `/webhooks/${nobody}/deliveries`],
    ["POST", `/webhooks/${nobody}/deliveries/created_1_1/replay`],
    ["POST", `/webhooks/${nobody}/deliveries/%00/replay`],
    ["POST", `/webhooks/${nobody}/replay`, { from: "2026-12-01T00:00:00Z" }],
  ];
  for (const [method, path, body] of missing) {
    expect([path, (await call(method, path, body)).status]).toEqual([path, 404]);
    const anonymous = await service.fetch(`/api/v1${path}`, { method });
    expect([path, anonymous.status]).toEqual([path, 401]);
  }
  const { id } = await makeWebhook("/unused");
  const unusable: readonly (readonly [string, string, unknown?])[] = [
    ["GET", `/webhooks/${id}/deliveries?cursor=broken`],
    ["GET", `/webhooks/${id}/deliveries?limit=0`],
    ["GET", `/webhooks/${id}/deliveries?status=lost`],
    ["POST", `/webhooks/${id}/replay`, { from: "2026-12-02T00:00:00Z", to: "2026-12-01T00:00:00Z" }],
    ["POST", `/webhooks/${id}/replay`, {}],
    ["PATCH", `/webhooks/${id}`, { url: "http://10.0.0.1/" }],
    ["PATCH", `/webhooks/${id}`, { id: nobody }],
  ];
  for (const [method, path, body] of unusable)
    expect([path, (await call(method, path, body)).status]).toEqual([path, 400]);
  await call("DELETE", `/webhooks/${id}`);
});
