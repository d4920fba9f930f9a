/**
 * Which sequencer a place asks first. Every place has an order of its own that stays the same while shards stay the same, so
 * the sequencers spread over the world and each of them is asked by few places.
 *
 * @module
 */
import { continentOf, type LocationHint } from "../../shared/location-hint.ts";
import type { Place } from "../http/context.ts";

/** The hint of a machine: hints are dealt out in turn. */
export function hintOf(machine: number, hints: readonly LocationHint[]): LocationHint | undefined {
  return hints.length === 0 ? undefined : hints[machine % hints.length];
}

/**
 * The machine ids 0 to `shards` − 1 in the order in which a place asks them: those on its own continent first, each group by
 * rendezvous hashing (Thaler, Ravishankar 1998), so that a shard more or less moves no other.
 */
export function preferenceOf(place: Place, shards: number, hints: readonly LocationHint[]): number[] {
  const ranked = Array.from({ length: shards }, (_, machine) => {
    const hint = hintOf(machine, hints);
    const isNear = hint !== undefined && continentOf(hint) === place.continent;
    return { machine, isNear, weight: hashOf(`${place.colo}/${machine}`) };
  });
  ranked.sort((a, b) => Number(b.isNear) - Number(a.isNear) || b.weight - a.weight || a.machine - b.machine);
  return ranked.map(({ machine }) => machine);
}

/** FNV-1a of 32 bits with murmur3's last mixing step, without which near texts get near numbers. */
function hashOf(text: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at += 1) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}
