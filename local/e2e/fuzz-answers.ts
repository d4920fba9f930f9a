/**
 * Sends requests as they are made, many at once, and judges what comes back.
 *
 * @module
 */
import { Agent, request as send } from "node:http";
import { isRecord, parseJson } from "../../shared/json.ts";
import { isProblemCode, PROBLEMS } from "../../shared/problem.ts";
import { createDice } from "../../shared/testing/dice.ts";
import { curlOf, type FuzzRequest } from "./fuzz-making.ts";
import type { MakeRequests } from "./fuzz-requests.ts";
import type { World } from "./fuzz-world.ts";

/** Far more than any call takes: what runs into it hangs. */
const HANGS_AFTER_MS = 40_000;
const AT_ONCE = 16;
/** How often a request is sent that is told to come back. */
const ATTEMPTS = 4;
/** Faults that are told; one fault often shows many times. */
const TOLD = 20;

/** An answer, read to its end. */
export interface FuzzAnswer {
  readonly status: number;
  /** By name in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
}

/** What the platform itself answers to what it hands to no Worker. */
const OF_THE_PLATFORM = new Set(["400 invalid URI", "414 URI too long", "501 ERROR: Unrecognized request method."]);

/** What came of a run. */
export interface Ran {
  readonly requests: number;
  /** How many answers had each status. */
  readonly statuses: ReadonlyMap<number, number>;
  /** What was wrong, each with its request as a command; the first ones. */
  readonly faults: readonly string[];
}

/** A run. */
export interface Run {
  readonly origin: string;
  readonly seed: number;
  readonly requests: number;
  readonly make: MakeRequests;
  readonly world: World;
  /** What the service logged of a request, by its id. */
  readonly logged: (requestId: string) => readonly string[];
}

/** Sends requests until there were as many as asked for; each follows from the seed, its number and what was learnt. Never rejects for an answer. */
export async function fuzz({ origin, seed, requests, make, world, logged }: Run): Promise<Ran> {
  const agent = new Agent({ keepAlive: true, maxSockets: AT_ONCE });
  const statuses = new Map<number, number>();
  const faults: string[] = [];
  let sent = 0;
  let turn = 0;
  const work = async (): Promise<void> => {
    while (sent < requests && faults.length < TOLD) {
      turn += 1;
      for (const asked of make(createDice(seed * 2 ** 32 + turn))) {
        sent += 1;
        const answer = await insist(origin, agent, asked);
        const found = typeof answer === "string" ? [answer] : judge(asked, answer);
        if (found.length > 0) {
          const id = typeof answer === "string" ? undefined : answer.headers["x-request-id"];
          const lines = [...found, curlOf(origin, asked), ...(id === undefined ? [] : logged(id))];
          faults.push(lines.join("\n  "));
          // At once: a run that is ended, or runs out of its time, has told what it found.
          process.stdout.write(`${lines.join("\n  ")}\n`);
        }
        if (typeof answer === "string") continue;
        statuses.set(answer.status, (statuses.get(answer.status) ?? 0) + 1);
        world.learn(asked.path, answer.headers["etag"], answer.text);
      }
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  agent.destroy();
  return { requests: sent, statuses, faults };
}

/** The answer, as a caller gets it who comes back when told to: on a busy machine a backend may be too slow for its time limit. */
async function insist(origin: string, agent: Agent, asked: FuzzRequest): Promise<FuzzAnswer | string> {
  for (let attempt = 1; ; attempt += 1) {
    const answer = await answerTo(origin, agent, asked);
    const isTold = typeof answer !== "string" && answer.status === 503 && asked.headers["Sec-Purpose"] === undefined;
    if (!isTold || attempt === ATTEMPTS) return answer;
    const seconds = Number(answer.headers["retry-after"]);
    if (!(seconds > 0)) return answer;
    await new Promise((resolve) => void setTimeout(resolve, seconds * 1000));
  }
}

/** The answer, or what happened in its place. */
function answerTo(origin: string, agent: Agent, asked: FuzzRequest): Promise<FuzzAnswer | string> {
  const { hostname, port } = new URL(origin);
  const { method, path, headers, body } = asked;
  return new Promise((resolve) => {
    const whole = body === undefined ? headers : { ...headers, "Content-Length": String(body.length) };
    const signal = AbortSignal.timeout(HANGS_AFTER_MS);
    const sent = send({ hostname, port, agent, method, path, headers: whole, signal }, (response) => {
      const parts: Buffer[] = [];
      response.on("data", (part: Buffer) => parts.push(part));
      response.on("error", (error) => resolve(`the answer broke off: ${error.message}`));
      response.on("end", () => {
        const text = Buffer.concat(parts).toString("utf8");
        const entries = Object.entries(response.headers).map(([name, value]) => [name, String(value)]);
        resolve({ status: response.statusCode ?? 0, headers: Object.fromEntries(entries), text });
      });
    });
    sent.on("error", (error) => resolve(signal.aborted ? "no answer came" : `no answer: ${error.message}`));
    sent.end(body);
  });
}

function isOfThePlatform(method: string, status: number, requestId: string | undefined, text: string): boolean {
  if (OF_THE_PLATFORM.has(`${status} ${text}`)) return true;
  return (
    requestId === undefined && method === "HEAD" && [...OF_THE_PLATFORM].some((told) => told.startsWith(`${status} `))
  );
}

/** What is wrong with an answer, whatever was asked. */
function judge({ method, path, headers: asked }: FuzzRequest, { status, headers, text }: FuzzAnswer): string[] {
  const told = `${status} ${text.slice(0, 300)}`;
  if (isOfThePlatform(method, status, headers["x-request-id"], text)) return [];
  // A browser that looks ahead at a limited link is told to come back.
  if (status === 503 && asked["Sec-Purpose"] !== undefined) return [];
  if (status >= 500) return [`a failure: ${told}`];
  const faults: string[] = [];
  if (!/^[\w-]{8,}$/.test(headers["x-request-id"] ?? "")) faults.push(`no request id: ${told}`);
  const { location } = headers;
  // oxlint-disable-next-line no-control-regex -- control characters are what it looks for
  if (status >= 300 && status < 400 && status !== 304 && !/^https?:\/\/[^\u0000-\u0020]+$/.test(location ?? ""))
    faults.push(`a redirect to ${location}`);
  const { pathname } = new URL(`http://x${path}`);
  if (!/^\/(?:api(?:\/|$)|metrics$)/.test(pathname)) return faults;
  if (status >= 400 && method.toUpperCase() !== "HEAD")
    faults.push(...judgeProblem(path, pathname, { status, headers, text }));
  if (
    headers["content-type"]?.startsWith("application/json") === true &&
    method !== "HEAD" &&
    parseJson(text) === undefined
  )
    faults.push(`JSON that is none: ${told}`);
  return faults;
}

function judgeProblem(path: string, pathname: string, { status, headers, text }: FuzzAnswer): string[] {
  const document = parseJson(text);
  const told = `${status} ${headers["content-type"]} ${text.slice(0, 300)}`;
  if (headers["content-type"] !== "application/problem+json" || !isRecord(document))
    return [`no problem document: ${told}`];
  const { code, detail, instance, title, type } = document;
  if (typeof code !== "string" || !isProblemCode(code)) return [`an unknown code: ${told}`];
  const isWhole = [detail, title, type].every((field) => typeof field === "string" && field !== "");
  const isTrue =
    document["status"] === status &&
    PROBLEMS[code].status === status &&
    (instance === pathname || /[^\u0021-\u007e]/.test(path));
  const wants = { 401: "www-authenticate", 405: "allow", 429: "retry-after" }[status];
  const isTold = wants === undefined || headers[wants] !== undefined;
  return isWhole && isTrue && isTold ? [] : [`a problem document that is not whole: ${told}`];
}
