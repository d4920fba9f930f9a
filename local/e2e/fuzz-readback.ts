/**
 * Whether every row that a run left can be read: by itself, in the list, by its redirect; and whether its destinations may be stored.
 *
 * @module
 */
import { isRecord, type JsonRecord } from "../../shared/json.ts";
import { checkUrl, type UrlPolicy } from "../../shared/url-policy.ts";
import { fieldOf, type Seen, see, type Service, stranger } from "./service.ts";

const AT_ONCE = 8;

/** Reads every row of the links back, all of which are of these domains; answers what was wrong. The rows have their tags also as `tags_json`. */
export async function readBack(
  service: Service,
  rows: readonly JsonRecord[],
  domains: readonly string[],
): Promise<string[]> {
  const faults: string[] = [];
  const listed = new Map<string, unknown>();
  for (const domain of domains)
    for (const link of await walk(service, domain, faults)) {
      const id = String(fieldOf(link, "id"));
      if (listed.has(id)) faults.push(`${id} is in the list twice`);
      listed.set(id, link);
    }
  if (listed.size !== rows.length) faults.push(`${listed.size} links are listed of ${rows.length}`);
  const waiting = rows.values();
  const policy: UrlPolicy = { schemes: ["http", "https"], allow: [], block: [], ownHosts: domains };
  const work = async (): Promise<void> => {
    for (const row of waiting) {
      const found = [
        ...policyFaults(row, policy),
        ...(await readFaults(service, row, listed.get(String(row["id"])))),
        ...(await visitFaults(service, row)),
      ];
      faults.push(...found.map((fault) => `${fault}: ${JSON.stringify(row)}`));
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  return faults;
}

async function walk(service: Service, domain: string, faults: string[]): Promise<unknown[]> {
  const links: unknown[] = [];
  let cursor = "";
  do {
    const page = await see(service.api("GET", `/links?limit=100&domain=${domain}${cursor}`));
    const found: unknown = fieldOf(page.body, "links");
    if (page.status !== 200 || !Array.isArray(found)) {
      faults.push(`a page of links is ${page.status}: ${page.text}`);
      break;
    }
    links.push(...found);
    const next = fieldOf(page.body, "nextCursor");
    cursor = typeof next === "string" ? `&cursor=${next}` : "";
  } while (cursor !== "");
  return links;
}

/** Every URL that the row holds, wherever it stands. */
function policyFaults(row: JsonRecord, policy: UrlPolicy): string[] {
  const urls = [row["long_url"], row["expired_url"], ...urlsIn(row["rules"])].filter((url) => typeof url === "string");
  return urls.flatMap((url) => {
    const verdict = checkUrl(url, policy);
    return verdict.ok && verdict.href === url ? [] : [`${url} may not be stored`];
  });
}

function urlsIn(value: unknown): unknown[] {
  if (Array.isArray(value)) return value.flatMap(urlsIn);
  if (!isRecord(value)) return [];
  return Object.entries(value).flatMap(([key, item]) => (key === "longUrl" ? [item] : urlsIn(item)));
}

async function readFaults(service: Service, row: JsonRecord, listed: unknown): Promise<string[]> {
  const query = `?domain=${String(row["domain"])}`;
  const seen = await see(service.api("GET", `/links/${encodeURIComponent(String(row["short_code"]))}${query}`));
  if (seen.status !== 200) return [`it is ${seen.status}`];
  const faults: string[] = [];
  const [own, other] = [still(seen.body), still(listed)];
  if (own !== other) faults.push(`the list has it otherwise: ${own} and ${other}`);
  const shown = [
    ["id", row["id"]],
    ["domain", row["domain"]],
    ["shortCode", row["short_code"]],
    ["longUrl", row["long_url"]],
    ["type", row["type"]],
    ["externalId", row["external_id"]],
    ["title", row["title"]],
    ["tags", row["tags_json"]],
    ["notes", row["notes"]],
    ["metadata", row["metadata"]],
    ["redirectStatus", row["redirect_status"]],
    ["forwardQuery", row["forward_query"]],
    ["forwardPath", row["forward_path"]],
    ["validSince", timeOf(row["valid_since"])],
    ["expireAt", timeOf(row["expire_at"])],
    ["expiredUrl", row["expired_url"]],
    ["maxClicks", row["max_clicks"]],
    ["disabled", row["disabled"]],
    ["createdAt", timeOf(row["created_at"])],
    ["updatedAt", timeOf(row["updated_at"])],
  ] as const;
  for (const [name, value] of shown) {
    if (JSON.stringify(fieldOf(seen.body, name)) !== JSON.stringify(value))
      faults.push(`${name} is shown as ${JSON.stringify(fieldOf(seen.body, name))}`);
  }
  const externalId = row["external_id"];
  if (typeof externalId === "string") {
    const named = await see(service.api("GET", `/links/${encodeURIComponent(`ext_${externalId}`)}${query}`));
    if (fieldOf(named.body, "id") !== row["id"]) faults.push(`by its external id it is ${named.status}: ${named.text}`);
  }
  return faults;
}

/** Without what clicks change meanwhile. */
function still(link: unknown): string {
  return isRecord(link) ? JSON.stringify({ ...link, clickCount: 0, lastClickAt: null }) : String(link);
}

function timeOf(value: unknown): string | null {
  return value instanceof Date ? value.toISOString() : null;
}

async function visitFaults(service: Service, row: JsonRecord): Promise<string[]> {
  const path = `https://${String(row["domain"])}/${encodeURIComponent(String(row["short_code"]))}`;
  const seen = await see(
    service.fetch(path, { headers: { ...stranger(), "User-Agent": "Mozilla/5.0 (X11; Linux x86_64)" } }),
  );
  return answers(row, seen) ? [] : [`its redirect is ${seen.status} to ${seen.headers["location"]}`];
}

/** Whether the answer of a redirect is what the row asks for. */
function answers(row: JsonRecord, { status, headers }: Seen): boolean {
  const now = Date.now();
  const at = (name: string): number => (row[name] instanceof Date ? row[name].getTime() : Number.NaN);
  const { location } = headers;
  const isEnded = row["expired_url"] === null ? status === 410 : status === 302 && location === row["expired_url"];
  if (row["disabled"] === true || at("valid_since") > now) return status === 404;
  const hasPassword = row["password_hash"] !== undefined && row["password_hash"] !== null;
  // Where an ended link leads is told to those who know the password.
  if (at("expire_at") <= now) return hasPassword && row["expired_url"] !== null ? status === 200 : isEnded;
  if (hasPassword) return status === 200 || (row["max_clicks"] !== null && isEnded);
  const targets = [row["long_url"], ...urlsIn(row["rules"])];
  const isSent = status === row["redirect_status"] && targets.includes(location);
  return isSent || (row["max_clicks"] !== null && isEnded);
}
