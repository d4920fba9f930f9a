/**
 * `npm run dev` as a child process, for tests of what a newcomer types.
 *
 * @module
 */
import { type ChildProcess, spawn } from "node:child_process";
import { createServer } from "node:net";
import { fileURLToPath } from "node:url";

/** A running `npm run dev`. */
export interface DevProcess {
  /** `http://localhost:PORT` */
  readonly origin: string;
  /** What it printed so far. */
  output(): string;
  /** Ends it as Ctrl-C does, and answers its exit code. */
  stop(): Promise<number | null>;
}

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const STARTS_WITHIN_MS = 60_000;

/** Starts the service with its data in `dataDir` and waits until it says that it serves. */
export async function startDev(dataDir: string, flags: readonly string[] = []): Promise<DevProcess> {
  const port = await freePort();
  const child = spawn(process.execPath, ["local/dev.ts", "--data", dataDir, ...flags], {
    cwd: ROOT,
    env: { ...process.env, PORT: String(port) },
  });
  let printed = "";
  const origin = `http://localhost:${port}`;
  const ready = Promise.withResolvers<void>();
  const read = (chunk: Buffer): void => {
    printed += chunk.toString("utf8");
    if (printed.includes(`Hop serves ${origin}`)) ready.resolve();
  };
  child.stdout.on("data", read);
  child.stderr.on("data", read);
  child.once("exit", () => ready.reject(new Error(`It ended before it served: ${printed}`)));
  const timer = setTimeout(() => ready.reject(new Error(`It did not serve in time: ${printed}`)), STARTS_WITHIN_MS);
  try {
    await ready.promise;
  } catch (error) {
    child.kill("SIGKILL");
    throw error;
  } finally {
    clearTimeout(timer);
  }
  return { origin, output: () => printed, stop: () => interrupt(child) };
}

function interrupt(child: ChildProcess): Promise<number | null> {
  const ended = new Promise<number | null>((resolve) => child.once("exit", resolve));
  child.kill("SIGINT");
  return ended;
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  if (address === null || typeof address === "string") throw new Error("No port is free.");
  return address.port;
}
