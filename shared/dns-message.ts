/**
 * As much of the DNS wire format (RFC 1035, section 4; RFC 3596) as it takes to ask for the addresses of a name and to read the answer.
 * Over HTTPS (RFC 8484) a message is never cut short, and its id is 0.
 *
 * @module
 */
import type { Address } from "./address.ts";

/** The records that hold addresses. */
export type AddressRecord = "A" | "AAAA";

/** Their types (IANA, DNS parameters), and how many bytes an address has. */
const RECORDS: Readonly<Record<AddressRecord, { readonly type: number; readonly bytes: number }>> = {
  A: { type: 1, bytes: 4 },
  AAAA: { type: 28, bytes: 16 },
};

const INTERNET = 1;
const HEADER_BYTES = 12;
/** Type and class behind a name; in an answer also the time to live and a length. */
const QUESTION_BYTES = 4;
const RECORD_BYTES = 10;
const MAX_LABEL_BYTES = 63;
/** As text, without a dot at the end (RFC 1035, section 2.3.4: 255 bytes on the wire). */
const MAX_NAME_CHARACTERS = 253;
/** A label's length with these bits is a pointer to where the name goes on (RFC 1035, section 4.1.4). */
const POINTER = 0xc0;

const IS_ANSWER = 0x8000;
const IS_CUT_SHORT = 0x0200;
const RECURSION_DESIRED = 0x0100;
const RCODE = 0x000f;
const NO_SUCH_NAME = 3;

/** What an answer says: the addresses, none where the name does not exist; or why it says nothing. */
export type DnsAnswer =
  | { readonly ok: true; readonly addresses: readonly Address[] }
  | { readonly ok: false; readonly fault: string };

/** The question for one kind of address; null for what cannot be a name in the DNS. `name` is ASCII, without a dot at its end. */
export function writeQuestion(name: string, record: AddressRecord): Uint8Array<ArrayBuffer> | null {
  const labels = name.split(".");
  if (name.length > MAX_NAME_CHARACTERS || /[^!-~]/.test(name)) return null;
  if (labels.some((label) => label === "" || label.length > MAX_LABEL_BYTES)) return null;
  return Uint8Array.from([
    ...[0, RECURSION_DESIRED, 1, 0, 0, 0].flatMap(twoBytes),
    ...labels.flatMap((label) => [label.length, ...new TextEncoder().encode(label)]),
    0,
    ...twoBytes(RECORDS[record].type),
    ...twoBytes(INTERNET),
  ]);
}

/**
 * Reads the addresses of one kind out of an answer, whatever names they stand under: a resolver that follows an alias (CNAME) answers the
 * whole chain.
 */
export function readAddresses(message: Uint8Array, record: AddressRecord): DnsAnswer {
  if (message.length < HEADER_BYTES) return fault("it is no DNS message");
  const view = new DataView(message.buffer, message.byteOffset, message.byteLength);
  const flags = view.getUint16(2);
  if ((flags & IS_ANSWER) === 0) return fault("it is no answer");
  if ((flags & IS_CUT_SHORT) !== 0) return fault("it is cut short");
  const rcode = flags & RCODE;
  if (rcode === NO_SUCH_NAME) return { ok: true, addresses: [] };
  if (rcode !== 0) return fault(`its RCODE is ${rcode}`);

  const [questions, answers] = [view.getUint16(4), view.getUint16(6)];
  const { type, bytes } = RECORDS[record];
  const addresses: Address[] = [];
  let at = HEADER_BYTES;
  for (let question = 0; question < questions; question += 1) at = afterName(message, at) + QUESTION_BYTES;
  for (let answer = 0; answer < answers; answer += 1) {
    at = afterName(message, at);
    const dataAt = at + RECORD_BYTES;
    if (dataAt > message.length) return fault("it ends early");
    const length = view.getUint16(at + 8);
    const end = dataAt + length;
    if (end > message.length) return fault("it ends early");
    const isAddress = view.getUint16(at) === type && view.getUint16(at + 2) === INTERNET && length === bytes;
    if (isAddress) addresses.push([...message.subarray(dataAt, end)]);
    at = end;
  }
  return { ok: true, addresses };
}

/** Where what follows a name begins; past the end of a message that ends in the middle of it. */
function afterName(message: Uint8Array, start: number): number {
  let at = start;
  for (;;) {
    const length = message[at];
    if (length === undefined) return message.length + 1;
    if (length === 0) return at + 1;
    if ((length & POINTER) === POINTER) return at + 2;
    at += 1 + length;
  }
}

function twoBytes(value: number): [number, number] {
  return [value >> 8, value & 0xff];
}

function fault(text: string): DnsAnswer {
  return { ok: false, fault: text };
}
