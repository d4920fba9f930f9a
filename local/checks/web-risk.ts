/**
 * Google Web Risk's Lookup API (`GET /v1/uris:search`) for URLs that it is told of. Its answers, also its refusals, have the form that
 * Google's documentation shows.
 *
 * @module
 */
import { type Handler, json, type WireAnswer } from "../listener.ts";

/** The lists that a URL is on. */
export type Listed = ReadonlyMap<string, readonly string[]>;

/** Answers those who know the key; `asked` gets each URL. */
export function webRiskHandler(key: string, listed: Listed, asked: string[]): Handler {
  return async ({ method, path, headers }) => {
    const url = new URL(path, "http://localhost");
    if (method !== "GET" || url.pathname !== "/v1/uris:search") return refusal(404, "NOT_FOUND", "no such method");
    if (headers["x-goog-api-key"] !== key) return refusal(400, "INVALID_ARGUMENT", "API key not valid.");
    const uri = url.searchParams.get("uri");
    const types = url.searchParams.getAll("threatTypes");
    if (uri === null || types.length === 0) return refusal(400, "INVALID_ARGUMENT", "uri and threatTypes are required");
    asked.push(uri);
    const threatTypes = (listed.get(uri) ?? []).filter((type) => types.includes(type));
    if (threatTypes.length === 0) return json(200, {});
    return json(200, { threat: { threatTypes, expireTime: new Date(Date.now() + 300_000).toISOString() } });
  };
}

function refusal(status: number, word: string, message: string): WireAnswer {
  return json(status, { error: { code: status, message, status: word } });
}
