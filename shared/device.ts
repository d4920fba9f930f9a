/**
 * What a user agent says of the device, as far as rules ask: a handful of patterns, since a redirect waits for them. Figures use a parser
 * (`worker/http/user-agent.ts`), which no redirect loads; `worker/http/corpora.test.ts` holds the two against each other.
 *
 * - `ios`: iPhone, iPad, iPod. An iPad that asks for desktop pages, as Safari does there by default, says that it is a Mac and nothing else: it is
 *   a `desktop`. In an app it still says "Mobile", which no Mac does.
 * - `android`: whatever runs Android, also a television or a Kindle.
 * - `mobile`: a phone of any system, and an iPod.
 * - `tablet`: an iPad; an Android browser that does not say "Mobile" (which is how Google tells tablets from phones); whatever says that it is one.
 * - `desktop`: Windows, macOS, Linux or ChromeOS, and none of the above; neither a television nor a console.
 *
 * A phone or tablet is never a `desktop`. Who says nothing of a system (curl, most bots, no user agent at all) is none of them. A bot that
 * presents itself as a phone, as Google's does, is taken for one, so that it sees what phones see.
 *
 * @module
 */
import type { DeviceKind } from "./rules.ts";

const APPLE_PHONE = /\b(?:iPhone|iPod)/;
const APPLE_TABLET = /\biPad|^Mozilla\/5\.0 \(Macintosh;[^)]*\).* Mobile\//;
/** Windows phones say Android, iPhone and more, so that pages for phones are sent to them. */
const WINDOWS_PHONE = /\b(?:Windows Phone|IEMobile)\b/;
const ANDROID = /\bAndroid\b/i;
const TELEVISION =
  /\b(?:Smart-?TV|Android TV|Google ?TV|Apple ?TV|HbbTV|BRAVIA|Web0S|Roku|CrKey|AFT[A-Z]+|TV Safari)\b|\bTizen\b.*\bTV\b|\bTV\b.*\bTizen\b/i;
const CONSOLE = /\b(?:PlayStation|Xbox|Nintendo)\b/;
/** "Tablet PC" is what old Internet Explorers say on any Windows. */
const SAYS_TABLET = /\b(?:Tablet(?! PC)|PlayBook|Kindle)\b/;
const SAYS_PHONE =
  /\b(?:Mobile|Phone|Opera Mini|Opera Mobi|BlackBerry|BB10|KAIOS|Symbian|SymbianOS|Series ?60|J2ME|MIDP)\b/i;
const DESKTOP = /\b(?:Windows NT|Macintosh|X11|CrOS|Linux x86_64|Linux i686)\b/;

const NONE: readonly DeviceKind[] = [];
const IOS_PHONE: readonly DeviceKind[] = ["ios", "mobile"];
const IOS_TABLET: readonly DeviceKind[] = ["ios", "tablet"];
const ANDROID_PHONE: readonly DeviceKind[] = ["android", "mobile"];
const ANDROID_TABLET: readonly DeviceKind[] = ["android", "tablet"];
const ANDROID_ALONE: readonly DeviceKind[] = ["android"];
const OTHER_PHONE: readonly DeviceKind[] = ["mobile"];
const OTHER_TABLET: readonly DeviceKind[] = ["tablet"];
const COMPUTER: readonly DeviceKind[] = ["desktop"];

/** Every kind that a user agent is of; none for most programs. */
export function devicesOf(userAgent: string | null): readonly DeviceKind[] {
  if (userAgent === null) return NONE;
  if (WINDOWS_PHONE.test(userAgent)) return OTHER_PHONE;
  if (ANDROID.test(userAgent)) return androidOf(userAgent);
  if (APPLE_PHONE.test(userAgent)) return IOS_PHONE;
  if (APPLE_TABLET.test(userAgent)) return IOS_TABLET;
  if (TELEVISION.test(userAgent) || CONSOLE.test(userAgent)) return NONE;
  if (SAYS_TABLET.test(userAgent)) return OTHER_TABLET;
  if (SAYS_PHONE.test(userAgent)) return OTHER_PHONE;
  return DESKTOP.test(userAgent) ? COMPUTER : NONE;
}

/** An app's own words ("Dalvik/…") say nothing of the size; a browser without "Mobile" is on a tablet. */
function androidOf(userAgent: string): readonly DeviceKind[] {
  if (TELEVISION.test(userAgent)) return ANDROID_ALONE;
  if (SAYS_TABLET.test(userAgent)) return ANDROID_TABLET;
  if (SAYS_PHONE.test(userAgent)) return ANDROID_PHONE;
  return userAgent.startsWith("Mozilla/") ? ANDROID_TABLET : ANDROID_ALONE;
}
