/**
 * Asks a reputation service what a URL is known for: the Lookup API of Google Web Risk (`uris.search`, v1).
 *
 * @module
 */
import { BackendDown } from "../../shared/backend-down.ts";
import { isRecord } from "../../shared/json.ts";
import type { Breaker } from "./breaker.ts";

/** The lists that a URL is on, as the service names them. Rejects with `BackendDown` when it did not answer, or not as it should. */
export type FindLists = (url: string, signal: AbortSignal) => Promise<readonly string[]>;

/** The service, and what it knows us by. */
export interface ReputationService {
  /** `https://webrisk.googleapis.com/v1/uris:search`, or a stand-in for it. */
  readonly url: string;
  readonly key: string;
}

/** The lists that are looked in. The fourth that there is, `SOCIAL_ENGINEERING_EXTENDED_COVERAGE`, is said to be less sure of itself. */
const LISTS = ["MALWARE", "SOCIAL_ENGINEERING", "UNWANTED_SOFTWARE"];

/** Builds it. The key travels in a header: what stands in an address ends up in logs. */
export function createFindLists({ url, key }: ReputationService, breaker: Breaker, clock: () => number): FindLists {
  return (asked, signal) =>
    breaker(clock(), async () => {
      try {
        const address = new URL(url);
        for (const list of LISTS) address.searchParams.append("threatTypes", list);
        address.searchParams.append("uri", asked);
        const response = await fetch(address, {
          redirect: "manual",
          headers: { "X-Goog-Api-Key": key, Accept: "application/json" },
          signal,
        });
        // An answer that is not read to its end keeps its connection.
        const text = await response.text();
        if (response.status !== 200) throw new Error(`the service answered ${response.status}`);
        return readLists(JSON.parse(text));
      } catch (error) {
        throw new BackendDown("reputation", error);
      }
    });
}

/** `{}` says that a URL is on no list. */
function readLists(answer: unknown): readonly string[] {
  const threat = isRecord(answer) ? answer["threat"] : null;
  if (threat === undefined) return [];
  const lists = isRecord(threat) ? threat["threatTypes"] : undefined;
  if (Array.isArray(lists) && lists.length > 0 && lists.every((list) => typeof list === "string")) return lists;
  throw new Error("the service's answer cannot be used");
}
