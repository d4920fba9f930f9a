/**
 * Makes the click of a visit that is sent on.
 *
 * @module
 */
import type { IpMode } from "../../shared/click.ts";
import type { WaitUntil } from "../http/context.ts";
import { describeVisitor, isPrefetch } from "../http/visitor.ts";
import type { AddClick } from "./buffer.ts";

/** Counts one visit of a link, if it is one: a `GET` that no browser made ahead of its visitor. Returns at once. */
export type Capture = (request: Request, linkId: string, at: number, waitUntil: WaitUntil) => void;

/** Builds the capture over the buffer. `mintId` gives a new UUID: minted here, it stays the same however often the message is delivered. */
export function createCapture(add: AddClick, mintId: () => string, ipMode: IpMode): Capture {
  return (request, linkId, at, waitUntil) => {
    if (request.method !== "GET" || isPrefetch(request)) return;
    add({ id: mintId(), linkId, at, ...describeVisitor(request, ipMode) }, waitUntil);
  };
}
