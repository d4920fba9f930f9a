/**
 * What kind of place an IP address is: the table of every block that is not for hosts on the public internet.
 *
 * It reads addresses as `URL.hostname` holds them. The WHATWG host parser has by then turned decimal, octal, hex, short
 * and full-width notations into one, so what is left to parse here are four numbers, or groups in brackets.
 *
 * Source: IANA's IPv4 and IPv6 Special-Purpose Address Registries, its IPv4 and IPv6 Address Space registries, and for
 * forms that have been retired the RFC named in the row.
 *
 * @module
 */

/** The bytes of an address in network order: 4 of IPv4, 16 of IPv6. */
export type Address = readonly number[];

/** A block of addresses with a special purpose. */
export interface AddressBlock {
  /** The block as the registry writes it: `10.0.0.0/8`. */
  readonly cidr: string;
  readonly name: string;
  /** The RFC that says so. */
  readonly source: string;
  /** Where an IPv6 address of this block carries an IPv4 address, as a byte position; null when it carries none. */
  readonly ipv4At: number | null;
}

type Row = readonly [cidr: string, name: string, source: string, ipv4At?: number];

const ROWS: readonly Row[] = [
  ["0.0.0.0/8", "this network", "RFC 791"],
  ["10.0.0.0/8", "private use", "RFC 1918"],
  ["100.64.0.0/10", "shared by carrier-grade NAT", "RFC 6598"],
  ["127.0.0.0/8", "loopback", "RFC 1122"],
  ["169.254.0.0/16", "link-local", "RFC 3927"],
  ["172.16.0.0/12", "private use", "RFC 1918"],
  ["192.0.0.0/24", "IETF protocol assignments", "RFC 6890"],
  ["192.0.0.0/29", "IPv4 service continuity", "RFC 7335"],
  ["192.0.0.8/32", "IPv4 dummy address", "RFC 7600"],
  ["192.0.0.9/32", "Port Control Protocol anycast", "RFC 7723"],
  ["192.0.0.10/32", "TURN anycast", "RFC 8155"],
  ["192.0.0.170/31", "NAT64/DNS64 discovery", "RFC 8880"],
  ["192.0.2.0/24", "documentation (TEST-NET-1)", "RFC 5737"],
  ["192.31.196.0/24", "AS112-v4", "RFC 7535"],
  ["192.52.193.0/24", "AMT", "RFC 7450"],
  ["192.88.99.0/24", "retired 6to4 relay anycast", "RFC 7526"],
  ["192.168.0.0/16", "private use", "RFC 1918"],
  ["192.175.48.0/24", "direct delegation AS112", "RFC 7534"],
  ["198.18.0.0/15", "benchmarking", "RFC 2544"],
  ["198.51.100.0/24", "documentation (TEST-NET-2)", "RFC 5737"],
  ["203.0.113.0/24", "documentation (TEST-NET-3)", "RFC 5737"],
  ["224.0.0.0/4", "multicast", "RFC 5771"],
  ["240.0.0.0/4", "reserved", "RFC 1112"],
  ["255.255.255.255/32", "limited broadcast", "RFC 919"],
  // Unicast is handed out of 2000::/3 alone; whatever of the rest has no row of its own leads nowhere.
  ["::/3", "reserved by the IETF", "RFC 4291"],
  ["4000::/2", "reserved by the IETF", "RFC 4291"],
  ["8000::/1", "reserved by the IETF", "RFC 4291"],
  ["::/96", "retired IPv4-compatible form", "RFC 4291", 12],
  ["::/128", "unspecified", "RFC 4291"],
  ["::1/128", "loopback", "RFC 4291"],
  ["::ffff:0:0/96", "IPv4-mapped form", "RFC 4291", 12],
  ["::ffff:0:0:0/96", "IPv4-translated form", "RFC 2765", 12],
  ["64:ff9b::/96", "NAT64 form", "RFC 6052", 12],
  // Where this one carries its IPv4 address is the network's own choice (RFC 6052, 2.2).
  ["64:ff9b:1::/48", "local-use NAT64", "RFC 8215"],
  ["100::/64", "discard-only", "RFC 6666"],
  ["100:0:0:1::/64", "dummy prefix", "RFC 9780"],
  ["2001::/23", "IETF protocol assignments", "RFC 2928"],
  // Teredo carries the client's address with its bits turned round; it is refused whatever it holds.
  ["2001::/32", "Teredo", "RFC 4380"],
  ["2001:1::1/128", "Port Control Protocol anycast", "RFC 7723"],
  ["2001:1::2/128", "TURN anycast", "RFC 8155"],
  ["2001:1::3/128", "DNS-SD registration anycast", "RFC 9665"],
  ["2001:2::/48", "benchmarking", "RFC 5180"],
  ["2001:3::/32", "AMT", "RFC 7450"],
  ["2001:4:112::/48", "AS112-v6", "RFC 7535"],
  ["2001:10::/28", "retired ORCHID", "RFC 4843"],
  ["2001:20::/28", "ORCHIDv2", "RFC 7343"],
  ["2001:30::/28", "drone remote id", "RFC 9374"],
  ["2001:db8::/32", "documentation", "RFC 3849"],
  ["2002::/16", "6to4 form", "RFC 3056", 2],
  ["2620:4f:8000::/48", "direct delegation AS112", "RFC 7534"],
  ["3fff::/20", "documentation", "RFC 9637"],
  ["5f00::/16", "segment routing", "RFC 9602"],
  ["fc00::/7", "unique local", "RFC 4193"],
  ["fe80::/10", "link-local", "RFC 4291"],
  ["fec0::/10", "retired site-local", "RFC 3879"],
  ["ff00::/8", "multicast", "RFC 4291"],
];

