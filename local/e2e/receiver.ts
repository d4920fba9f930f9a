/**
 * A receiver of webhooks on this machine: keeps what it gets, and answers as it is told.
 *
 * @module
 */
import { createServer } from "node:http";
import { once } from "node:events";

/** A message as it arrived. */
export interface Received {
  readonly path: string;
  /** By name in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
}

/** What a receiver answers; with the status 0 it never does. */
export interface Reply {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
}

/** A running receiver. */
export interface Receiver {
  readonly origin: string;
  /** Everything that came to a path, in its order. */
  at(path: string): readonly Received[];
  stop(): Promise<void>;
}

/** Starts one; `reply` is asked for each message, which is kept already. */
export async function startReceiver(reply: (received: Received) => Reply): Promise<Receiver> {
  const all: Received[] = [];
  const server = createServer((request, response) => {
    let text = "";
    request.setEncoding("utf8");
    request.on("data", (part) => (text += String(part)));
    request.on("end", () => {
      const headers = Object.fromEntries(Object.entries(request.headers).map(([name, value]) => [name, String(value)]));
      const received = { path: request.url ?? "", headers, text };
      all.push(received);
      const { status, headers: replyHeaders } = reply(received);
      if (status === 0) return;
      response.writeHead(status, { ...replyHeaders }).end("thank you");
    });
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  if (address === null || typeof address === "string") throw new TypeError("the receiver has no port");
  return {
    origin: `http://localhost:${address.port}`,
    at: (path) => all.filter((received) => received.path === path),
    stop: async () => {
      server.closeAllConnections();
      server.close();
    },
  };
}
