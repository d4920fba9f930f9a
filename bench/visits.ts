/**
 * Visits as a browser makes them, links to visit, and the least that Workers can do for one: what the benches of the redirect share.
 *
 * @module
 */
import { isRecord, parseJson } from "../shared/json.ts";
import { ADMIN_KEY, type Bench, CF_HEADER, HOST } from "./workerd.ts";

/** What a browser sends, and what Cloudflare's edge adds. */
export const VISITOR = {
  Host: HOST,
  "User-Agent":
    "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/141.0.0.0 Safari/537.36",
  Accept: "text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,*/*;q=0.8",
  "Accept-Encoding": "gzip, br",
  "Accept-Language": "de-DE,de;q=0.9,en;q=0.8",
  "CF-Connecting-IP": "203.0.113.77",
  "CF-IPCountry": "DE",
  "CF-Ray": "8f1c2d3e4a5b6c7d-FRA",
  "X-Forwarded-Proto": "https",
  [CF_HEADER]: JSON.stringify({
    asn: 3320,
    asOrganization: "Deutsche Telekom AG",
    city: "Berlin",
    clientTcpRtt: 14,
    colo: "FRA",
    continent: "EU",
    country: "DE",
    httpProtocol: "HTTP/2",
    isEUCountry: "1",
    latitude: "52.52437",
    longitude: "13.41053",
    postalCode: "10117",
    region: "Land Berlin",
    regionCode: "BE",
    requestPriority: "weight=256;exclusive=1",
    timezone: "Europe/Berlin",
    tlsCipher: "AEAD-AES128-GCM-SHA256",
    tlsVersion: "TLSv1.3",
  }),
};

/** The expression of a constant answer. */
export const CONSTANT = `new Response(null, { status: 302, headers: { Location: "https://example.com/landing?a=1#top", "Cache-Control": "no-store" } })`;

/** A Worker that asks Redis and Postgres over their own protocols, and nothing else. */
export const BACKENDS = `export default { async fetch(request, env) {
  const code = new URL(request.url).pathname.slice(1);
  const redis = await fetch(env.UPSTASH_REDIS_REST_URL, { method: "POST", headers: { Authorization: "Bearer " + env.UPSTASH_REDIS_REST_TOKEN },
    body: JSON.stringify(["GET", "nothing:" + code]) });
  await redis.json();
  const rows = await fetch(env.NEON_FETCH_ENDPOINT, { method: "POST", headers: { "Neon-Connection-String": env.DATABASE_URL, "Neon-Array-Mode": "true", "Neon-Raw-Text-Output": "true" },
    body: JSON.stringify({ query: "SELECT id, long_url FROM short_links WHERE domain = $1 AND short_code = $2", params: ["${HOST}", code] }) });
  await rows.json();
  return ${CONSTANT};
} };`;

/** Makes so many links; gives their codes. */
export async function createLinks(bench: Bench, count: number): Promise<string[]> {
  const codes: string[] = [];
  const make = async (at: number): Promise<void> => {
    codes.push(await createLink(bench, { longUrl: `https://example.com/landing?a=${at}#top` }));
  };
  for (let at = 0; at < count; at += 20) await Promise.all(Array.from({ length: 20 }, (_, next) => make(at + next)));
  return codes;
}

/** Makes one link; gives its code. */
export async function createLink(bench: Bench, fields: Readonly<Record<string, unknown>>): Promise<string> {
  const headers = { Authorization: `Bearer ${ADMIN_KEY}`, "Content-Type": "application/json" };
  const body = JSON.stringify(fields);
  const answer = await fetch(`${bench.target("HOP").origin}/api/v1/links`, { method: "POST", headers, body });
  const link = parseJson(await answer.text());
  if (isRecord(link) && answer.ok) return String(link["shortCode"]);
  throw new Error(`no link was made: ${answer.status} ${JSON.stringify(link)}`);
}
