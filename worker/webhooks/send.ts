/**
 * One attempt to deliver one message, over HTTP.
 *
 * @module
 */
import { cleanText } from "../../shared/click.ts";
import { type Signable, signatureHeaders } from "./sign.ts";

/** Sends a request; rejects when there is no answer. */
export type Fetch = (url: string, init: RequestInit) => Promise<Response>;

/** What the receiver made of it. `askedMs`: the pause that it asked for. */
export type Reception =
  | { readonly kind: "taken"; readonly status: number }
  | { readonly kind: "refused"; readonly status: number; readonly askedMs: number }
  /** It will never take anything again (410). */
  | { readonly kind: "gone"; readonly status: number }
  | { readonly kind: "silent"; readonly reason: string };

/** Standard Webhooks recommends 15 to 30 s. */
const LIMIT_MS = 15_000;
const MAX_REASON_CHARACTERS = 200;

/**
 * Sends a message once. Anything but a status of 2xx is a failure, a redirect too: the address was judged, where it leads was not.
 * What the answer says beyond its status is not read. Never rejects.
 */
export async function sendOnce(
  fetch: Fetch,
  url: string,
  secrets: readonly string[],
  message: Signable,
): Promise<Reception> {
  try {
    const response = await fetch(url, {
      method: "POST",
      redirect: "manual",
      headers: {
        "Content-Type": "application/json",
        "User-Agent": "Hop-Webhooks/1",
        ...(await signatureHeaders(secrets, message)),
      },
      body: message.body,
      signal: AbortSignal.timeout(LIMIT_MS),
    });
    // A body that nobody reads holds its connection.
    await response.body?.cancel();
    const { status } = response;
    if (status >= 200 && status < 300) return { kind: "taken", status };
    if (status === 410) return { kind: "gone", status };
    return { kind: "refused", status, askedMs: askedMs(response.headers.get("Retry-After")) };
  } catch (error) {
    const reason = error instanceof Error ? `${error.name}: ${error.message}` : "no answer";
    return { kind: "silent", reason: cleanText(reason, MAX_REASON_CHARACTERS) ?? "no answer" };
  }
}

/** The seconds of a `Retry-After`; its other form, a date, is left unread. */
function askedMs(retryAfter: string | null): number {
  return retryAfter !== null && /^\d{1,6}$/.test(retryAfter) ? Number(retryAfter) * 1000 : 0;
}
