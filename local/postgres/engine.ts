/**
 * Runs queries on a Postgres through its wire protocol and gives back what the wire said: values as text, and the fields as
 * the server described them.
 *
 * @module
 */
import pg from "pg";

/** One statement with its parameters, all as text or null. */
export interface Query {
  readonly text: string;
  readonly params: readonly (string | null)[];
}

/** What a statement answered. */
export interface Result {
  readonly command: string;
  readonly rowCount: number | null;
  readonly fields: readonly pg.FieldDef[];
  readonly rows: readonly (readonly (string | null)[])[];
}

/** How a batch is to run; undefined leaves it to the server. */
export interface BatchOptions {
  readonly isolation: string | undefined;
  readonly readOnly: boolean;
  readonly deferrable: boolean;
}

/** A pool of connections. */
export interface Engine {
  run(query: Query): Promise<Result>;
  /** Runs all in one transaction, or none. */
  runBatch(queries: readonly Query[], options: BatchOptions): Promise<Result[]>;
  stop(): Promise<void>;
}

/** Values stay as the wire has them; parsing is the client's. */
const AS_TEXT = { getTypeParser: () => (value: string) => value };
const IDLE_MS = 10_000;

/** Opens a pool on a connection string. */
export function openEngine(url: string, maxConnections: number): Engine {
  const pool = new pg.Pool({ connectionString: url, max: maxConnections, idleTimeoutMillis: IDLE_MS });
  // A server that ends an idle connection is no reason to end this process.
  pool.on("error", () => {});

  const withClient = async <T>(use: (client: pg.PoolClient) => Promise<T>): Promise<T> => {
    const client = await pool.connect();
    let isBroken = false;
    const lost = (): void => {
      isBroken = true;
    };
    client.on("error", lost);
    try {
      return await use(client);
    } finally {
      client.off("error", lost);
      client.release(isBroken);
    }
  };

  return {
    run: (query) => withClient((client) => execute(client, query)),
    runBatch: (queries, options) =>
      withClient(async (client) => {
        await client.query(beginOf(options));
        try {
          const results: Result[] = [];
          for (const query of queries) results.push(await execute(client, query));
          await client.query("COMMIT");
          return results;
        } catch (error) {
          await client.query("ROLLBACK").catch(() => {});
          throw error;
        }
      }),
    stop: () => pool.end(),
  };
}

/** The extended protocol, also without parameters: it takes one statement only, as Neon does. */
async function execute(client: pg.PoolClient, query: Query): Promise<Result> {
  const config = {
    text: query.text,
    values: [...query.params],
    rowMode: "array" as const,
    types: AS_TEXT,
    queryMode: "extended",
  };
  const result = await client.query<(string | null)[]>(config);
  return { command: result.command, rowCount: result.rowCount, fields: result.fields, rows: result.rows };
}

function beginOf({ isolation, readOnly, deferrable }: BatchOptions): string {
  const modes = [
    ...(isolation === undefined ? [] : [`ISOLATION LEVEL ${isolation}`]),
    ...(readOnly ? ["READ ONLY"] : []),
    ...(deferrable ? ["DEFERRABLE"] : []),
  ];
  return `BEGIN ${modes.join(", ")}`.trim();
}
