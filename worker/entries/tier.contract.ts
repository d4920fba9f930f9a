/**
 * What every tier that keeps entries promises, as a suite: each of them runs it over its real store.
 *
 * @module
 */
import { describe, test } from "vitest";
import type { CodeKey } from "../../shared/entry.ts";
import { absent, present } from "../testing/entries.ts";
import type { Tier } from "./tier.ts";

let serial = 0;

/** A key that no other test uses. */
export function freshKey(code = "code"): CodeKey {
  serial += 1;
  return { domain: `d${serial}-${Math.random().toString(36).slice(2)}.example`, code };
}

/** Runs the suite over the tier that `build` makes. */
export function describeTier(name: string, build: () => Required<Tier>): void {
  describe(`tier ${name}`, () => {
    const now = 1_800_000_000_000;
    const found = async (tier: Tier, key: CodeKey) => {
      const answer = await tier.lookup(key, now);
      return answer.kind === "entry" ? answer.entry : answer.kind;
    };

    test("what was filled is found as it was", async ({ expect }) => {
      const tier = build();
      const key = freshKey();
      const entry = present({ validSince: 5, expireAt: 6, expiredUrl: "https://example.org/over", disabled: true });
      await tier.fill(key, entry);
      expect(await found(tier, key)).toEqual(entry);
    });

    test("what was never filled is passed on", async ({ expect }) => {
      expect(await found(build(), freshKey())).toBe("pass");
    });

    test("an older version loses, a newer one wins", async ({ expect }) => {
      const tier = build();
      const key = freshKey();
      await tier.fill(key, present({ version: 20, longUrl: "https://example.com/b" }));
      await tier.fill(key, present({ version: 10, longUrl: "https://example.com/a" }));
      expect(await found(tier, key)).toMatchObject({ version: 20, longUrl: "https://example.com/b" });
      await tier.fill(key, present({ version: 30, longUrl: "https://example.com/c" }));
      expect(await found(tier, key)).toMatchObject({ version: 30, longUrl: "https://example.com/c" });
    });

    test("a row read before its deletion does not come back over the tombstone", async ({ expect }) => {
      const tier = build();
      const key = freshKey();
      await tier.fill(key, absent({ version: 21, tombstone: true }));
      await tier.fill(key, present({ version: 20 }));
      expect(await found(tier, key)).toMatchObject({ kind: "absent", version: 21 });
    });

    test("a link made after a look-up that found nothing replaces what that look-up filled", async ({ expect }) => {
      const tier = build();
      const key = freshKey();
      await tier.fill(key, absent());
      await tier.fill(key, present({ version: 5 }));
      expect(await found(tier, key)).toMatchObject({ kind: "present", version: 5 });
      await tier.fill(key, absent());
      expect(await found(tier, key)).toMatchObject({ kind: "present", version: 5 });
    });

    test("the code of one domain is not that of another, nor is another spelling of it", async ({ expect }) => {
      const tier = build();
      const key = freshKey("Promo");
      await tier.fill(key, present());
      expect(await found(tier, { ...key, domain: `x${key.domain}` })).toBe("pass");
      expect(await found(tier, { ...key, code: "promo" })).toBe("pass");
    });

    for (const code of [
      "a/b",
      "%2F",
      "ünï-小麦粉",
      "a b",
      "x".repeat(64),
      "é".repeat(64),
      "null",
      "__proto__",
      "123",
    ]) {
      test(`a key with the code ${JSON.stringify(code)} is kept apart and found`, async ({ expect }) => {
        const tier = build();
        const key = freshKey(code);
        await tier.fill(key, present({ longUrl: "https://example.com/kept" }));
        expect(await found(tier, key)).toMatchObject({ longUrl: "https://example.com/kept" });
      });
    }
  });
}
