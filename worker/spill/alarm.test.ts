/**
 * An alarm that ended in the middle of its work is run again by the platform: nothing is lost then, and nothing counts twice.
 *
 * @module
 */
import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { test } from "vitest";
import { packMessages } from "../../shared/click.ts";
import { someClick } from "../testing/click.ts";
import { openDatabase } from "../testing/stack.ts";
import { createSpill } from "./client.ts";
import { Spill } from "./object.ts";

const database = openDatabase();
/** A new one each time: a stub does not outlive its object's abort. */
const object = () => env.SPILL.get(env.SPILL.idFromName("4"));
const spill = createSpill(env.SPILL, () => 0.5);
const AT = Date.UTC(2026, 11, 1, 12);
const MESSAGES = 120;
const TAKEN = 50;

let links = BigInt(Date.now()) << 20n;

async function makeLink(): Promise<string> {
  links += 1n;
  await database.execute(
    `INSERT INTO short_links (id, domain, short_code, long_url, type, version)
     VALUES (${links}, 'spill.example', '${links}', 'https://example.com/', 'auto', 1)`,
  );
  return String(links);
}

function messageOf(linkId: string): string {
  return packMessages([someClick({ linkId, at: AT }), someClick({ linkId, at: AT })])
    .map(({ body }) => body)
    .join();
}

/** Clicks of a link: counted, kept, and in the figures of the day. */
async function countsOf(linkId: string): Promise<readonly number[]> {
  const { rows } = await database.execute<{ counted: string; kept: string; figures: string }>(
    `SELECT (SELECT click_count FROM short_links WHERE id = ${linkId}) AS counted,
       (SELECT count(*) FROM click_logs WHERE link_id = ${linkId}) AS kept,
       (SELECT sum(clicks) FROM click_rollups WHERE link_id = ${linkId} AND grain = 'd' AND dimension = 'total') AS figures`,
  );
  return [Number(rows[0]?.counted), Number(rows[0]?.kept), Number(rows[0]?.figures)];
}

/** Runs the alarm as the platform does, also after one that failed. */
function runAlarm(): Promise<void> {
  return runInDurableObject(object(), (instance) => instance.alarm());
}

const OTHERWISE: Omit<Queue, "send"> = {
  sendBatch: (messages) => env.CLICKS.sendBatch(messages),
  metrics: () => env.CLICKS.metrics(),
};

/** Runs it until the queue has taken so many messages, and ends the object there, before it can remove the last one. */
async function dieAfter(taken: number): Promise<void> {
  let sent = 0;
  const dying = runInDurableObject(object(), async (_, state) => {
    const send: Queue["send"] = async (body, options) => {
      const answer = await env.CLICKS.send(body, options);
      sent += 1;
      if (sent === taken) state.abort("died in the middle");
      return answer;
    };
    await new Spill(state, { ...env, CLICKS: { ...OTHERWISE, send } }).alarm();
  });
  await dying.catch(() => {});
}

test("an alarm is retried after partial work: nothing is lost, and what was sent is not counted twice", async ({
  expect,
}) => {
  const [link, last] = [await makeLink(), await makeLink()];
  const bodies = Array.from({ length: MESSAGES }, () => messageOf(link));
  for (const body of bodies) await spill(body);

  await dieAfter(TAKEN);
  const { waiting } = await object().status();
  expect(waiting).toBeGreaterThan(MESSAGES - TAKEN);

  await runAlarm();
  expect((await object().status()).waiting).toBe(0);
  await spill(messageOf(last));
  await runAlarm();
  // Behind all others in the queue.
  await expect.poll(() => countsOf(last), { timeout: 30_000 }).toEqual([2, 2, 2]);
  await expect.poll(() => countsOf(link), { timeout: 30_000 }).toEqual([2 * MESSAGES, 2 * MESSAGES, 2 * MESSAGES]);
});
