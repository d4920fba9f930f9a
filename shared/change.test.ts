/**
 * A change arrives as it was sent, and nothing else is taken for one.
 *
 * @module
 */
import { test } from "vitest";
import { type Change, packChange, unpackChange } from "./change.ts";

const CHANGES: readonly Change[] = [
  {
    key: { domain: "go.example", code: 'ünï-"quoted"/' },
    entry: { kind: "absent", version: 1_700_000_000_000_001, vouchedAt: 5, tombstone: true },
    redis: true,
    purge: false,
  },
  {
    key: { domain: "go.example", code: "abc" },
    entry: {
      kind: "present",
      version: 9,
      vouchedAt: 5,
      linkId: "3",
      longUrl: "https://example.com/",
      redirectStatus: 302,
      validSince: null,
      expireAt: 7,
      expiredUrl: null,
      disabled: false,
      maxClicks: null,
      forwardQuery: true,
      forwardPath: false,
      passwordHash: null,
      rules: [{ split: [{ longUrl: "https://example.org/", weight: 1 }] }],
    },
    redis: false,
    purge: true,
  },
];

test("what arrives is what was sent", ({ expect }) => {
  for (const change of CHANGES) expect(unpackChange(packChange(change))).toEqual(change);
});

test("clicks, broken text and changes of another form are no changes", ({ expect }) => {
  const [whole] = CHANGES.map(packChange);
  const others = [
    '{"v":1,"clicks":[]}',
    "",
    "null",
    "{}",
    '{"v":1,"change":null}',
    '{"v":1,"change":{}}',
    whole?.replace('"v":1', '"v":2'),
    whole?.slice(0, -3),
  ];
  for (const body of [...others, undefined, null, 5, {}]) expect(unpackChange(body)).toBeUndefined();
});
