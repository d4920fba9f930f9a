/**
 * Every change of a link and every click of a person is in the outbox of whoever asked for it, once, in the transaction that makes it true.
 *
 * @module
 */
import { afterEach, test } from "vitest";
import { isRecord, parseJson } from "../../shared/json.ts";
import type { Database } from "../backends/postgres.ts";
import { openDatabase } from "../testing/stack.ts";
import { createRegistry, type WebhookSettings } from "./queries.ts";
import { newSecret } from "./sign.ts";

const database: Database = openDatabase();
const registry = createRegistry(database);
const AT = "2026-12-01T08:00:00.123Z";
const ALL = ["link.created", "link.updated", "link.deleted", "link.clicked"];

const made: string[] = [];
afterEach(async () => {
  for (const id of made.splice(0)) await registry.remove(id);
});

async function makeWebhook(settings: Partial<WebhookSettings> & { readonly domain: string }): Promise<string> {
  const id = crypto.randomUUID();
  const defaults = { url: "https://receiver.example/", description: null, events: ALL, tags: [] };
  await registry.create(id, { ...defaults, ...settings }, newSecret(), Date.parse(AT));
  made.push(id);
  return id;
}

let links = 0n;
function newId(): string {
  links += 1n;
  return String((BigInt(Date.now()) << 20n) + links);
}

const newDomain = () => `${crypto.randomUUID()}.events.example`;

async function makeLink(domain: string, tags = "{}"): Promise<string> {
  const id = newId();
  await database.execute(
    `INSERT INTO short_links (id, domain, short_code, long_url, type, tags, version, creator_ip, created_at, updated_at)
     VALUES (${id}, '${domain}', 'größe-${id}', 'https://example.com/', 'auto', '${tags}', 7, '203.0.113.0', '${AT}', '${AT}')`,
  );
  return id;
}

async function click(linkId: string, id: string, fields: { readonly bot?: string } = {}): Promise<void> {
  await database.execute(
    `INSERT INTO click_logs (id, link_id, clicked_at, country, trigger, bot, ip)
     VALUES ('${id}', ${linkId}, '${AT}', 'DE', 'link', ${fields.bot === undefined ? "NULL" : `'${fields.bot}'`}, '203.0.113.0')
     ON CONFLICT DO NOTHING`,
  );
}

async function eventsOf(webhookId: string): Promise<readonly unknown[]> {
  const { rows } = await database.execute<{ event_id: string }>(
    `SELECT event_id FROM webhook_deliveries WHERE webhook_id = '${webhookId}' ORDER BY event_id`,
  );
  return rows.map(({ event_id: id }) => id);
}

async function payloadOf(webhookId: string, eventId: string): Promise<unknown> {
  const { rows } = await database.execute<{ payload: string }>(
    `SELECT payload::text AS payload FROM webhook_deliveries WHERE webhook_id = '${webhookId}' AND event_id = '${eventId}'`,
  );
  return parseJson(rows[0]?.payload ?? "");
}

test("the hash of a password stays with its link: an event says that there is one, whatever happens", async ({
  expect,
}) => {
  const domain = newDomain();
  const webhook = await makeWebhook({ domain });
  const id = await makeLink(domain);
  await database.execute(`UPDATE short_links SET password_hash = 'pbkdf2-secret', version = 8 WHERE id = ${id}`);
  await database.execute(`DELETE FROM short_links WHERE id = ${id}`);
  expect(await payloadOf(webhook, `created_${id}_7`)).toMatchObject({ password_hash: null });
  for (const event of [`updated_${id}_8`, `deleted_${id}_8`])
    expect(await payloadOf(webhook, event)).toMatchObject({ password_hash: "" });
});

test("a link that is made, changed and deleted makes three events; a click's count makes none", async ({ expect }) => {
  const domain = newDomain();
  const webhook = await makeWebhook({ domain });
  const id = await makeLink(domain);
  await database.execute(`UPDATE short_links SET click_count = click_count + 1 WHERE id = ${id}`);
  await database.execute(`UPDATE short_links SET title = 'new', version = 8 WHERE id = ${id}`);
  await database.execute(`DELETE FROM short_links WHERE id = ${id}`);
  expect(await eventsOf(webhook)).toEqual([`created_${id}_7`, `deleted_${id}_8`, `updated_${id}_8`]);
  expect(await payloadOf(webhook, `updated_${id}_8`)).toMatchObject({ title: "new", click_count: 1 });
  expect(await payloadOf(webhook, `created_${id}_7`)).not.toHaveProperty("creator_ip");
});

