/**
 * Postgres in this process (PGlite), spoken to through Postgres' own wire protocol.
 *
 * @module
 */
import { mkdir } from "node:fs/promises";
import { PGlite } from "@electric-sql/pglite";
import { pg_trgm } from "@electric-sql/pglite/contrib/pg_trgm";
import { PGLiteSocketServer } from "@electric-sql/pglite-socket";
import { LOOPBACK } from "../listener.ts";

/** A Postgres that can be connected to. */
export interface PostgresServer {
  /** A connection string for the wire protocol. */
  readonly url: string;
  /** How many connections it serves at once. */
  readonly maxConnections: number;
  /** Ends it; data in a folder is kept. */
  stop(): Promise<void>;
}

/** Starts one: with its data in `folder`, or in memory when there is none. */
export async function startEmbeddedPostgres(folder: string | undefined): Promise<PostgresServer> {
  if (folder !== undefined) await mkdir(folder, { recursive: true });
  const database = await PGlite.create({
    ...(folder === undefined ? {} : { dataDir: folder }),
    extensions: { pg_trgm },
  });
  const server = new PGLiteSocketServer({ db: database, host: LOOPBACK, port: 0 });
  await server.start();
  return {
    url: `postgres://postgres@${server.getServerConn()}/postgres`,
    // PGlite is one backend: a second connection would share its transaction.
    maxConnections: 1,
    async stop() {
      await server.stop();
      await database.close();
    },
  };
}
