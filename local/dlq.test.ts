/**
 * `npm run dlq` shows dead letters and marks those that are to be sent again; what is not clear is refused and changes nothing.
 *
 * @module
 */
import { execFile } from "node:child_process";
import { randomUUID } from "node:crypto";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { neon, neonConfig } from "@neondatabase/serverless";
import { inject, test } from "vitest";

const SCRIPT = fileURLToPath(new URL("dlq.ts", import.meta.url));
const { databaseUrl, databaseEndpoint } = inject("stack");

async function run(...args: readonly string[]): Promise<{ out: string; code: number }> {
  const env = { ...process.env, DATABASE_URL: databaseUrl, NEON_FETCH_ENDPOINT: databaseEndpoint };
  try {
    const { stdout } = await promisify(execFile)(process.execPath, [SCRIPT, ...args], { env });
    return { out: stdout, code: 0 };
  } catch (error) {
    const { stderr, code } = Object(error);
    return { out: String(stderr), code: Number(code) };
  }
}

test("letters are shown, and marked by id or by reason; nothing else is", async ({ expect }) => {
  neonConfig.fetchEndpoint = databaseEndpoint;
  const sql = neon(databaseUrl);
  const [queue, reason] = [randomUUID(), randomUUID()];
  const [first, second, third] = [randomUUID(), randomUUID(), randomUUID()];
  for (const [id, why] of [
    [first, "other"],
    [second, reason],
    [third, "other"],
  ]) {
    await sql`INSERT INTO dead_letters (queue, message_id, body, reason, attempts, sent_at, buried_at)
      VALUES (${queue}, ${id}, 'body', ${why}, 3, '2026-12-01T00:00:00Z', '2999-01-01T00:00:00Z')`;
  }
  try {
    const listed = await run("list", "--limit", "3");
    for (const id of [first, second, third]) expect(listed.out).toContain(id);
    expect(listed.out).toContain(`4 characters, 3 attempts: ${reason}`);
    expect((await run("replay", first)).out).toMatch(/^1 to be sent again/);
    expect((await run("replay", "--reason", reason)).out).toMatch(/^1 to be sent again/);
    expect((await run("list", "--limit", "3")).out.match(/\(to be sent again\)/g)).toHaveLength(2);
    expect(await run("replay", randomUUID())).toMatchObject({
      code: 1,
      out: expect.stringContaining("There is no dead letter"),
    });
    for (const args of [
      ["replay"],
      ["replay", first, "--all"],
      ["list", "--limit", "0"],
      ["list", "x"],
      ["bury"],
      [],
    ]) {
      expect((await run(...args)).code, args.join(" ")).toBe(1);
    }
    const marked =
      await sql`SELECT count(*)::int AS count FROM dead_letters WHERE queue = ${queue} AND replay_requested`;
    expect(marked[0]?.["count"]).toBe(2);
  } finally {
    await sql`DELETE FROM dead_letters WHERE queue = ${queue}`;
  }
});
