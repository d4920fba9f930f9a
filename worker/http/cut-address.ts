/**
 * What is left of a client's address after `IP_MODE`.
 *
 * @module
 */
import { parseAddress } from "../../shared/address.ts";
import type { IpMode } from "../../shared/click.ts";

/** What truncation keeps: the network that a provider gives a customer or a street, as analytics services do. */
const IPV4_KEPT_BYTES = 3;
const IPV6_KEPT_BYTES = 6;
const IPV6_CLIENT_BYTES = 8;

const BYTE = String.raw`(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)`;
/** An IPv4 address as it is always written, which needs no parser. The group is its /24. */
const PLAIN_IPV4 = new RegExp(String.raw`^(${BYTE}\.${BYTE}\.${BYTE})\.${BYTE}$`);

/**
 * The address as `mode` lets it be kept, in its canonical form: whole, cut to /24 (IPv4) or /48 (IPv6), or not at all. Null too for
 * what is no address; a zone (`%eth0`) belongs to a machine and is dropped.
 */
export function cutAddress(text: string | null, mode: IpMode): string | null {
  if (text === null || mode === "none") return null;
  const plain = PLAIN_IPV4.exec(text);
  if (plain !== null) return mode === "full" ? text : `${plain[1] ?? ""}.0`;
  const hostname = canonicalHost(text.trim().split("%", 1)[0] ?? "");
  const bytes = hostname === null ? null : parseAddress(hostname);
  if (hostname === null || bytes === null) return null;
  if (mode === "full") return hostname.replace(/^\[|\]$/g, "");
  if (bytes.length === 4) return [...bytes.slice(0, IPV4_KEPT_BYTES), 0].join(".");
  const groups = [];
  for (let index = 0; index < IPV6_KEPT_BYTES; index += 2) {
    groups.push((((bytes[index] ?? 0) << 8) | (bytes[index + 1] ?? 0)).toString(16));
  }
  return canonicalHost(`${groups.join(":")}::`)?.replace(/^\[|\]$/g, "") ?? null;
}

/**
 * What one client has to itself and changes at will, for a limit to count by: of IPv6 the /64 that a connection gets (RFC 6177), else the address.
 */
export function clientNetwork(address: string): string {
  const bytes = address.includes(":") ? parseAddress(canonicalHost(address) ?? "") : null;
  return bytes === null ? address : bytes.slice(0, IPV6_CLIENT_BYTES).join(".");
}

/** The WHATWG parser's spelling, which is the shortest (RFC 5952 for IPv6). */
function canonicalHost(text: string): string | null {
  const authority = text.includes(":") ? `[${text}]` : text;
  return URL.canParse(`http://${authority}/`) ? new URL(`http://${authority}/`).hostname : null;
}
