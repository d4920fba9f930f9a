/**
 * What each problem means to the one who meets it, for the page that its `type` names. It stands beside the table of problems and not in it:
 * a redirect needs the table, and none of these words.
 *
 * @module
 */
import type { ProblemCode } from "./problem.ts";

/** A problem in words. */
export interface ProblemHelp {
  /** What happened. */
  readonly happened: string;
  /** What the one who asked can do. */
  readonly remedy: string;
}

/** The words for every code. A code without them does not compile. */
export const PROBLEM_HELP: Readonly<Record<ProblemCode, ProblemHelp>> = {
  invalid_request: {
    happened: "Something in the path, the query, a header or the body cannot be used.",
    remedy: "Read errors: each entry names a field and says what it takes. A field that is not known is refused too.",
  },
  invalid_json: {
    happened: "The body is empty, is no JSON, or is not valid UTF-8.",
    remedy: "Send a JSON document in UTF-8, and check how your program quotes and encodes it.",
  },
  url_not_allowed: {
    happened:
      "The destination may not be linked to: its scheme is not allowed, its host is private or this service itself, it carries a user name, or the operator has ruled it out.",
    remedy: "Read detail, which says what is wrong with it, and use a public address without user name and password.",
  },
  code_taken: {
    happened: "Another link of this domain has the code already.",
    remedy: "Choose another code, leave it out and get a generated one, or change the link that has it.",
  },
  code_reserved: {
    happened: "The service uses this word itself, such as api or robots.txt.",
    remedy: "Choose another code.",
  },
  invalid_code: {
    happened:
      "The code cannot be one: it is empty or too long, holds characters that no code has, or looks like a generated one.",
    remedy:
      "Use 1 to 64 letters, digits and - _ . (not a dot at an end). detail suggests one that is free where it can.",
  },
  external_id_taken: {
    happened: "Another link of this domain has the external id already.",
    remedy: "Read that link as ext_ and the id, or use PUT, which creates or replaces the link with this external id.",
  },
  conflict: {
    happened:
      "The request is at odds with how things stand: a limit is reached, or other changes kept coming in between. Nothing was changed.",
    remedy: "Read detail, then read the thing again and repeat the change.",
  },
  not_found: {
    happened: "Nothing is at this address: no such link, or none for visitors just now, or no such address of the API.",
    remedy:
      "Check path and domain. Upper and lower case matter. A link that is switched off or begins later is not found either.",
  },
  method_not_allowed: {
    happened: "The address exists, and does not take this method.",
    remedy: "Use one of the methods that the header Allow names.",
  },
  gone: {
    happened: "The link has expired, or has had all the visits it was made for.",
    remedy: "Ask its owner, who can set expireAt or maxClicks anew, or an expiredUrl.",
  },
  unauthorized: {
    happened: "There is no key in the request, or one that is wrong, was revoked or has expired.",
    remedy: "Send Authorization: Bearer and a valid key. A key in the query is never read.",
  },
  forbidden: {
    happened: "The key is valid, and may not do this.",
    remedy: "Use a key that has the scope which detail names, or admin.",
  },
  precondition_failed: {
    happened: "The thing has changed since you read it: its ETag is none that If-Match names. Nothing was changed.",
    remedy: "Read it again, see whether your change still makes sense, and repeat it with the new ETag.",
  },
  idempotency_conflict: {
    happened: "The first request with this Idempotency-Key still runs.",
    remedy:
      "Wait for as many seconds as Retry-After says, then send the same request again: it gets the answer of the first.",
  },
  idempotency_mismatch: {
    happened: "This Idempotency-Key was used within 24 hours for another body, path, query or host.",
    remedy: "Take a new key for a new request. To repeat the first, send exactly what you sent then.",
  },
  password_required: {
    happened: "The link is opened with a password.",
    remedy: "Open it in a browser, or send the form field password by POST to the same address.",
  },
  wrong_password: {
    happened: "The password is not that of the link.",
    remedy: "Ask whoever gave you the link. After some attempts from one address there is a pause of a minute.",
  },
  payload_too_large: {
    happened: "The body is larger than this call takes.",
    remedy: "detail says how many bytes it takes. Send less, or divide it over several calls.",
  },
  unsupported_media_type: {
    happened: "The body is of a type that this call does not take.",
    remedy: "Send Content-Type: application/json, in UTF-8, unless the call's description names others.",
  },
  rate_limited: {
    happened: "Too many requests came with this key, or too many wrong keys or wrong links from this address.",
    remedy: "Wait for as many seconds as Retry-After says. RateLimit-Policy names the limit of a key.",
  },
  unavailable: {
    happened: "A part of the service cannot be reached just now. A change was made completely or not at all.",
    remedy:
      "Ask again after as many seconds as Retry-After says; a POST with an Idempotency-Key can be repeated without harm.",
  },
  internal: {
    happened: "Something went wrong here that nobody had foreseen.",
    remedy: "Tell the operator the X-Request-Id of the answer: the log has what happened under it.",
  },
};
