/**
 * Looks names up through DNS over HTTPS (RFC 8484), which every public resolver speaks and a Worker can: it has no sockets for UDP, and its
 * `fetch` does not tell what a name resolved to. The wire format and not JSON, which has no standard: Cloudflare itself advises
 * against its JSON "for critical use cases", and others have none.
 *
 * @module
 */
import type { Address } from "../../shared/address.ts";
import { BackendDown } from "../../shared/backend-down.ts";
import { type AddressRecord, readAddresses, writeQuestion } from "../../shared/dns-message.ts";
import type { Breaker } from "./breaker.ts";

/**
 * The addresses that a name has, none where there is no such name. Aliases are followed by the resolver. Rejects with `BackendDown` when it did
 * not answer, or could not.
 */
export type Resolve = (name: string, record: AddressRecord, signal: AbortSignal) => Promise<readonly Address[]>;

const MEDIA_TYPE = "application/dns-message";

/** Builds it for a resolver such as `https://cloudflare-dns.com/dns-query`. */
export function createResolve(url: string, breaker: Breaker, clock: () => number): Resolve {
  return async (name, record, signal) => {
    const question = writeQuestion(name, record);
    // No resolver knows a name that cannot be written.
    if (question === null) return [];
    return breaker(clock(), async () => {
      try {
        return await ask(url, question, record, signal);
      } catch (error) {
        throw new BackendDown("dns", error);
      }
    });
  };
}

async function ask(
  url: string,
  question: Uint8Array<ArrayBuffer>,
  record: AddressRecord,
  signal: AbortSignal,
): Promise<readonly Address[]> {
  const response = await fetch(url, {
    method: "POST",
    redirect: "manual",
    headers: { "Content-Type": MEDIA_TYPE, Accept: MEDIA_TYPE },
    body: question,
    signal,
  });
  // An answer that is not read to its end keeps its connection.
  const message = new Uint8Array(await response.arrayBuffer());
  if (response.status !== 200) throw new Error(`the resolver answered ${response.status}`);
  const answer = readAddresses(message, record);
  if (!answer.ok) throw new Error(`the resolver's answer cannot be used: ${answer.fault}`);
  return answer.addresses;
}
