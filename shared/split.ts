/**
 * Which destination of a split a visitor gets: always the same one, with nothing stored anywhere.
 *
 * Rendezvous hashing with weights (Thaler, Ravishankar 1998; in the logarithmic form of Schindelhauer, Schomaker 2005): each destination gets a number
 * from visitor and destination alone, divided by its weight, and the least wins. Whoever changes a weight moves only the visitors that the
 * change needs; a destination that is added takes its share from the others, and one that is removed leaves its own to them. Nothing else
 * of the link, nor the order of anything, is part of it.
 *
 * @module
 */
import { parseAddress } from "./address.ts";
import type { Arm, Split } from "./rules.ts";
import { sipHash, type SipKey } from "./siphash.ts";

/** Public and the same everywhere: who wants another destination may have it, and all isolates must agree. Digits of pi. */
const KEY: SipKey = [0x243f6a88, 0x85a308d3 | 0, 0x13198a2e, 0x03707344];
/** Of an IPv6 address, what a visitor keeps while privacy addresses (RFC 8981) change daily: the network. */
const IPV6_KEPT_BYTES = 8;
/** Hex digits of a hash that a double holds exactly, with half a step to spare. */
const DIGITS = 13;
const STEPS = 16 ** DIGITS;

/**
 * Who a visitor is to one link: 64 bits in hex of the link's id, the address (of IPv6 its /64) and the user agent. Those who share
 * all of these are one visitor, and a browser that was updated is another.
 */
export function visitorOf(linkId: string, address: string | null, userAgent: string | null): string {
  return sipHash(KEY, `${linkId}\n${networkOf(address ?? "")}\n${userAgent ?? ""}`);
}

/** The destination of a visitor, as {@link visitorOf} names them. */
export function armOf({ split }: Split, visitor: string): Arm {
  let [chosen] = split;
  let least = Number.POSITIVE_INFINITY;
  for (const arm of split) {
    const hash = sipHash(KEY, `${visitor}\n${arm.longUrl}`);
    // Between 0 and 1, never either, so the logarithm is finite. What is left is exponential with the weight as its rate.
    const draw = (Number.parseInt(hash.slice(0, DIGITS), 16) + 0.5) / STEPS;
    const score = -Math.log(draw) / arm.weight;
    if (score < least) [chosen, least] = [arm, score];
  }
  return chosen;
}

/** What cannot be read counts as it stands. So does an address below ::/64, where IPv4 addresses are mapped. */
function networkOf(address: string): string {
  if (!address.includes(":")) return address;
  const network = parseAddress(`[${address.toLowerCase()}]`)?.slice(0, IPV6_KEPT_BYTES);
  return network === undefined || network.every((byte) => byte === 0) ? address : network.join(".");
}
