/**
 * Each click is counted once, however often and in whatever company its message is delivered; no message takes another along.
 *
 * @module
 */
import { createExecutionContext, createMessageBatch, getQueueResult } from "cloudflare:test";
import { afterEach, test } from "vitest";
import { type Click, packMessages } from "../../shared/click.ts";
import type { Database } from "../backends/postgres.ts";
import { shortLinks } from "../backends/schema.ts";
import { someClick } from "../testing/click.ts";
import { liftFaults, openDatabase, setFault } from "../testing/stack.ts";
import { consumeClicks, consumeDeadLetters } from "./consumer.ts";
import { createConsumeCounts } from "./counts/consume.ts";
import { createWriteCounts } from "./counts/store.ts";
import { createBury } from "./dead-letters.ts";
import { createClickStore } from "./store.ts";

const database: Database = openDatabase();
const store = createClickStore(database);
const bury = createBury(database);
const AT = 1_796_000_000_000;
const consumeCounts = createConsumeCounts({
  write: createWriteCounts(database),
  mintId: () => crypto.randomUUID(),
  clock: () => AT,
});
const parts = { store, bury, consumeCounts, wakeWebhooks: async () => {}, clock: () => AT };

afterEach(liftFaults);

let links = 0n;
async function makeLink(): Promise<string> {
  links += 1n;
  const id = String((BigInt(Date.now()) << 20n) + links);
  await database
    .insert(shortLinks)
    .values({ id, domain: "clicks.example", shortCode: id, longUrl: "https://example.com/", type: "auto", version: 1 });
  return id;
}

const clickOf = (linkId: string, fields: Partial<Click> = {}): Click =>
  someClick({ linkId, at: AT, country: "DE", ...fields });

const bodyOf = (...clicks: Click[]): string =>
  packMessages(clicks)
    .map(({ body }) => body)
    .join();

interface Outcome {
  readonly acked: readonly string[];
  readonly retried: readonly string[];
}

async function deliver(bodies: readonly unknown[], queue = "hop-clicks"): Promise<Outcome> {
  const messages = bodies.map((body, at) => ({
    id: `m${at}-${crypto.randomUUID()}`,
    timestamp: new Date(AT),
    attempts: 1,
    body,
  }));
  const batch = createMessageBatch(queue, messages);
  const context = createExecutionContext();
  await (queue.endsWith("-dead") ? consumeDeadLetters(batch, "hop-clicks", parts) : consumeClicks(batch, parts));
  const result = await getQueueResult(batch, context);
  return { acked: result.explicitAcks, retried: result.retryMessages.map((retry) => retry.msgId) };
}

interface Counts {
  readonly counted: number;
  readonly logged: number;
  readonly lastAt: number;
}

async function countOf(linkId: string): Promise<Counts> {
  const { rows } = await database.execute<{ counted: string; logged: string; last_at: string }>(
    `SELECT (SELECT click_count FROM short_links WHERE id = ${linkId}) AS counted,
            (SELECT count(*) FROM click_logs WHERE link_id = ${linkId}) AS logged,
            (SELECT extract(epoch FROM last_click_at) * 1000 FROM short_links WHERE id = ${linkId}) AS last_at`,
  );
  return { counted: Number(rows[0]?.counted), logged: Number(rows[0]?.logged), lastAt: Number(rows[0]?.last_at) };
}

/** What was buried with a text in its body. */
async function buried(text: string): Promise<Record<string, unknown>[]> {
  const { rows } = await database.execute(
    `SELECT queue, reason, attempts FROM dead_letters WHERE strpos(body, '${text}') > 0`,
  );
  return rows;
}

test("B202: a batch is counted link by link, whoever made the links, and tells when each was last visited", async ({
  expect,
}) => {
  const [a, b] = [await makeLink(), await makeLink()];
  const { acked } = await deliver([
    bodyOf(clickOf(a), clickOf(b)),
    bodyOf(clickOf(a, { at: AT + 5 }), clickOf(a, { at: AT - 5 })),
  ]);
  expect(acked).toHaveLength(2);
  expect(await countOf(a)).toEqual({ counted: 3, logged: 3, lastAt: AT + 5 });
  expect(await countOf(b)).toEqual({ counted: 1, logged: 1, lastAt: AT });
});

