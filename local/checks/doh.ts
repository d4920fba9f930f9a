/**
 * A resolver that speaks DNS over HTTPS (RFC 8484) by POST, for names that it is told of. It writes the wire format by itself, with pointers and
 * with the whole chain of an alias, as public resolvers do.
 *
 * @module
 */
import { isIPv6 } from "node:net";
import type { Handler, WireAnswer } from "../listener.ts";

/** What a name has: addresses in the usual notation, or another name; or `"servfail"`, where nobody can say. */
export type DnsRecords = readonly string[] | { readonly alias: string } | "servfail";

/** Names in lower case, without a dot at the end. Those that are not there do not exist. */
export type Zone = ReadonlyMap<string, DnsRecords>;

const MEDIA_TYPE = "application/dns-message";
const TYPES = { A: 1, CNAME: 5, AAAA: 28 };
const [NO_ERROR, SERVER_FAILURE, NO_SUCH_NAME] = [0, 2, 3];
const TTL_SECONDS = 60;
/** Where the question's name stands in every message. */
const QUESTION_AT = 12;
const MAX_ALIASES = 8;

/** Answers questions for addresses; `asked` gets the name of each. */
export function dohHandler(zone: Zone, asked: string[]): Handler {
  return async ({ method, headers, body }) => {
    if (method !== "POST" || headers["content-type"] !== MEDIA_TYPE) return plain(415, "it takes a DNS message");
    // Lossless: a question for a name in ASCII has no byte above 0x7f.
    const query = Buffer.from(body);
    const { name, end } = readName(query, QUESTION_AT);
    const type = query.readUInt16BE(end);
    asked.push(name.toLowerCase());
    const question = query.subarray(QUESTION_AT, end + 4);
    const { rcode, records } = resolve(zone, name.toLowerCase(), type);
    const head = Buffer.alloc(QUESTION_AT);
    query.copy(head, 0, 0, 2);
    head.writeUInt16BE(0x8180 | rcode, 2);
    head.writeUInt16BE(1, 4);
    head.writeUInt16BE(records.length, 6);
    return { status: 200, contentType: MEDIA_TYPE, body: Buffer.concat([head, question, ...records]) };
  };
}

function resolve(zone: Zone, name: string, type: number): { rcode: number; records: Buffer[] } {
  const records: Buffer[] = [];
  let owner: Buffer = Buffer.from([0xc0, QUESTION_AT]);
  let at = name;
  for (let aliases = 0; aliases < MAX_ALIASES; aliases += 1) {
    const found = zone.get(at);
    if (found === undefined) return { rcode: NO_SUCH_NAME, records };
    if (found === "servfail") break;
    if (!("alias" in found)) {
      const wanted = found.filter((address) => (isIPv6(address) ? TYPES.AAAA : TYPES.A) === type);
      return { rcode: NO_ERROR, records: [...records, ...wanted.map((text) => record(owner, type, bytesOf(text)))] };
    }
    const target = writeName(found.alias);
    records.push(record(owner, TYPES.CNAME, target));
    [owner, at] = [target, found.alias];
  }
  return { rcode: SERVER_FAILURE, records: [] };
}

function record(owner: Buffer, type: number, data: Buffer): Buffer {
  const fields = Buffer.alloc(10);
  fields.writeUInt16BE(type, 0);
  fields.writeUInt16BE(1, 2);
  fields.writeUInt32BE(TTL_SECONDS, 4);
  fields.writeUInt16BE(data.length, 8);
  return Buffer.concat([owner, fields, data]);
}

function readName(message: Buffer, start: number): { name: string; end: number } {
  const labels: string[] = [];
  let at = start;
  for (let length = message.readUInt8(at); length > 0; length = message.readUInt8(at)) {
    labels.push(message.toString("latin1", at + 1, at + 1 + length));
    at += 1 + length;
  }
  return { name: labels.join("."), end: at + 1 };
}

function writeName(name: string): Buffer {
  return Buffer.concat([
    ...name.split(".").map((label) => Buffer.from(`${String.fromCharCode(label.length)}${label}`, "latin1")),
    Buffer.from([0]),
  ]);
}

function bytesOf(address: string): Buffer {
  if (!isIPv6(address)) return Buffer.from(address.split(".").map(Number));
  const groups = new URL(`http://[${address}]`).hostname.slice(1, -1).split("::");
  const [head = [], tail = []] = groups.map((part) => (part === "" ? [] : part.split(":")));
  const gap = Array.from({ length: 8 - head.length - tail.length }, () => "0");
  return Buffer.from([...head, ...gap, ...tail].map((group) => group.padStart(4, "0")).join(""), "hex");
}

function plain(status: number, body: string): WireAnswer {
  return { status, contentType: "text/plain", body };
}
