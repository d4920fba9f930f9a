/**
 * Which destinations a link may have. What is judged is what the WHATWG parser makes of the text, never the text itself,
 * and what is accepted is the parsed form, so that the value that was checked is the value that is sent.
 *
 * Nothing here is ever fetched; the policy keeps a link from leading a visitor into their own network, or round in circles. What can only be
 * known by asking others (where a name leads, what a URL is known for) is judged here when they were asked.
 *
 * @module
 */
import { embeddedIpv4, parseAddress, specialBlock, writeAddress, type Address, type AddressBlock } from "./address.ts";
import { FORBIDDEN_SCHEMES } from "./scheme.ts";

/** The longest destination, in UTF-16 code units: of what was given, and of its serialised form, which is ASCII. */
export const MAX_URL_CHARACTERS = 8192;

/** Schemes whose host is always a host of the internet (WHATWG URL, special schemes); others may put an app's own word there. */
const SPECIAL_SCHEMES: ReadonlySet<string> = new Set(["ftp", "http", "https", "ws", "wss"]);

/**
 * Endings of names that the public DNS does not answer. `.example` and `.test` are left out because documentation and
 * tests need them, `.onion` (RFC 7686) because it names one public service for everyone who can open it.
 */
const LOCAL_NAMES: ReadonlyMap<string, string> = new Map([
  ["localhost", "loopback, RFC 6761"],
  ["local", "multicast DNS, RFC 6762"],
  ["internal", "private use, ICANN 2024"],
  // RFC 6762, appendix G: top-level names that networks use for themselves. ICANN has promised never to delegate corp and home.
  ["corp", "private use, RFC 6762"],
  ["home", "private use, RFC 6762"],
  ["intranet", "private use, RFC 6762"],
  ["lan", "private use, RFC 6762"],
  ["private", "private use, RFC 6762"],
  ["localdomain", "private use, by custom"],
  ["invalid", "never resolves, RFC 6761"],
  ["alt", "outside the DNS, RFC 9476"],
  // Infrastructure only: home.arpa (RFC 8375), service.arpa, resolver.arpa, in-addr.arpa, ip6.arpa and their like.
  ["arpa", "infrastructure, RFC 3172"],
]);

/** One host, or everything below it. */
export interface HostPattern {
  /** In the form of {@link hostKey}. */
  readonly host: string;
  /** True for `*.host`: every name below it at any depth, but not itself, as in DNS and in certificates. */
  readonly subdomains: boolean;
}

/** What an installation allows. */
export interface UrlPolicy {
  /** Lower case, without the colon. */
  readonly schemes: readonly string[];
  /** When not empty, only these hosts are allowed. It narrows: what other rules refuse stays refused. */
  readonly allow: readonly HostPattern[];
  /** Never allowed, also when `allow` has them. */
  readonly block: readonly HostPattern[];
  /** The hosts that short links live on: a link to one of them may lead back to itself. A port is ignored. */
  readonly ownHosts: readonly string[];
}

/** Why a destination is refused: words that programs may test for. None is ever renamed. */
export const URL_REASONS = [
  "too_long",
  "lone_surrogate",
  "control_character",
  "no_scheme",
  "unreadable",
  "scheme",
  "user_info",
  "empty_label",
  "own_domain",
  "special_address",
  "embedded_address",
  "local_name",
  "single_label",
  "blocked",
  "not_on_allowlist",
  "resolves_to_special_address",
  "listed_as_dangerous",
] as const;

/** One of them. */
export type UrlReason = (typeof URL_REASONS)[number];

/** Refused, with a sentence for whoever asked. */
export interface UrlRefusal {
  readonly ok: false;
  readonly reason: UrlReason;
  readonly message: string;
}

/** Allowed, with the form to store; or refused. */
export type UrlVerdict = { readonly ok: true; readonly href: string } | UrlRefusal;

