/**
 * `Idempotency-Key` (after draft-ietf-httpapi-idempotency-key-header): whoever does not know whether a POST got through sends it again
 * under the same key, and gets the first answer instead of a second link.
 *
 * @module
 */
import type { Context, Next } from "hono";
import { isRecord, parseJson } from "../../../shared/json.ts";
import type { ApiEnv } from "../../http/api-env.ts";
import { Refusal } from "../../http/problem.ts";
import { log } from "../../telemetry/log.ts";
import type { Caller } from "../keys.ts";
import { createSeal, type Seal } from "./seal.ts";
import type { Claim, Earlier, IdempotencyStore } from "./store.ts";

/** Runs the rest of a request, or answers what it came to the first time. `apiKey` is what the caller sent. */
export type Idempotently = (
  c: Context<ApiEnv>,
  caller: Caller,
  apiKey: string,
  next: Next,
) => Promise<Response | undefined>;

/** Longer than any POST takes. After it, a first that has not answered is taken for dead. */
export const LEASE_MS = 60_000;
const RETRY_AFTER_SECONDS = 1;
/** The body is hashed before it is run, so all of it is in memory. */
const MAX_BODY_BYTES = 16 * 1024 * 1024;
/** A larger answer is not kept; a repeat is told so. */
const MAX_ANSWER_CHARACTERS = 2 * 1024 * 1024;
/** What of an answer is kept beside status and body; all else is of the request that it was given to. */
const KEPT_HEADERS = ["Content-Type", "Location", "ETag", "Cache-Control"];
/** 1 to 255 printable characters of ASCII. */
const KEY = /^[ -~]{1,255}$/;

/** Builds it. */
export function createIdempotently(store: () => Promise<IdempotencyStore>, newHolder: () => string): Idempotently {
  return async (c, caller, apiKey, next) => {
    const key = c.req.method === "POST" ? c.req.header("Idempotency-Key") : undefined;
    if (key === undefined) {
      await next();
      return undefined;
    }
    if (!KEY.test(key)) throw unusable();
    const [seal, body, rows] = await Promise.all([createSeal(apiKey), readBody(c.req.raw), store()]);
    const { now, host, url } = c.env.scope;
    const fingerprint = await seal.fingerprint(`${host}${url.pathname}${url.search}`, body);
    const claim: Claim = { caller: caller.id, key, fingerprint, holder: newHolder() };
    const claimed = await rows.claim(claim, now, now + LEASE_MS);
    if (claimed === "claimed") {
      await run(c, claim, { rows, seal }, next);
      return undefined;
    }
    return repeat(claim, claimed, seal);
  };
}

interface Tools {
  readonly rows: IdempotencyStore;
  readonly seal: Seal;
}

/** What failed here may work the next time, so it is not kept. What cannot be kept does not take the answer from its caller. */
async function run(c: Context<ApiEnv>, claim: Claim, { rows, seal }: Tools, next: Next): Promise<void> {
  try {
    await next();
  } catch (error) {
    await quietly(c, rows.release(claim));
    throw error;
  }
  const isFinal = c.res.status < 500 && c.res.status !== 429;
  await quietly(
    c,
    isFinal
      ? writeAnswer(c.res).then(async (text) => rows.keep(claim, await seal.close(text, nameOf(claim))))
      : rows.release(claim),
  );
}

async function quietly(c: Context<ApiEnv>, work: Promise<void>): Promise<void> {
  try {
    await work;
  } catch (error) {
    log("error", "answer_not_kept", { requestId: c.env.scope.requestId }, error);
  }
}

async function repeat(claim: Claim, earlier: "running" | Earlier, seal: Seal): Promise<Response> {
  if (earlier !== "running" && earlier.fingerprint !== claim.fingerprint) {
    throw new Refusal(
      "idempotency_mismatch",
      "This Idempotency-Key was used for another request within 24 hours: another address, or another body. Take a new one.",
    );
  }
  if (earlier === "running" || earlier.answer === null) {
    throw new Refusal("idempotency_conflict", "The first request with this Idempotency-Key still runs. Ask again.", {
      headers: { "Retry-After": String(RETRY_AFTER_SECONDS) },
    });
  }
  return readAnswer(await seal.open(earlier.answer, nameOf(claim)));
}

/** What a sealed answer is bound to, so that nobody can put it in another's place. */
function nameOf({ caller, key, fingerprint }: Claim): string {
  return JSON.stringify([caller, key, fingerprint]);
}

async function writeAnswer(response: Response): Promise<string> {
  const { status, headers } = response;
  const body = await response.clone().text();
  if (body.length > MAX_ANSWER_CHARACTERS) return JSON.stringify({ status });
  const kept = KEPT_HEADERS.flatMap((name) => (headers.has(name) ? [[name, headers.get(name)]] : []));
  return JSON.stringify({ status, headers: Object.fromEntries(kept), body });
}

function readAnswer(text: string): Response {
  const kept = parseJson(text);
  const { status, headers, body } = isRecord(kept) ? kept : {};
  if (typeof body !== "string" || typeof status !== "number" || !isRecord(headers)) {
    throw new Refusal("conflict", "This was done the first time, but its answer was too large to be kept.");
  }
  const shown = new Headers({ "Idempotent-Replayed": "true" });
  for (const [name, value] of Object.entries(headers)) if (typeof value === "string") shown.set(name, value);
  return new Response(body === "" ? null : body, { status, headers: shown });
}

/** Reads a copy: the handlers read the body itself. */
async function readBody(request: Request): Promise<Uint8Array> {
  const parts: Uint8Array[] = [];
  let bytes = 0;
  for await (const part of request.clone().body ?? []) {
    bytes += part.byteLength;
    if (bytes > MAX_BODY_BYTES) {
      throw new Refusal("payload_too_large", `With an Idempotency-Key a body has at most ${MAX_BODY_BYTES} bytes.`);
    }
    parts.push(part);
  }
  return new Uint8Array(await new Blob(parts).arrayBuffer());
}

function unusable(): Refusal {
  const message = "takes 1 to 255 printable ASCII characters";
  return new Refusal("invalid_request", `The request cannot be used: Idempotency-Key ${message}.`, {
    errors: [{ path: "Idempotency-Key", message }],
  });
}