test("a change that is rolled back tells nobody", async ({ expect }) => {
  const domain = newDomain();
  const webhook = await makeWebhook({ domain });
  const id = newId();
  const insert = `INSERT INTO short_links (id, domain, short_code, long_url, type, version) VALUES (${id}, '${domain}', '${id}', 'https://example.com/', 'auto', 1)`;
  await expect(database.execute(`DO $$ BEGIN ${insert}; RAISE EXCEPTION 'rolled back'; END $$`)).rejects.toMatchObject({
    cause: { message: "rolled back" },
  });
  expect(await eventsOf(webhook)).toEqual([]);
});

test("a webhook is told of the events, the domain and the tags that it asked for", async ({ expect }) => {
  const [domain, elsewhere] = [newDomain(), newDomain()];
  const created = await makeWebhook({ domain, events: ["link.created"] });
  const tagged = await makeWebhook({ domain, tags: ["a", "b"] });
  const other = await makeWebhook({ domain: elsewhere });
  const [plain, ofTag] = [await makeLink(domain), await makeLink(domain, "{b,c}")];
  const clickId = crypto.randomUUID();
  await click(ofTag, clickId);
  await click(plain, crypto.randomUUID());
  expect(await eventsOf(created)).toEqual([`created_${plain}_7`, `created_${ofTag}_7`]);
  expect(await eventsOf(tagged)).toEqual([`clicked_${clickId}`, `created_${ofTag}_7`]);
  expect(await eventsOf(other)).toEqual([]);
});

test("a click that is delivered again makes no second event, and a bot's makes none", async ({ expect }) => {
  const domain = newDomain();
  const webhook = await makeWebhook({ domain, events: ["link.clicked"] });
  const link = await makeLink(domain);
  const id = crypto.randomUUID();
  for (let round = 0; round < 3; round += 1) await click(link, id);
  await click(link, crypto.randomUUID(), { bot: "known" });
  expect(await eventsOf(webhook)).toEqual([`clicked_${id}`]);
  const payload = await payloadOf(webhook, `clicked_${id}`);
  expect(payload).toEqual({
    click: expect.objectContaining({ id, time: AT, country: "DE", trigger: "link", userAgent: null }),
    link: {
      id: link,
      domain,
      shortCode: `größe-${link}`,
      longUrl: "https://example.com/",
      title: null,
      tags: [],
    },
  });
  expect(isRecord(payload) && payload["click"]).not.toHaveProperty("ip");
});

test("a click that is erased is erased from the outbox", async ({ expect }) => {
  const domain = newDomain();
  const webhook = await makeWebhook({ domain, events: ["link.clicked"] });
  const [one, two] = [await makeLink(domain), await makeLink(domain)];
  const [first, second] = [crypto.randomUUID(), crypto.randomUUID()];
  await click(one, first);
  await click(two, second);
  await database.execute(`SELECT erase_clicks(${one}, '-infinity', 'infinity')`);
  expect(await eventsOf(webhook)).toEqual([`clicked_${second}`]);
});

test("what is switched off is told of nothing; what has failed for a day, of no more clicks", async ({ expect }) => {
  const domain = newDomain();
  const [off, failing] = [await makeWebhook({ domain }), await makeWebhook({ domain })];
  await database.execute(`UPDATE webhooks SET disabled_at = now(), disabled_reason = 'asked' WHERE id = '${off}'`);
  await database.execute(`UPDATE webhooks SET failing_since = now() - interval '25 hours' WHERE id = '${failing}'`);
  const link = await makeLink(domain);
  await click(link, crypto.randomUUID());
  expect(await eventsOf(off)).toEqual([]);
  expect(await eventsOf(failing)).toEqual([`created_${link}_7`]);
});

test("a click is written also while its webhook is deleted", async ({ expect }) => {
  const domain = newDomain();
  const webhook = await makeWebhook({ domain });
  const link = await makeLink(domain);
  const ids = Array.from({ length: 5 }, () => crypto.randomUUID());
  await Promise.all([...ids.map((id) => click(link, id)), registry.remove(webhook)]);
  const { rows } = await database.execute<{ n: string }>(
    `SELECT count(*) AS n FROM click_logs WHERE link_id = ${link}`,
  );
  expect(Number(rows[0]?.n)).toBe(5);
});
