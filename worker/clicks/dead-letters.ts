/**
 * What could not be handled is kept in Postgres, for a person to look at.
 *
 * @module
 */
import { askDatabase, type Database } from "../backends/postgres.ts";
import { deadLetters } from "../backends/schema.ts";

/** A message that nobody could handle. */
export interface DeadLetter {
  /** The queue it was meant for. */
  readonly queue: string;
  readonly messageId: string;
  /** As text, whatever it was. */
  readonly body: string;
  readonly reason: string;
  readonly attempts: number;
  readonly sentAt: Date;
}

/** Keeps a message; keeping it twice keeps it once. Rejects with `BackendDown` when the database cannot be asked. */
export type Bury = (letter: DeadLetter) => Promise<void>;

/** The most of a body that is kept; a message has 128 KB at most. */
const MAX_BODY_CHARACTERS = 256 * 1024;

/** Builds the burial over a database. */
export function createBury(database: Database): Bury {
  return async (letter) => {
    const body = storable(letter.body).slice(0, MAX_BODY_CHARACTERS);
    await askDatabase(() =>
      database
        .insert(deadLetters)
        .values({ ...letter, body, reason: storable(letter.reason) })
        .onConflictDoNothing(),
    );
  };
}

/** A message's body as text: its own text, or JSON. */
export function bodyText(body: unknown): string {
  if (typeof body === "string") return body;
  const json: unknown = JSON.stringify(body);
  return typeof json === "string" ? json : String(body);
}

/** Postgres takes neither NUL nor half a surrogate pair. */
function storable(text: string): string {
  return text.toWellFormed().replaceAll("\u0000", "\u{fffd}");
}
