/**
 * Asks those whom the Worker asks about destinations, where it is to: a resolver over HTTPS, and Google Web Risk.
 *
 * @module
 */
import { readAddresses, writeQuestion } from "../../shared/dns-message.ts";
import { isRecord } from "../../shared/json.ts";
import type { Settings } from "../settings.ts";
import { CHECK_LIMIT_MS, type Finding, ok, problem, warning } from "./finding.ts";

/** A name and a page that are there, and harmless. */
const NAME = "example.com";
const PAGE = "https://example.com/";

/** Both, as far as they are switched on. */
export async function checkUrlChecks(settings: Settings): Promise<Finding[]> {
  return [...(await checkResolver(settings("DNS_CHECK_URL"))), ...(await checkReputation(settings))];
}

async function checkResolver(url: string): Promise<Finding[]> {
  if (url === "" || !URL.canParse(url)) return [];
  const mend = "Take the address of a resolver that speaks RFC 8484, such as https://cloudflare-dns.com/dns-query";
  try {
    const answer = await fetch(url, {
      method: "POST",
      redirect: "manual",
      headers: { "Content-Type": "application/dns-message", Accept: "application/dns-message" },
      body: writeQuestion(NAME, "A"),
      signal: AbortSignal.timeout(CHECK_LIMIT_MS),
    });
    const read = readAddresses(new Uint8Array(await answer.arrayBuffer()), "A");
    if (answer.status !== 200) return [problem("DNS_CHECK_URL", `answers ${answer.status}`, mend)];
    if (!read.ok) return [problem("DNS_CHECK_URL", `its answer cannot be used: ${read.fault}`, mend)];
    return [ok("DNS_CHECK_URL", `${new URL(url).host} knows names`)];
  } catch {
    return [problem("DNS_CHECK_URL", "cannot be reached", mend)];
  }
}

async function checkReputation(settings: Settings): Promise<Finding[]> {
  const [url, key] = [settings("REPUTATION_URL"), settings("REPUTATION_KEY")];
  if (url === "" && key === "") return [];
  if (url === "" || key === "") {
    const missing = url === "" ? "REPUTATION_URL" : "REPUTATION_KEY";
    return [warning(missing, "not set, so no reputation service is asked", "Set both, or neither.")];
  }
  if (!URL.canParse(url)) return [];
  const mend =
    "The address is https://webrisk.googleapis.com/v1/uris:search; the key's project needs the Web Risk API and billing.";
  try {
    const address = new URL(url);
    address.searchParams.append("threatTypes", "MALWARE");
    address.searchParams.append("uri", PAGE);
    const answer = await fetch(address, {
      redirect: "manual",
      headers: { "X-Goog-Api-Key": key },
      signal: AbortSignal.timeout(CHECK_LIMIT_MS),
    });
    const body: unknown = await answer.json();
    if (answer.status !== 200) return [problem("REPUTATION_URL", `answers ${answer.status}`, mend)];
    if (!isRecord(body)) return [problem("REPUTATION_URL", "its answer cannot be used", mend)];
    return [ok("REPUTATION_URL", `${address.host} knows the key`)];
  } catch {
    return [problem("REPUTATION_URL", "cannot be reached, or does not answer JSON", mend)];
  }
}