test("B241: a message delivered five times, twice in one batch, is counted once", async ({ expect }) => {
  const link = await makeLink();
  const body = bodyOf(clickOf(link), clickOf(link));
  for (let round = 0; round < 4; round += 1) await deliver(round === 1 ? [body, body] : [body]);
  expect(await countOf(link)).toMatchObject({ counted: 2, logged: 2 });
});

async function buriedSoFar(): Promise<number> {
  const { rows } = await database.execute<{ value: string }>(
    "SELECT value FROM metrics WHERE name = 'queue_messages:buried'",
  );
  return Number(rows[0]?.value ?? 0);
}

test("what is buried is counted at once, also where no click comes along", async ({ expect }) => {
  const before = await buriedSoFar();
  await deliver(["no message"]);
  await deliver(["given up"], "hop-clicks-dead");
  // Other files bury as well.
  expect(await buriedSoFar()).toBeGreaterThanOrEqual(before + 2);
});

test("what a click tells is kept with what is concluded from it", async ({ expect }) => {
  const link = await makeLink();
  const told = clickOf(link, {
    country: "XX",
    referrer: "l.facebook.com",
    userAgent:
      "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/141.0.0.0 Safari/537.36",
    utmSource: "poster",
    destination: "https://example.com/a",
    trigger: "qr",
  });
  await deliver([
    bodyOf(told, clickOf(link, { userAgent: "curl/8" }), clickOf(link), clickOf(link, { untracked: true })),
  ]);
  const { rows } = await database.execute(
    `SELECT country, referrer, source, device, browser, os, utm_source, destination, trigger, bot
     FROM click_logs WHERE link_id = ${link} ORDER BY bot NULLS FIRST, utm_source NULLS LAST`,
  );
  const unknown = { country: "DE", referrer: null, source: null, device: null, utm_source: null, trigger: "link" };
  expect(rows).toMatchObject([
    {
      country: null,
      referrer: "l.facebook.com",
      source: "Facebook",
      device: "desktop",
      browser: "Chrome",
      os: "Windows",
      utm_source: "poster",
      destination: "https://example.com/a",
      trigger: "qr",
      bot: null,
    },
    { ...unknown, bot: null },
    { ...unknown, bot: "silent" },
    { ...unknown, bot: "tool" },
  ]);
});

test("a click that shares a message with one that was counted before is counted alone", async ({ expect }) => {
  const link = await makeLink();
  const first = clickOf(link);
  await deliver([bodyOf(first)]);
  await deliver([bodyOf(first, clickOf(link))]);
  expect(await countOf(link)).toMatchObject({ counted: 2, logged: 2 });
});

test("B242: when the answer is lost after the database committed, redelivery changes nothing", async ({ expect }) => {
  const link = await makeLink();
  const body = bodyOf(clickOf(link));
  await setFault("postgres", { kind: "cut", matching: link, times: 1 });
  expect((await deliver([body])).retried).toHaveLength(1);
  expect((await deliver([body])).acked).toHaveLength(1);
  expect(await countOf(link)).toMatchObject({ counted: 1, logged: 1 });
});

test.for(["refuse", "html", "garbage", "unauthorized", "too_many"] as const)(
  "a database that answers with %s costs a retry and no click",
  async (kind, { expect }) => {
    const link = await makeLink();
    const body = bodyOf(clickOf(link));
    await setFault("postgres", { kind, matching: link });
    expect(await deliver([body])).toMatchObject({ acked: [], retried: [expect.any(String)] });
    await liftFaults();
    await deliver([body]);
    expect(await countOf(link)).toMatchObject({ counted: 1 });
  },
);