/** Each reason as a sentence about the part of the URL that it is about. */
const MESSAGES: Readonly<Record<UrlReason, (part: string) => string>> = {
  too_long: (part) =>
    `The URL has ${part} characters once it is encoded; at most ${MAX_URL_CHARACTERS} are allowed. Shorten it.`,
  lone_surrogate: () => "The URL holds half of a character (a lone UTF-16 surrogate). Copy it again from its source.",
  control_character: (part) =>
    `The URL holds the control character ${part}. Remove it, or percent-encode it if it is meant.`,
  no_scheme: (part) => `"${part}" does not say how it is reached. Give the whole URL, starting with https://.`,
  unreadable: (part) => `"${part}" cannot be read as a URL. Check its host and port.`,
  scheme: (part) => `Links to "${part}:" are not allowed here. Use a URL that starts with https:// or http://.`,
  user_info: (part) =>
    `The URL carries a user name or a password in front of ${part}. Remove what stands before the "@".`,
  empty_label: (part) => `The host "${part}" has an empty part beside one of its dots. Correct the name.`,
  own_domain: (part) =>
    `"${part}" is this service itself, so the link could lead back to itself. Use the final destination.`,
  special_address: (part) => `The address ${part} cannot be reached from the public internet. Use a public host.`,
  embedded_address: (part) =>
    `The address ${part} is a detour to an IPv4 address. Use that host's name, or the IPv4 address itself.`,
  local_name: (part) => `The host ${part} exists only inside a network, or nowhere. Use a public host name.`,
  single_label: (part) =>
    `The host "${part}" has no dot, so it is no public name. Use a full host name such as www.example.com.`,
  blocked: (part) => `The host "${part}" is blocked by this service. Use another destination.`,
  not_on_allowlist: (part) =>
    `The host "${part}" is not among those that this service links to. Use one of its allowed hosts.`,
  resolves_to_special_address: (part) =>
    `The host ${part}, which cannot be reached from the public internet. Use a host with public addresses only.`,
  listed_as_dangerous: (part) =>
    `The URL is on a list of dangerous pages (${part}), so this service does not link to it. Use another destination.`,
};

/** What a message quotes of a URL at most, in characters. */
const MAX_QUOTED_CHARACTERS = 100;

/**
 * Judges a destination. The accepted `href` is exactly what the WHATWG serialiser gives: trimmed, without tabs and line
 * breaks, ASCII, nothing decoded and nothing encoded twice; judging it again gives the same. Any other control character
 * is refused, because the parser would turn it into an escape that nobody typed.
 *
 * A URL of a configured scheme such as `mailto:` that has no host meets no rule on hosts. Where it has one, all of them
 * apply but the single-label rule: in `myapp://profile/7` the host is a word of the app's own.
 *
 * @example
 * checkUrl(" HTTPS://Example.com/%7e?b&a#T ", policy) // { ok: true, href: "https://example.com/%7e?b&a#T" }
 */
export function checkUrl(input: string, policy: UrlPolicy): UrlVerdict {
  if (input.length > MAX_URL_CHARACTERS) return refuse("too_long", String(input.length));
  if (!input.isWellFormed()) return refuse("lone_surrogate", "");
  const control = /(?![\t\n\r])\p{Cc}/u.exec(input);
  if (control !== null) return refuse("control_character", codePoint(control[0]));
  if (!URL.canParse(input))
    return refuse(/^\s*[a-z][a-z\d+.-]*:/i.test(input) ? "unreadable" : "no_scheme", input.trim());

  const url = new URL(input);
  if (url.href.length > MAX_URL_CHARACTERS) return refuse("too_long", String(url.href.length));
  const scheme = url.protocol.slice(0, -1);
  if (FORBIDDEN_SCHEMES.has(scheme) || !policy.schemes.includes(scheme)) return refuse("scheme", scheme);
  if (url.username !== "" || url.password !== "") return refuse("user_info", url.host);
  if (url.hostname === "") return { ok: true, href: url.href };

  // An opaque host, as schemes outside the URL standard have it, may spell LOCALHOST, %6cocalhost or 0x7f.1.
  const host = hostKey(url.hostname);
  if (host === null) return refuse("unreadable", input.trim());
  return judgeHost(host, SPECIAL_SCHEMES.has(scheme), policy) ?? { ok: true, href: url.href };
}

/** The name that the DNS is asked for when somebody opens a destination; null where it is not asked: the host is an address, or no host. */
export function nameToResolve(href: string): string | null {
  if (!URL.canParse(href)) return null;
  const { protocol, hostname } = new URL(href);
  if (!SPECIAL_SCHEMES.has(protocol.slice(0, -1)) || parseAddress(hostname) !== null) return null;
  const name = hostname.replace(/\.$/, "");
  // RFC 7686, section 2: names of the Tor network are kept out of the DNS.
  return name === "" || name.endsWith(".onion") ? null : name;
}

/** Judges the addresses that a name has: one that is not public is enough, since a visitor may get that one. Null: nothing is wrong with them. */
export function judgeResolved(name: string, addresses: readonly Address[]): UrlRefusal | null {
  for (const address of addresses) {
    const block = specialBlock(address);
    if (block === null) continue;
    const part = `"${quoted(name)}" has the address ${described(writeAddress(address), block)}`;
    return { ok: false, reason: "resolves_to_special_address", message: MESSAGES.resolves_to_special_address(part) };
  }
  return null;
}

