/**
 * A crowd on many links, delivered one to three times in random order by four consumers at once, one of which loses its connection in the middle
 * of batches: what stands in the tables is what this test has counted itself. `bench/million-clicks.ts` does the same with a million clicks
 * and the deploy build, and ends the database's backends too.
 *
 * @module
 */
import { createExecutionContext, createMessageBatch, getQueueResult } from "cloudflare:test";
import { afterEach, test } from "vitest";
import { type Click, packMessages } from "../../shared/click.ts";
import { createDice, type Dice } from "../../shared/testing/dice.ts";
import { someClick } from "../testing/click.ts";
import { liftFaults, openDatabase, setFault } from "../testing/stack.ts";
import { consumeClicks } from "./consumer.ts";
import { createBury } from "./dead-letters.ts";
import { createClickStore } from "./store.ts";

const database = openDatabase();
const store = createClickStore(database);
const bury = createBury(database);
const SEED = 20_261_202;
const CLICKS = 20_000;
const LINKS = 500;
const BATCH = 25;
const CONSUMERS = [0, 1, 2, 3];
const DOOMED = 3;
const DAY_MS = 86_400_000;
const QUARTER_MS = 900_000;
/** Half an hour before midnight (UTC) until half an hour after it. */
const FROM = Date.UTC(2026, 10, 30, 23, 30);
const SPAN_MS = 3_600_000;
const FIREFOX = "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0";

afterEach(liftFaults);

/** Ids that no other test has. */
const linkIds = Array.from({ length: LINKS }, (_, at) =>
  String((BigInt(Date.now()) << 20n) + (1n << 19n) + BigInt(at)),
);

function clickOf(dice: Dice): Click {
  const linkId = linkIds[Math.floor((LINKS + 1) ** (dice.below(1_000_000) / 1_000_000)) - 1] ?? "0";
  return someClick({
    linkId,
    at: FROM + dice.below(SPAN_MS),
    country: dice.pick(["DE", "FR", "JP", null]),
    city: dice.pick(["Berlin", "Paris", null]),
    userAgent: dice.pick([FIREFOX, FIREFOX, "curl/8", null]),
    utmSource: dice.pick(["poster", null, null]),
    trigger: dice.pick(["link", "qr"]),
    visitor: dice.below(400).toString(16).padStart(16, "0"),
  });
}

function dimensionsOf(click: Click): (readonly [string, string | null])[] {
  const isFirefox = click.userAgent === FIREFOX;
  return [
    ["total", ""],
    ["country", click.country],
    ["city", click.city],
    ["device", isFirefox ? "desktop" : null],
    ["browser", isFirefox ? "Firefox" : null],
    ["os", isFirefox ? "Linux" : null],
    ["utmSource", click.utmSource],
    ["trigger", click.trigger],
    ["bot", botOf(click)],
  ];
}

function botOf({ userAgent }: Click): string | null {
  if (userAgent === FIREFOX) return null;
  return userAgent === null ? "silent" : "tool";
}

function floorTo(at: number, step: number): number {
  return Math.floor(at / step) * step;
}

/** What should stand in the tables, a line for each row; in which quarter of their day a visitor counts is left open. */
function expectedLines(clicks: readonly Click[]): string[] {
  const figures = new Map<string, readonly [clicks: number, humans: number]>();
  const visitors = new Map<string, Set<string | null>>();
  const links = new Map<string, readonly [clicks: number, lastAt: number]>();
  for (const click of clicks) {
    const { linkId, at } = click;
    const human = botOf(click) === null ? 1 : 0;
    const day = `${linkId} ${floorTo(at, DAY_MS)}`;
    const people = visitors.get(day) ?? new Set();
    visitors.set(day, human === 1 ? people.add(click.visitor) : people);
    const [count, lastAt] = links.get(linkId) ?? [0, 0];
    links.set(linkId, [count + 1, Math.max(lastAt, at)]);
    for (const bucket of [`q ${floorTo(at, QUARTER_MS)}`, `d ${floorTo(at, DAY_MS)}`]) {
      for (const [dimension, value] of dimensionsOf(click)) {
        if (value === null) continue;
        const key = `${linkId} ${bucket} ${dimension} ${value}`;
        const [all, humans] = figures.get(key) ?? [0, 0];
        figures.set(key, [all + 1, humans + human]);
      }
    }
  }
  return [
    ...clicks.map(({ id, linkId, at }) => `raw ${id} ${linkId} ${at}`),
    ...[...figures].map(([key, [all, humans]]) => `figure ${key} ${all} ${humans}`),
    ...[...visitors].map(([key, people]) => `visitors ${key} ${people.size} ${people.size} ${people.size}`),
    ...[...links].map(([id, [count, lastAt]]) => `link ${id} ${count} ${lastAt}`),
  ];
}

