/**
 * Counts the requests of this isolate for codes that do not exist, until they are sent together. A flood of made-up codes stays one
 * message in a few seconds, and bounded.
 *
 * @module
 */
import type { CodeKey } from "../../../shared/entry.ts";
import { type Miss, OTHER_CODES, packMisses } from "../../../shared/miss.ts";
import type { WaitUntil } from "../../http/context.ts";
import { log } from "../../telemetry/log.ts";

/** How long the first miss waits for others. */
const WINDOW_MS = 5000;
/** So many codes are kept apart in a message: the widest fill less than one billing unit of the queue. */
const MAX_CODES = 100;

/** What the misses are handed to. */
export interface MissOutlet {
  /** Takes one message; rejects when it cannot. */
  readonly send: (body: string) => Promise<void>;
  /** The pause of the platform, in milliseconds. */
  readonly wait: (ms: number) => Promise<void>;
}

/** Notes one miss, `now` in epoch milliseconds. Returns at once; what remains is handed to `waitUntil`. */
export type NoteMiss = (key: CodeKey, now: number, waitUntil: WaitUntil) => void;

/** Builds the counter. */
export function createNoteMiss({ send, wait }: MissOutlet): NoteMiss {
  let noted = new Map<string, Miss>();
  let ownedSince = 0;

  const flushLater = async (owned: ReadonlyMap<string, Miss>): Promise<void> => {
    await wait(WINDOW_MS);
    // Its first owner was slow, and another has sent it.
    if (noted !== owned) return;
    noted = new Map();
    try {
      await send(packMisses([...owned.values()]));
    } catch (error) {
      log("warn", "misses_lost", { codes: owned.size }, error);
    }
  };

  return (key, now, waitUntil) => {
    // An owner whose request was ended by the platform flushes nothing: the next miss takes over.
    const wantsOwner = noted.size === 0 || now - ownedSince > 2 * WINDOW_MS;
    const own = `${key.domain}/${key.code}`;
    const isApart = noted.has(own) || noted.size < MAX_CODES;
    const name = isApart ? own : "";
    const before = noted.get(name);
    noted.set(name, { key: isApart ? key : OTHER_CODES, misses: (before?.misses ?? 0) + 1, lastAt: now });
    if (!wantsOwner) return;
    ownedSince = now;
    waitUntil(flushLater(noted));
  };
}
