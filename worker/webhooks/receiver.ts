/**
 * Where messages may be sent: the same hosts as links may lead to, over TLS.
 *
 * @module
 */
import { checkUrl, type HostPattern, hostKey, matchesHost, type UrlPolicy } from "../../shared/url-policy.ts";

/** What receivers are allowed. */
export interface ReceiverPolicy {
  readonly policy: Pick<UrlPolicy, "block" | "ownHosts">;
  /** Hosts of the operator's own network, which may be private and may speak http. */
  readonly localHosts: readonly HostPattern[];
}

/** The address to be stored, or why it is refused. */
export type CheckedReceiver =
  | { readonly ok: true; readonly href: string }
  | { readonly ok: false; readonly message: string };

/** Judges an address. Names are not looked up, and nothing of the answer is shown but its status. */
export function checkReceiver(input: string, { policy, localHosts }: ReceiverPolicy): CheckedReceiver {
  const verdict = checkUrl(input, { ...policy, schemes: ["http", "https"], allow: [] });
  if (isLocal(input, localHosts)) return { ok: true, href: new URL(input).href };
  if (!verdict.ok) return verdict;
  if (verdict.href.startsWith("https:")) return verdict;
  return {
    ok: false,
    message: "A webhook's messages are sent over TLS only. Use an address that starts with https://.",
  };
}

function isLocal(input: string, localHosts: readonly HostPattern[]): boolean {
  if (!URL.canParse(input)) return false;
  const { protocol, hostname, username, password } = new URL(input);
  if ((protocol !== "http:" && protocol !== "https:") || username !== "" || password !== "") return false;
  const host = hostKey(hostname);
  return host !== null && localHosts.some((pattern) => matchesHost(host, pattern));
}
