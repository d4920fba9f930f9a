/**
 * Upstash's REST protocol: a command as a JSON array at `/`, several at `/pipeline` and `/multi-exec`. Speaks the protocol
 * and leaves the work to an engine.
 *
 * @module
 */
import { parseJson } from "../../shared/json.ts";
import { type Handler, json } from "../listener.ts";
import type { Command, RedisEngine, Reply } from "./engine.ts";

interface Answer {
  readonly result?: Reply;
  readonly error?: string;
}

/** Builds the handler over an engine. */
export function upstashHandler(engine: RedisEngine, token: string): Handler {
  return async ({ path, headers, body }) => {
    if (headers.authorization !== `Bearer ${token}`) {
      return json(401, { error: "WRONGPASS invalid or missing auth token" });
    }
    const encode = headers["upstash-encoding"] === "base64" ? inBase64 : (answer: Answer) => answer;
    const value = parseJson(body);
    if (path === "/") {
      const command = readCommand(value);
      if (command === undefined) return json(400, { error: "ERR failed to parse command" });
      const answer = await answerOf(engine.run(command));
      return json(answer.error === undefined ? 200 : 400, encode(answer));
    }
    const commands = readCommands(value);
    if (commands === undefined) return json(400, { error: "ERR failed to parse pipeline request" });
    if (path === "/pipeline") {
      const answers: Answer[] = [];
      for (const command of commands) answers.push(await answerOf(engine.run(command)));
      return json(200, answers.map(encode));
    }
    if (path === "/multi-exec") {
      const replies = await engine.transact(commands);
      const answers = replies.map((reply) => (reply instanceof Error ? { error: reply.message } : { result: reply }));
      return json(200, answers.map(encode));
    }
    return json(404, { error: "ERR not found" });
  };
}

async function answerOf(running: Promise<Reply>): Promise<Answer> {
  try {
    return { result: await running };
  } catch (error) {
    return { error: error instanceof Error ? error.message : String(error) };
  }
}

function readCommands(value: unknown): Command[] | undefined {
  if (!Array.isArray(value)) return undefined;
  const list: readonly unknown[] = value;
  const commands = list.map(readCommand);
  return commands.every((command) => command !== undefined) ? commands : undefined;
}

function readCommand(value: unknown): Command | undefined {
  if (!Array.isArray(value)) return undefined;
  const list: readonly unknown[] = value;
  const [name, ...args] = list.map((part) => (typeof part === "string" ? part : JSON.stringify(part)));
  return name === undefined ? undefined : [name, ...args];
}

/** "OK" stays as it is: that is how the client tells a status line. */
function inBase64(answer: Answer): Answer {
  return answer.result === undefined ? answer : { result: encodeReply(answer.result) };
}

function encodeReply(reply: Reply): Reply {
  if (typeof reply === "string") return reply === "OK" ? reply : Buffer.from(reply, "utf8").toString("base64");
  if (typeof reply === "number" || reply === null) return reply;
  return reply.map((item) => encodeReply(item));
}
