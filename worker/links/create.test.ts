/**
 * Two services that share a database have sequencers of their own, so an id may be another link's: it costs another id, not the creation.
 *
 * @module
 */
import { test } from "vitest";
import { BackendDown } from "../../shared/backend-down.ts";
import { openDatabase } from "../testing/stack.ts";
import { present } from "../testing/entries.ts";
import { createLink, type CreateParts } from "./create.ts";
import { createLinkStore } from "./store.ts";

const store = createLinkStore(openDatabase());
const policy = { schemes: ["https"], allow: [], block: [], ownHosts: [] };
const FIRST = BigInt(Math.floor(Math.random() * 2 ** 40)) << 20n;

/** Makes a link on a domain of its own with the ids that it is given, one after the other. */
function make(ids: readonly bigint[], customCode?: string) {
  let given = 0;
  const parts: CreateParts = {
    store,
    codes: {
      checkCustom: (code) => ({ ok: true, code }),
      encode: (id) => `g${id}`,
      isShadowed: () => false,
    },
    async nextIds() {
      const first = ids[given] ?? 0n;
      given += 1;
      return [{ first, count: 1 }];
    },
    addToFilter: async () => ({ epoch: 4_000_000_000_000_000 + given, adds: Number(FIRST % 1_000_000n) + given }),
    publish: async () => {},
    entryOf: () => present(),
    passwords: { hash: async (password) => `hash of ${password}`, isOf: async () => false },
    check: null,
  };
  const domain = `${crypto.randomUUID()}.example.test`;
  const context = { domain, policy, creatorIp: null, place: { colo: "", continent: "" }, now: Date.now() };
  return createLink(parts, { longUrl: "https://example.com/", unique: true, customCode }, context);
}

test("an id that another link has is not used, for generated and for chosen codes", async ({ expect }) => {
  expect(await make([FIRST])).toMatchObject({ kind: "created", link: { id: String(FIRST) } });
  expect(await make([FIRST, FIRST + 1n])).toMatchObject({ kind: "created", link: { id: String(FIRST + 1n) } });
  expect(await make([FIRST, FIRST + 1n, FIRST + 2n], "own")).toMatchObject({
    kind: "created",
    link: { id: String(FIRST + 2n), shortCode: "own" },
  });
});

test("when all ids are another's, the creation can be tried again later", async ({ expect }) => {
  await make([FIRST + 10n]);
  await expect(make([FIRST + 10n, FIRST + 10n, FIRST + 10n])).rejects.toBeInstanceOf(BackendDown);
});
