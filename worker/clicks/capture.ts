/**
 * Makes the click of a visit that is sent on: what was seen is noted while the visitor waits, and cleaned when it travels.
 *
 * @module
 */
import {
  type Click,
  CLICK_TEXT_LIMITS,
  cleanText,
  type IpMode,
  type PackedMessage,
  packMessages,
} from "../../shared/click.ts";
import type { Counts } from "../../shared/counters.ts";
import type { WaitUntil } from "../http/context.ts";
import { describeVisitor, isPrefetch, sight, type Sighting } from "../http/visitor.ts";
import { counterOf } from "../telemetry/counters.ts";
import type { Keep } from "./buffer.ts";
import type { VisitorHash } from "./visitor-hash.ts";

/** A visit as it was seen. */
export interface Visit {
  readonly linkId: string;
  /** Epoch milliseconds. */
  readonly at: number;
  /** Where the visitor was sent. */
  readonly destination: string;
  readonly seen: Sighting;
}

/** Where a visit went, and when. */
export type Departure = Omit<Visit, "seen">;

/** Counts one visit of a link, if it is one: a `GET` that no browser made ahead of its visitor. Returns at once. */
export type Capture = (request: Request, departure: Departure, waitUntil: WaitUntil) => void;

const captured = counterOf("clicks:captured");

/** Builds the capture over a buffer. */
export function createCapture(keep: Keep<Visit>): Capture {
  return (request, { linkId, at, destination }, waitUntil) => {
    if (request.method !== "GET" || isPrefetch(request)) return;
    captured.value += 1;
    keep({ linkId, at, destination, seen: sight(request) }, at, waitUntil);
  };
}

/** What turns visits into messages. */
export interface PackParts {
  readonly ipMode: IpMode;
  readonly visitorHash: VisitorHash;
  /** Gives a new UUID. */
  readonly mintId: () => string;
  /** What the isolate has counted, which rides along. */
  readonly takeCounts: () => Counts | undefined;
}

/** Each byte as two hex digits. */
const BYTES = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, "0"));

/**
 * The messages that carry some visits, each with an id that is minted here, once, so that it stays the same however often the
 * message is sent and delivered. At most 256 visits. Never rejects.
 */
export async function packVisits(
  visits: readonly Visit[],
  { ipMode, visitorHash, mintId, takeCounts }: PackParts,
): Promise<readonly PackedMessage[]> {
  // One random UUID for all of them: its last byte counts. 114 random bits are left, and a call of the system a click is saved.
  const stem = mintId().slice(0, -2);
  const clicks: Click[] = [];
  for (const [index, { linkId, at, destination, seen }] of visits.entries()) {
    // A promise only until the day's salt is known.
    const hash = visitorHash(seen, linkId, at);
    clicks.push({
      id: stem + (BYTES[index] ?? ""),
      linkId,
      at,
      destination: seen.untracked ? null : cleanText(destination, CLICK_TEXT_LIMITS.destination),
      visitor: hash instanceof Promise ? await hash : hash,
      ...describeVisitor(seen, ipMode),
    });
  }
  const counts = takeCounts();
  return packMessages(clicks, counts && { id: mintId(), counts });
}
