/**
 * The one interface of every place where an entry may be found. The order of the tiers is the design; each of them only
 * knows how to ask its own store.
 *
 * @module
 */
import type { CodeKey, Entry } from "../../shared/entry.ts";

/** The tiers by name, as counters and `Server-Timing` show them. */
export type TierName = "memory" | "edge" | "guard" | "redis" | "postgres";

/** What a tier can say. "Don't know" and "can't be asked" are different: only the first may end in a 404. */
export type Answer =
  /** Present, or known to be absent. A spare one is served only when nothing below answers. */
  | { readonly kind: "entry"; readonly entry: Entry; readonly isSpare?: boolean }
  /** Knows nothing: ask the next. */
  | { readonly kind: "pass" }
  /** Such a code cannot exist; nothing is filled, so made-up codes push nothing out of a cache. */
  | { readonly kind: "refuse" }
  /** No answer within its limit, or one that makes no sense. */
  | { readonly kind: "down"; readonly cause: unknown };

/** A place where entries are looked for, and perhaps kept. */
export interface Tier {
  readonly name: TierName;
  /** Never throws. */
  lookup(key: CodeKey, now: number): Answer | Promise<Answer>;
  /** Keeps an entry. An older version never replaces a newer one. May reject; the caller logs it. */
  fill?(key: CodeKey, entry: Entry): void | Promise<void>;
}

/** A tier that answers at once, and is filled at once. Neither throws. */
export interface NearTier extends Tier {
  lookup(key: CodeKey, now: number): Answer;
  fill?(key: CodeKey, entry: Entry): void;
}

/** Knows nothing. */
export const PASS: Answer = { kind: "pass" };
/** Cannot exist. */
export const REFUSE: Answer = { kind: "refuse" };
