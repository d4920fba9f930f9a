/**
 * What a user agent says of device, browser and system, read by ua-parser-js (MIT, 1.0).
 *
 * @module
 */
import UAParser from "ua-parser-js";

/** The kinds of devices that figures tell apart. */
export type Device = "mobile" | "tablet" | "desktop" | "other";

/** What is known of a visitor's device; null where the user agent does not tell. */
export interface UserAgent {
  readonly device: Device | null;
  readonly browser: string | null;
  readonly os: string | null;
}

/** An iPad that asks for desktop pages, in an app that still says "Mobile": no Mac does. */
const DISGUISED_TABLET = /^Mozilla\/5\.0 \(Macintosh;[^)]*\).* Mobile\//;
const UNKNOWN: UserAgent = { device: null, browser: null, os: null };

/**
 * Reads a user agent. Never throws. A browser that asks for desktop pages, as iPads do, is a desktop: it says nothing else of
 * itself. The parser names no type for desktops, so whatever has a system and no type is one.
 */
export function readUserAgent(userAgent: string | null): UserAgent {
  if (userAgent === null) return UNKNOWN;
  const { browser, device, os } = new UAParser(userAgent).getResult();
  const name = browser.name ?? null;
  if (DISGUISED_TABLET.test(userAgent)) return { device: "tablet", browser: name, os: "iOS" };
  return { device: deviceOf(device.type, os.name), browser: name, os: os.name ?? null };
}

function deviceOf(type: string | undefined, os: string | undefined): Device | null {
  if (type === "mobile" || type === "tablet") return type;
  if (type !== undefined) return "other";
  return os === undefined ? null : "desktop";
}
