/**
 * A load of HTTP requests over kept connections, cheap enough to leave the processor to the server: requests are written as they
 * stand, and of an answer only the status and the length are read.
 *
 * @module
 */
import { once } from "node:events";
import { connect, type Socket } from "node:net";

/** What to send. */
export interface Load {
  readonly port: number;
  /** Asked for in turn. */
  readonly paths: readonly string[];
  readonly headers: Readonly<Record<string, string>>;
  readonly calls: number;
  readonly connections: number;
  /** Milliseconds between an answer and the next request. */
  readonly pauseMs?: number;
}

/** What came of it. */
export interface LoadResult {
  /** How many answers had each status. */
  readonly statuses: Readonly<Record<string, number>>;
  /** Milliseconds of each call. */
  readonly times: readonly number[];
}

const HEAD_END = Buffer.from("\r\n\r\n");

/** Sends `calls` requests, each connection one at a time. Rejects when a connection breaks or an answer has no length. */
export async function run({ port, paths, headers, calls, connections, pauseMs = 0 }: Load): Promise<LoadResult> {
  const head = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  const requests = paths.map((path) => Buffer.from(`GET ${path} HTTP/1.1\r\n${head.join("")}\r\n`));
  const statuses: Record<string, number> = {};
  const times: number[] = [];
  let next = 0;
  const caller = async (): Promise<void> => {
    const socket = connect(port, "127.0.0.1").setNoDelay(true);
    await once(socket, "connect");
    for (let at = next++; at < calls; at = next++) {
      const start = performance.now();
      const status = await ask(socket, requests[at % requests.length] ?? Buffer.alloc(0));
      times.push(performance.now() - start);
      statuses[status] = (statuses[status] ?? 0) + 1;
      if (pauseMs > 0) await new Promise((resolve) => void setTimeout(resolve, pauseMs));
    }
    socket.destroy();
  };
  await Promise.all(Array.from({ length: connections }, caller));
  return { statuses, times };
}

function ask(socket: Socket, request: Buffer): Promise<string> {
  return new Promise((resolve, reject) => {
    let got: Buffer = Buffer.alloc(0);
    const finish = (end: () => void): void => {
      socket.removeAllListeners("data").removeAllListeners("error").removeAllListeners("close");
      end();
    };
    socket.once("error", reject).once("close", () => {
      reject(new Error("the connection was closed"));
    });
    socket.on("data", (chunk: Buffer) => {
      got = got.length === 0 ? chunk : Buffer.concat([got, chunk]);
      const end = got.indexOf(HEAD_END);
      if (end === -1) return;
      const head = got.toString("latin1", 0, end);
      const length = /^content-length: *(\d+)/im.exec(head)?.[1];
      if (length === undefined) {
        finish(() => {
          reject(new Error(`an answer without a length: ${head}`));
        });
      } else if (got.length >= end + HEAD_END.length + Number(length)) {
        finish(() => {
          resolve(head.slice(9, 12));
        });
      }
    });
    socket.write(request);
  });
}