/** Judges what a reputation service says of a URL: the words for the lists that it is on. Null: it is on none. */
export function judgeListed(lists: readonly string[]): UrlRefusal | null {
  return lists.length === 0 ? null : refuse("listed_as_dangerous", lists.join(", "));
}

/**
 * The form in which hosts are compared: as the WHATWG parser writes it (lower case, Punycode, canonical addresses),
 * without a port and without one trailing dot. Null for what is no host.
 */
export function hostKey(host: string): string | null {
  if (/[/?#@\\\s]/.test(host) || !URL.canParse(`http://${host}`)) return null;
  return new URL(`http://${host}`).hostname.replace(/\.$/, "");
}

/** The patterns of a list, or a message that names the first that cannot be used. */
export type HostPatterns =
  | { readonly ok: true; readonly patterns: readonly HostPattern[] }
  | { readonly ok: false; readonly pattern: string; readonly message: string };

/**
 * Reads a comma-separated list of host patterns: `example.com` is that host alone, `*.example.com` every host below it.
 * Unicode names match their Punycode form. Nothing between two commas is no pattern.
 */
export function parseHostPatterns(text: string): HostPatterns {
  const patterns: HostPattern[] = [];
  for (const item of text.split(",").map((part) => part.trim())) {
    if (item === "") continue;
    const pattern = hostPattern(item);
    if (pattern === null) {
      const message = `"${quoted(item)}" is no host pattern. Write a host without scheme, port or path, such as example.com, or *.example.com for every host below it.`;
      return { ok: false, pattern: item, message };
    }
    patterns.push(pattern);
  }
  return { ok: true, patterns };
}

/** Whether a host, in the form of {@link hostKey}, is one that a pattern means. */
export function matchesHost(host: string, pattern: HostPattern): boolean {
  return pattern.subdomains ? host.endsWith(`.${pattern.host}`) : host === pattern.host;
}

function hostPattern(item: string): HostPattern | null {
  const subdomains = item.startsWith("*.");
  const name = subdomains ? item.slice(2) : item;
  if (/:\d*$/.test(name) || name.includes("*")) return null;
  const host = hostKey(name);
  if (host === null || hasEmptyLabel(host) || (subdomains && parseAddress(host) !== null)) return null;
  return { host, subdomains };
}

function judgeHost(host: string, isSpecial: boolean, policy: UrlPolicy): UrlVerdict | null {
  if (hasEmptyLabel(host)) return refuse("empty_label", host);
  if (policy.ownHosts.some((own) => isOwn(host, hostKey(own)))) return refuse("own_domain", host);

  const address = parseAddress(host);
  if (address !== null) {
    const refused = judgeAddress(host, address);
    if (refused !== null) return refused;
  }
  const local = LOCAL_NAMES.get(host.slice(host.lastIndexOf(".") + 1));
  if (local !== undefined) return refuse("local_name", `"${quoted(host)}" (${local})`);
  if (isSpecial && address === null && !host.includes(".")) return refuse("single_label", host);

  if (policy.block.some((pattern) => matchesHost(host, pattern))) return refuse("blocked", host);
  if (policy.allow.length > 0 && !policy.allow.some((pattern) => matchesHost(host, pattern))) {
    return refuse("not_on_allowlist", host);
  }
  return null;
}

/** Every special-purpose address, and every IPv6 form that only carries an IPv4 address, public or not. */
function judgeAddress(host: string, address: Address): UrlVerdict | null {
  const block = specialBlock(address);
  if (block === null) return null;
  const inner = embeddedIpv4(address);
  if (inner === null) return refuse("special_address", described(host, block));
  const innerBlock = specialBlock(inner);
  if (innerBlock === null) return refuse("embedded_address", described(host, block));
  return refuse("special_address", described(`${inner.join(".")} inside ${host}`, innerBlock));
}

/** Its `www.` name usually leads to the same place. Other names below it are often other sites and may be linked to. */
function isOwn(host: string, own: string | null): boolean {
  return own !== null && (host === own || host === `www.${own}`);
}

function hasEmptyLabel(host: string): boolean {
  return host.split(".").includes("");
}

function described(address: string, block: AddressBlock): string {
  return `${address} (${block.name}: ${block.cidr}, ${block.source})`;
}

function codePoint(character: string): string {
  return `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0")}`;
}

function refuse(reason: UrlReason, part: string): UrlRefusal {
  return { ok: false, reason, message: MESSAGES[reason](quoted(part)) };
}

function quoted(text: string): string {
  return text.length > MAX_QUOTED_CHARACTERS ? `${text.slice(0, MAX_QUOTED_CHARACTERS)}…` : text;
}
