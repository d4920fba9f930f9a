/**
 * When the destinations of a link are looked at again.
 *
 * @module
 */
/** What is kept of a check. Times are epoch milliseconds. */
export interface CheckNote {
  /** When the next one is due. */
  readonly dueAt: number;
  /** When all who were asked found nothing wrong; null: somebody could not be asked. */
  readonly clearAt: number | null;
  /** How often in a row somebody could not be asked since the link was made or changed. */
  readonly attempts: number;
}

const MINUTE_MS = 60_000;
/** As often as cron runs (see `wrangler.toml`). */
const FIRST_PAUSE_MS = 5 * MINUTE_MS;
const LONGEST_PAUSE_MS = 24 * 60 * MINUTE_MS;
/** After that pause a link is looked at once more: a name may lead elsewhere by then, and lists know most bad pages within a day. */
const SECOND_LOOK_MS = 24 * 60 * MINUTE_MS;
/** Two weeks, most of the pauses a day long. */
const MAX_ATTEMPTS = 22;

/** What came of asking about destinations that nobody refused. */
export type Outcome = "clear" | "unchecked";

/** What is noted of a link that is made or changed now. */
export function firstNote(outcome: Outcome, now: number): CheckNote {
  return outcome === "clear"
    ? { dueAt: now + SECOND_LOOK_MS, clearAt: now, attempts: 0 }
    : { dueAt: now + FIRST_PAUSE_MS, clearAt: null, attempts: 0 };
}

/** What is noted after a later look, or null: it is not looked at again. `before` is what was noted until then. */
export function nextNote(outcome: Outcome, before: Omit<CheckNote, "dueAt">, now: number): CheckNote | null {
  if (outcome === "clear") return before.clearAt === null ? firstNote(outcome, now) : null;
  const attempts = before.attempts + 1;
  if (attempts >= MAX_ATTEMPTS) return null;
  const pauseMs = Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** attempts);
  return { dueAt: now + pauseMs, clearAt: before.clearAt, attempts };
}
