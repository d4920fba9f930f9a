/**
 * The files of the reference page: Swagger UI as its package has it, and the script that starts it. They lie in the bundle as data, which
 * is looked at when a browser asks for them and costs nobody else anything.
 *
 * @module
 */
import { version as swaggerUi } from "swagger-ui-dist/package.json";
import { START_SCRIPT } from "./start-script.ts";

/** Where a page finds a file. The version is part of it, so that a browser may keep the file for good. */
export function assetPath(version: string, name: AssetName): string {
  return `/api/docs/assets/${version}/${name}`;
}

/** A file, as it is sent. */
export interface Asset {
  readonly type: string;
  readonly load: () => Promise<ArrayBuffer | string>;
}

const SCRIPT = "text/javascript; charset=utf-8";

const ASSETS = {
  "swagger-ui.css": {
    type: "text/css; charset=utf-8",
    load: async () => (await import("swagger-ui-dist/swagger-ui.css")).default,
  },
  "swagger-ui-bundle.js": {
    type: SCRIPT,
    load: async () => (await import("swagger-ui-dist/swagger-ui-bundle.js")).default,
  },
  "start.js": { type: SCRIPT, load: async () => START_SCRIPT },
} as const satisfies Record<string, Asset>;

/** The name of a file. */
export type AssetName = keyof typeof ASSETS;

/** The file of this name, or undefined. */
export function assetOf(name: string): Asset | undefined {
  return isAssetName(name) ? ASSETS[name] : undefined;
}

function isAssetName(name: string): name is AssetName {
  return Object.hasOwn(ASSETS, name);
}

/** The version of all files together: the package's, and the first digits of a hash of the script. */
export async function assetVersion(): Promise<string> {
  const hash = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(START_SCRIPT));
  return `${swaggerUi}-${new DataView(hash).getUint32(0).toString(16)}`;
}
