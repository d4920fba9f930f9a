/**
 * Rows that were kept as JSON are read by the columns of today, also those that were kept before a column came.
 *
 * @module
 */
import { test } from "vitest";
import { openDatabase } from "../testing/stack.ts";
import { createReadSnapshots } from "./store.ts";

const before = {
  id: "9223372036854775807",
  domain: "snapshots.example",
  short_code: "kept",
  long_url: "https://example.com/",
  type: "custom",
  tags: [],
  metadata: {},
  redirect_status: 302,
  disabled: false,
  version: 3,
  click_count: 0,
  created_at: "2026-12-01T08:00:00Z",
  updated_at: "2026-12-01T08:00:00Z",
};

test("of a password it is kept that there was one, and not its hash", async ({ expect }) => {
  const rows = [before, { ...before, password_hash: "" }].map((row) => JSON.stringify(row));
  expect(await createReadSnapshots(openDatabase())(rows)).toMatchObject([{ passwordHash: null }, { passwordHash: "" }]);
});

test("a row from before there were forwarding and rules has none, and one from after it says so", async ({
  expect,
}) => {
  const rules = [{ split: [{ weight: 1, longUrl: "https://example.com/" }] }];
  const rows = [before, { ...before, forward_query: true, forward_path: false, rules }].map((row) =>
    JSON.stringify(row),
  );
  expect(await createReadSnapshots(openDatabase())(rows)).toMatchObject([
    { id: before.id, forwardQuery: false, forwardPath: false, rules: [] },
    { id: before.id, forwardQuery: true, forwardPath: false, rules },
  ]);
});
