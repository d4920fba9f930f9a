/**
 * The transport of the stand-ins: HTTP on an ephemeral loopback port. Protocols above it see a request as a value and give an
 * answer as a value; faults are put in between.
 *
 * @module
 */
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { Fault, Faults } from "./faults.ts";

/** Only this machine reaches the stand-ins. */
export const LOOPBACK = "127.0.0.1";

/** The most that a request or an answer may hold: Neon's limit in either direction, and Upstash's for a request. */
export const MAX_BYTES = 10 * 1024 * 1024;

/** A request, read whole. */
export interface WireRequest {
  readonly method: string;
  /** With its query. */
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** An answer, not yet sent. */
export interface WireAnswer {
  readonly status: number;
  readonly contentType: string;
  readonly body: string | Uint8Array;
}

/** Answers a request. */
export type Handler = (request: WireRequest) => Promise<WireAnswer>;

/** A listening server. */
export interface Listener {
  /** `http://127.0.0.1:PORT` */
  readonly origin: string;
  /** Ends every connection and stops listening. */
  stop(): Promise<void>;
}

/** An answer of JSON. */
export function json(status: number, value: unknown): WireAnswer {
  return { status, contentType: "application/json", body: JSON.stringify(value) };
}

/** Starts listening. `faults` decides which requests meet a fault. */
export async function listen(handle: Handler, faults?: Faults): Promise<Listener> {
  const server = createServer((request, response) => {
    serve(request, response, handle, faults).catch(() => response.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, LOOPBACK, resolve));
  const { port } = addressOf(server.address());
  return {
    origin: `http://${LOOPBACK}:${port}`,
    async stop() {
      if (!server.listening) return;
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      server.closeAllConnections();
      await closed;
    },
  };
}

async function serve(
  request: IncomingMessage,
  response: ServerResponse,
  handle: Handler,
  faults: Faults | undefined,
): Promise<void> {
  const body = await readBody(request);
  if (body === undefined)
    return send(response, json(413, { message: "request is too large", error: "ERR max request size exceeded" }));
  const asked = { method: request.method ?? "GET", path: request.url ?? "/", headers: request.headers, body };
  // A request without a body is known by its path.
  const fault = faults?.meet(body === "" ? asked.path : body);
  if (fault === undefined) return send(response, await handle(asked));
  await spoil(fault, response, () => handle(asked));
}

/** Answers as the fault has it. */
async function spoil(fault: Fault, response: ServerResponse, work: () => Promise<WireAnswer>): Promise<void> {
  switch (fault.kind) {
    case "refuse":
      response.destroy();
      return;
    case "hang":
      await new Promise((resolve) => response.once("close", resolve));
      return;
    case "delay":
      await new Promise((resolve) => setTimeout(resolve, fault.delayMs ?? 1000));
      return send(response, await work());
    case "cut":
      return cutShort(response, await work());
    case "html":
      return send(response, { status: 500, contentType: "text/html", body: "<html><body><h1>500</h1></body></html>" });
    case "unauthorized":
      return send(response, json(401, { error: "WRONGPASS invalid or missing auth token", message: "unauthorized" }));
    case "too_many":
      return send(response, json(429, { error: "ERR max requests limit exceeded", message: "too many requests" }));
    case "garbage":
      return send(response, { status: 200, contentType: "application/json", body: '{"result":' });
  }
}

function send(response: ServerResponse, { status, contentType, body }: WireAnswer): void {
  response.writeHead(status, { "Content-Type": contentType, "Content-Length": Buffer.byteLength(body) }).end(body);
}

/** The head promises the whole, half of it comes, and the connection ends. */
function cutShort(response: ServerResponse, { status, contentType, body }: WireAnswer): void {
  const bytes = Buffer.from(body);
  response.writeHead(status, { "Content-Type": contentType, "Content-Length": bytes.length });
  response.write(bytes.subarray(0, Math.floor(bytes.length / 2)), () => response.destroy());
}

async function readBody(request: IncomingMessage): Promise<string | undefined> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request) {
    const bytes = Buffer.from(chunk);
    size += bytes.length;
    if (size > MAX_BYTES) return undefined;
    chunks.push(bytes);
  }
  return Buffer.concat(chunks).toString("utf8");
}

function addressOf(address: string | AddressInfo | null): AddressInfo {
  if (address === null || typeof address === "string") throw new Error("The server listens on no port.");
  return address;
}
