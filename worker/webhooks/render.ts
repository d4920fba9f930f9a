/**
 * What is sent: `{ "type", "timestamp", "data" }`, made of what the outbox has of an event.
 *
 * @module
 */
import { BackendDown } from "../../shared/backend-down.ts";
import { isRecord, parseJson } from "../../shared/json.ts";
import { shortUrlAt } from "../../shared/link.ts";
import type { LinkShown } from "../../shared/schema/link.ts";
import type { DeliverParts } from "./deliver.ts";
import type { DueDelivery } from "./store.ts";

/**
 * Reads rows of links as the triggers kept them (JSON), and shows each as the API does, in the same order. Rejects with `BackendDown` when
 * nobody can be asked, and otherwise when a row cannot be read.
 */
export type ShowLinks = (rows: readonly string[]) => Promise<readonly LinkShown[]>;

/** Events whose payload is the row of a link. */
const OF_LINKS: ReadonlySet<string> = new Set(["link.created", "link.updated", "link.deleted"]);

/** Builds the renderer. One that cannot be read is left out, and takes no other along. */
export function createRender(showLinks: ShowLinks): DeliverParts["render"] {
  return async (deliveries) => {
    const ofLinks = deliveries.filter(({ type }) => OF_LINKS.has(type));
    const links =
      ofLinks.length === 0
        ? []
        : await showEach(
            showLinks,
            ofLinks.map(({ payload }) => payload),
          );
    const linkOf = new Map(ofLinks.map(({ id }, index) => [id, links[index]]));
    return new Map(
      deliveries.flatMap((delivery): [string, string][] => {
        const data = OF_LINKS.has(delivery.type) ? linkOf.get(delivery.id) : dataIn(delivery);
        if (data === undefined) return [];
        const timestamp = new Date(delivery.occurredAt).toISOString();
        return [[delivery.id, JSON.stringify({ type: delivery.type, timestamp, data })]];
      }),
    );
  };
}

/** All at once, or one by one where one of them cannot be read. */
async function showEach(showLinks: ShowLinks, rows: readonly string[]): Promise<readonly (LinkShown | undefined)[]> {
  try {
    return await showLinks(rows);
  } catch (error) {
    if (error instanceof BackendDown) throw error;
    if (rows.length === 1) return [undefined];
    return (await Promise.all(rows.map((row) => showEach(showLinks, [row])))).flat();
  }
}

/** The payload of a click has its link without the address, which takes more than SQL to write. */
function dataIn({ payload }: DueDelivery): unknown {
  const data = parseJson(payload);
  if (!isRecord(data) || !isRecord(data["link"])) return data;
  const { domain, shortCode } = data["link"];
  if (typeof domain !== "string" || typeof shortCode !== "string") return undefined;
  return { ...data, link: { ...data["link"], shortUrl: shortUrlAt(`https://${domain}`, shortCode) } };
}
