/**
 * Sends dead letters again that a person asked for (`npm run dlq -- replay`).
 *
 * @module
 */
import { log } from "../telemetry/log.ts";

/** A dead letter that is to be sent again. */
export interface ReplayedLetter {
  readonly queue: string;
  readonly messageId: string;
  readonly body: string;
}

/** What replaying takes, handed in. */
export interface ReplayParts {
  /** The oldest letters that are to be sent again, so many at most. */
  readonly readRequested: (limit: number) => Promise<readonly ReplayedLetter[]>;
  /** Forgets a letter. */
  readonly forget: (letter: ReplayedLetter) => Promise<void>;
  /** Puts a message into the queue that it was meant for. */
  readonly send: (body: string) => Promise<void>;
}

/** A run sends so many: the next one goes on. */
const MAX_LETTERS = 500;

/**
 * Sends and then forgets: a letter that is sent twice because forgetting failed is counted once, by the ids of its clicks. One that the
 * queue does not take stays, and holds up no other. Answers how many were sent.
 */
export async function replayLetters({ readRequested, forget, send }: ReplayParts): Promise<number> {
  let sent = 0;
  for (const letter of await readRequested(MAX_LETTERS)) {
    try {
      await send(letter.body);
      sent += 1;
    } catch (error) {
      log("error", "replay_failed", { queue: letter.queue, messageId: letter.messageId }, error);
      continue;
    }
    await forget(letter);
  }
  return sent;
}
