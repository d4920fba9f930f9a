/**
 * Keeps what a caller sends and gets from everybody who has only the database: both may hold secrets, such as a new API key. What
 * seals it is derived from the caller's own API key, which is kept nowhere.
 *
 * @module
 */
import { toHex } from "../../../shared/hex.ts";

/** The seal of one caller. */
export interface Seal {
  /** What stands for a request, as hex: an HMAC-SHA-256 of its address and its body. */
  readonly fingerprint: (address: string, body: Uint8Array) => Promise<string>;
  /** Encrypts a text, as hex: 12 random bytes and AES-256-GCM, which binds it to `name`. */
  readonly close: (text: string, name: string) => Promise<string>;
  /** Decrypts what {@link Seal.close} made under this name. Rejects for anything else. */
  readonly open: (sealed: string, name: string) => Promise<string>;
}

const IV_BYTES = 12;
const encoder = new TextEncoder();

/** Derives the seal from an API key (HKDF-SHA-256, RFC 5869). */
export async function createSeal(apiKey: string): Promise<Seal> {
  const material = await crypto.subtle.importKey("raw", encoder.encode(apiKey), "HKDF", false, ["deriveKey"]);
  const [signs, encrypts] = await Promise.all([
    crypto.subtle.deriveKey(hkdf("fingerprint"), material, { name: "HMAC", hash: "SHA-256", length: 256 }, false, [
      "sign",
    ]),
    crypto.subtle.deriveKey(hkdf("answer"), material, { name: "AES-GCM", length: 256 }, false, ["encrypt", "decrypt"]),
  ]);
  return {
    async fingerprint(address, body) {
      // No address holds a line break, so that no two pairs are the same bytes.
      const message = new Blob([address, "\n", body]);
      return toHex(new Uint8Array(await crypto.subtle.sign("HMAC", signs, await message.arrayBuffer())));
    },
    async close(text, name) {
      const iv = crypto.getRandomValues(new Uint8Array(IV_BYTES));
      const sealed = await crypto.subtle.encrypt(gcm(iv, name), encrypts, encoder.encode(text));
      return toHex(iv) + toHex(new Uint8Array(sealed));
    },
    async open(sealed, name) {
      const bytes = Uint8Array.from(sealed.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16));
      const iv = bytes.subarray(0, IV_BYTES);
      return new TextDecoder().decode(await crypto.subtle.decrypt(gcm(iv, name), encrypts, bytes.subarray(IV_BYTES)));
    },
  };
}

/** No salt: an API key has 256 random bits (RFC 5869, 3.1), and `ADMIN_KEY` should. */
function hkdf(use: string) {
  return { name: "HKDF", hash: "SHA-256", salt: new Uint8Array(), info: encoder.encode(`hop idempotency ${use}`) };
}

function gcm(iv: Uint8Array, name: string) {
  return { name: "AES-GCM", iv, additionalData: encoder.encode(name) };
}
