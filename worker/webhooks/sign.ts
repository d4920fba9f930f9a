/**
 * Signs messages as Standard Webhooks asks (https://github.com/standard-webhooks/standard-webhooks, spec, "Verifying webhook authenticity").
 *
 * @module
 */

/** How many random bytes a secret has; the specification asks for 24 to 64. */
const SECRET_BYTES = 32;
const PREFIX = "whsec_";

/** A new secret: `whsec_` and 32 random bytes in base64. */
export function newSecret(): string {
  return `${PREFIX}${base64(crypto.getRandomValues(new Uint8Array(SECRET_BYTES)))}`;
}

/** One message to be signed. */
export interface Signable {
  /** The same at each attempt. */
  readonly id: string;
  /** When this attempt is made, in epoch milliseconds: a receiver refuses what is minutes old. */
  readonly now: number;
  readonly body: string;
}

/**
 * The three headers: id, time in seconds, and `v1,<HMAC-SHA256 of id.time.body in base64>` for each secret, divided by spaces, so that
 * a receiver that knows one of them can verify it. Throws for a secret that {@link newSecret} did not make.
 */
export async function signatureHeaders(
  secrets: readonly string[],
  { id, now, body }: Signable,
): Promise<Readonly<Record<string, string>>> {
  const seconds = String(Math.floor(now / 1000));
  const signed = new TextEncoder().encode(`${id}.${seconds}.${body}`);
  const signatures = await Promise.all(secrets.map(async (secret) => `v1,${await hmac(secret, signed)}`));
  return { "webhook-id": id, "webhook-timestamp": seconds, "webhook-signature": signatures.join(" ") };
}

async function hmac(secret: string, signed: Uint8Array): Promise<string> {
  if (!secret.startsWith(PREFIX)) throw new TypeError(`a webhook's secret does not begin with ${PREFIX}`);
  const bytes = Uint8Array.from(atob(secret.slice(PREFIX.length)), (character) => character.charCodeAt(0));
  const key = await crypto.subtle.importKey("raw", bytes, { name: "HMAC", hash: "SHA-256" }, false, ["sign"]);
  return base64(new Uint8Array(await crypto.subtle.sign("HMAC", key, signed)));
}

function base64(bytes: Uint8Array): string {
  return btoa(String.fromCharCode(...bytes));
}
