/**
 * Where visitors come from, by the name that people know it by: a network has many hosts, and a figure for each says little.
 *
 * @module
 */

/** Hosts by the source they belong to; a host below one of them belongs to it too. */
const SOURCES: Readonly<Record<string, readonly string[]>> = {
  Bing: ["bing.com"],
  Bluesky: ["bsky.app", "go.bsky.app"],
  DuckDuckGo: ["duckduckgo.com"],
  Facebook: ["facebook.com", "fb.com", "fb.me", "com.facebook.katana", "com.facebook.lite"],
  Gmail: ["mail.google.com", "com.google.android.gm"],
  Instagram: ["instagram.com", "com.instagram.android"],
  LinkedIn: ["linkedin.com", "lnkd.in", "com.linkedin.android"],
  Pinterest: ["pinterest.com", "pin.it", "com.pinterest"],
  Reddit: ["reddit.com", "redd.it", "com.reddit.frontpage"],
  Slack: ["slack.com", "slack-redir.net", "com.slack"],
  Telegram: ["t.me", "telegram.org", "org.telegram.messenger"],
  TikTok: ["tiktok.com", "com.zhiliaoapp.musically"],
  WhatsApp: ["whatsapp.com", "wa.me", "com.whatsapp"],
  X: ["x.com", "twitter.com", "t.co", "com.twitter.android"],
  YouTube: ["youtube.com", "youtu.be", "com.google.android.youtube"],
};

const BY_HOST = new Map(Object.entries(SOURCES).flatMap(([source, hosts]) => hosts.map((host) => [host, source])));
/** Google has a search host in each country, and an app of its own on Android. */
const GOOGLE = /^(?:www\.|encrypted\.)?google\.[a-z]{2,3}(?:\.[a-z]{2})?$|^com\.google\.android\.googlequicksearchbox$/;
const MAX_LABELS = 127;

/** The source of a referrer's host: a name such as `Facebook`, or else the host itself without `www.`. */
export function sourceOf(host: string): string {
  if (GOOGLE.test(host)) return "Google";
  let rest = host;
  for (let label = 0; label < MAX_LABELS; label += 1) {
    const source = BY_HOST.get(rest);
    if (source !== undefined) return source;
    const dot = rest.indexOf(".");
    if (dot === -1) break;
    rest = rest.slice(dot + 1);
  }
  return host.startsWith("www.") ? host.slice(4) : host;
}