test("a message that cannot be read is kept and takes nobody along", async ({ expect }) => {
  const link = await makeLink();
  const marker = `poison-${crypto.randomUUID()}\u0000`;
  const outcome = await deliver([marker, bodyOf(clickOf(link)), { not: "text" }, '{"v":99,"clicks":[]}']);
  expect(outcome.acked).toHaveLength(4);
  expect(await countOf(link)).toMatchObject({ counted: 1 });
  expect(await buried(marker.replace("\u0000", "\u{fffd}"))).toMatchObject([
    { queue: "hop-clicks", reason: "the body is not a JSON object", attempts: 1 },
  ]);
});

test("a click that the database itself refuses is buried alone; the rest of its batch is written", async ({
  expect,
}) => {
  const link = await makeLink();
  // Readable, but no partition and no timestamp of Postgres takes it: refused by a check that stands in for any such rule.
  await database.execute(
    `ALTER TABLE click_logs ADD CONSTRAINT no_atlantis CHECK (city IS DISTINCT FROM 'Atlantis ${link}')`,
  );
  try {
    const bad = bodyOf(clickOf(link, { city: `Atlantis ${link}` }));
    const bodies = [bodyOf(clickOf(link)), bodyOf(clickOf(link)), bad, bodyOf(clickOf(link))];
    expect((await deliver(bodies)).acked).toHaveLength(4);
    expect(await countOf(link)).toMatchObject({ counted: 3, logged: 3 });
    expect(await buried(`Atlantis ${link}`)).toMatchObject([{ reason: "SQLSTATE 23514" }]);
  } finally {
    await database.execute("ALTER TABLE click_logs DROP CONSTRAINT no_atlantis");
  }
});

test("B178: clicks of any month have a place, also of one that has no partition yet", async ({ expect }) => {
  const link = await makeLink();
  for (const at of [Date.UTC(2020, 1, 29), Date.UTC(2031, 11, 31, 23, 59, 59, 999), AT])
    await deliver([bodyOf(clickOf(link, { at }))]);
  expect(await countOf(link)).toMatchObject({ counted: 3, logged: 3 });
});

test("the click of a link that is gone is kept and troubles nobody", async ({ expect }) => {
  const link = await makeLink();
  const gone = "77";
  await deliver([bodyOf(clickOf(gone), clickOf(link))]);
  expect(await countOf(link)).toMatchObject({ counted: 1 });
  expect((await countOf(gone)).logged).toBeGreaterThan(0);
});

test("four consumers at once with the same clicks in different orders count each once and never deadlock", async ({
  expect,
}) => {
  const ids = await Promise.all(Array.from({ length: 12 }, () => makeLink()));
  const clicks = Array.from({ length: 240 }, (_, at) => clickOf(ids[at % ids.length] ?? "0"));
  const shuffled = (seed: number): Click[] =>
    clicks
      .map((click, at) => ({ click, rank: (at * 7919 + seed * 104_729) % 9973 }))
      .toSorted((x, y) => x.rank - y.rank)
      .map(({ click }) => click);
  const outcomes = await Promise.all(
    [1, 2, 3, 4].map((seed) => deliver(packMessages(shuffled(seed)).map(({ body }) => body))),
  );
  expect(outcomes.flatMap((outcome) => outcome.retried)).toEqual([]);
  for (const id of ids) expect(await countOf(id)).toMatchObject({ counted: 20, logged: 20 });
});

test("what the queue gave up on is kept once, however often it comes", async ({ expect }) => {
  const link = await makeLink();
  const body = bodyOf(clickOf(link));
  await setFault("postgres", { kind: "html", matching: "dead_letters", times: 1 });
  expect((await deliver([body], "hop-clicks-dead")).retried).toHaveLength(1);
  expect((await deliver([body], "hop-clicks-dead")).acked).toHaveLength(1);
  expect(await buried(link)).toMatchObject([{ queue: "hop-clicks", reason: "retries exhausted" }]);
});