const IPV4_BYTES = 4;
const IPV6_GROUPS = 8;

interface Range {
  readonly block: AddressBlock;
  readonly first: Address;
  readonly prefixBits: number;
}

/** The narrowest blocks first, so that the first match is the most telling. */
const RANGES: readonly Range[] = ROWS.map((row) => rangeOf(row)).toSorted((a, b) => b.prefixBits - a.prefixBits);

/** Every block of the table, the narrowest first. */
export const ADDRESS_BLOCKS: readonly AddressBlock[] = RANGES.map((range) => range.block);

/**
 * The bytes of an address as `URL.hostname` spells it, or null when the host is a name. IPv6 stands in brackets.
 *
 * @example
 * parseAddress("[::ffff:7f00:1]")?.slice(12).join(".") === "127.0.0.1"
 */
export function parseAddress(hostname: string): Address | null {
  if (hostname.startsWith("[") && hostname.endsWith("]")) return parseIpv6(hostname.slice(1, -1));
  return parseIpv4(hostname);
}

/** An address as people write it: four numbers, or the shortest form of IPv6 in brackets. */
export function writeAddress(address: Address): string {
  if (address.length === IPV4_BYTES) return address.join(".");
  const words = Array.from({ length: IPV6_GROUPS }, (_, at) =>
    (((address[at * 2] ?? 0) << 8) | (address[at * 2 + 1] ?? 0)).toString(16),
  );
  return new URL(`http://[${words.join(":")}]`).hostname;
}

/** The narrowest special-purpose block that holds an address, or null for an ordinary public one. */
export function specialBlock(address: Address): AddressBlock | null {
  return RANGES.find((range) => holds(range, address))?.block ?? null;
}

/** The IPv4 address that an IPv6 address carries inside (mapped, translated, NAT64, 6to4, compatible), or null. */
export function embeddedIpv4(address: Address): Address | null {
  const at = specialBlock(address)?.ipv4At ?? null;
  return at === null ? null : address.slice(at, at + IPV4_BYTES);
}

function holds(range: Range, address: Address): boolean {
  if (range.first.length !== address.length) return false;
  return range.first.every((byte, position) => {
    const bits = Math.min(8, Math.max(0, range.prefixBits - position * 8));
    return (byte ^ (address[position] ?? 0)) >> (8 - bits) === 0;
  });
}

function rangeOf([cidr, name, source, ipv4At]: Row): Range {
  const [base = "", bits = ""] = cidr.split("/");
  const first = base.includes(":") ? parseIpv6(base) : parseIpv4(base);
  if (first === null) throw new Error(`The address table holds "${cidr}", which is no block.`);
  return { block: { cidr, name, source, ipv4At: ipv4At ?? null }, first, prefixBits: Number(bits) };
}

function parseIpv4(text: string): Address | null {
  if (!/^\d{1,3}(?:\.\d{1,3}){3}$/.test(text)) return null;
  const bytes = text.split(".").map(Number);
  return bytes.every((byte) => byte <= 0xff) ? bytes : null;
}

/** The WHATWG serialiser writes groups of hex, at most one `::`, and never a dotted part. */
function parseIpv6(text: string): Address | null {
  const [head = "", tail, rest] = text.split("::");
  if (rest !== undefined) return null;
  const left = groups(head);
  const right = groups(tail ?? "");
  const gap = IPV6_GROUPS - left.length - right.length;
  if (tail === undefined ? gap !== 0 : gap < 1) return null;

  const all = [...left, ...Array.from({ length: gap }, () => 0), ...right];
  return all.every((group) => group <= 0xffff) ? all.flatMap((group) => [group >> 8, group & 0xff]) : null;
}

/** What is no group of hex becomes NaN, which is not a number of any size. */
function groups(text: string): number[] {
  if (text === "") return [];
  return text.split(":").map((group) => (/^[\da-f]{1,4}$/.test(group) ? Number.parseInt(group, 16) : Number.NaN));
}