const ms = (column: string): string => `(extract(epoch FROM ${column}) * 1000)::bigint`;

/** What stands there. Visitors of a day three times: in its row, in those of its quarters, and as they are listed. */
async function foundLines(): Promise<string[]> {
  const ids = linkIds.join();
  const { rows } = await database.execute<{ line: string }>(
    `SELECT concat_ws(' ', 'raw', id, link_id, ${ms("clicked_at")}) AS line FROM click_logs WHERE link_id IN (${ids})
     UNION ALL SELECT concat_ws(' ', 'figure', link_id, grain, ${ms("bucket")}, dimension, value, clicks, humans)
       FROM click_rollups WHERE link_id IN (${ids})
     UNION ALL SELECT concat_ws(' ', 'link', id, click_count, ${ms("last_click_at")}) FROM short_links WHERE id IN (${ids}) AND click_count > 0
     UNION ALL SELECT concat_ws(' ', 'visitors', link_id, ${ms("day")},
         sum(visitors) FILTER (WHERE grain = 'd'), sum(visitors) FILTER (WHERE grain = 'q'),
         (SELECT count(*) FROM click_visitors AS listed
          WHERE listed.link_id = figure.link_id AND listed.day = (figure.day AT TIME ZONE 'UTC')::date))
       FROM (SELECT *, date_trunc('day', bucket, 'UTC') AS day FROM click_rollups WHERE link_id IN (${ids})) AS figure
       GROUP BY link_id, day`,
  );
  return rows.map(({ line }) => line);
}

/** Hands a batch to the consumer; answers which of the messages come again. */
async function deliver(bodies: readonly string[]): Promise<string[]> {
  const messages = bodies.map((body, at) => ({ id: `m${at}`, timestamp: new Date(FROM), attempts: 1, body }));
  const batch = createMessageBatch("hop-clicks", messages);
  await consumeClicks(batch, {
    store,
    bury,
    consumeCounts: async () => {},
    wakeWebhooks: async () => {},
    clock: () => FROM,
  });
  const { retryMessages } = await getQueueResult(batch, createExecutionContext());
  return retryMessages.flatMap(({ msgId }) => bodies[Number(msgId.slice(1))] ?? []);
}

function without(lines: readonly string[], others: readonly string[]): string[] {
  const known = new Set(others);
  return lines.filter((line) => !known.has(line));
}

test(
  "four consumers, one of them dying in the middle of batches: every row equals an independent recount",
  {
    timeout: 120_000,
  },
  async ({ expect }) => {
    const dice = createDice(SEED);
    await database.execute(
      `INSERT INTO short_links (id, domain, short_code, long_url, type, version)
     SELECT id, 'crowd.example', id, 'https://example.com/', 'auto', 1 FROM unnest(ARRAY[${linkIds.join()}]::bigint[]) AS id`,
    );
    const clicks = Array.from({ length: CLICKS }, () => clickOf(dice));
    // The doomed consumer's batches hold one click that no other batch has, so that the fault meets them alone.
    const mark = crypto.randomUUID();
    const marked = someClick({ linkId: linkIds[0] ?? "0", at: FROM, id: mark, userAgent: "curl/8" });
    const markedBody = packMessages([marked])
      .map(({ body }) => body)
      .join();
    const waiting = Array.from({ length: CLICKS / 100 }, (_, at) => clicks.slice(at * 100, at * 100 + 100))
      .flatMap((message) => packMessages(message).map(({ body }) => body))
      .flatMap((body) => Array.from({ length: 1 + dice.below(3) }, () => body))
      .map((body) => ({ body, rank: dice.below(2 ** 32) }))
      .toSorted((one, other) => one.rank - other.rank)
      .map(({ body }) => body);
    let deaths = 0;

    const consume = async (consumer: number): Promise<void> => {
      for (let batch = waiting.splice(-BATCH); batch.length > 0; batch = waiting.splice(-BATCH)) {
        if (consumer !== DOOMED || dice.below(3) === 0) {
          waiting.unshift(...(await deliver(batch)));
          continue;
        }
        // Before the database hears of it, or when it has committed and is about to say so.
        await setFault("postgres", { kind: dice.pick(["refuse", "cut"]), matching: mark, times: 1 });
        const again = await deliver([...batch, markedBody]);
        deaths += again.length > 0 ? 1 : 0;
        waiting.unshift(...again.filter((body) => body !== markedBody));
      }
    };
    await Promise.all(CONSUMERS.map(consume));
    await consume(0);
    await deliver([markedBody]);

    expect(deaths).toBeGreaterThan(0);
    const [found, counted] = [await foundLines(), expectedLines([...clicks, marked])];
    expect(without(found, counted).slice(0, 10)).toEqual([]);
    expect(without(counted, found).slice(0, 10)).toEqual([]);
    expect(found).toHaveLength(counted.length);
  },
);
