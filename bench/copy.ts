/**
 * `COPY … FROM STDIN` over a connection of `pg`, which itself knows only queries (PostgreSQL, "Message Formats": CopyData and CopyDone).
 *
 * @module
 */
import type { Client, Connection, Submittable } from "pg";

const CHUNK = 64 * 1024;

/** Sends lines, each with its end, to a statement that copies from `STDIN`. Rejects as the server does. */
export function copyIn(client: Client, statement: string, lines: readonly string[]): Promise<void> {
  return new Promise((resolve, reject) => {
    const copy: Submittable & Record<`handle${string}`, (argument: never) => void> = {
      submit(connection: Connection) {
        connection.query(statement);
      },
      handleCopyInResponse({ stream }: Connection) {
        const data = Buffer.from(lines.join(""));
        for (let at = 0; at < data.length; at += CHUNK) stream.write(message("d", data.subarray(at, at + CHUNK)));
        stream.write(message("c", Buffer.alloc(0)));
      },
      handleCommandComplete() {},
      handleReadyForQuery: () => {
        resolve();
      },
      handleError: (error: Error) => {
        reject(error);
      },
    };
    client.query(copy);
  });
}

/** A letter, the length with itself, and what is said. */
function message(letter: string, said: Buffer): Buffer {
  const head = Buffer.alloc(5);
  head.write(letter);
  head.writeInt32BE(said.length + 4, 1);
  return Buffer.concat([head, said]);
}
