/**
 * The data centre's own cache (Cache API). What it holds is text under an address of ours, never a client's request or
 * a finished redirect: a client's `Range` would turn a hit into a 206, and redirects are refused under some keys.
 *
 * @module
 */

/** Text by address. Calls reject when the cache cannot be asked. */
export interface EdgeCache {
  read(url: string): Promise<string | null>;
  /** Keeps `text` for at most `seconds`. `tag` is what a zone purge may name. */
  write(url: string, text: string, seconds: number, tag: string): Promise<void>;
}

/** The default cache of the data centre that runs this isolate. */
export function openEdgeCache(): EdgeCache {
  return {
    async read(url) {
      const hit = await caches.default.match(url);
      return hit === undefined ? null : hit.text();
    },
    async write(url, text, seconds, tag) {
      const headers = { "Cache-Control": `public, max-age=${seconds}`, "Cache-Tag": tag, "Content-Type": "text/plain" };
      await caches.default.put(url, new Response(text, { headers }));
    },
  };
}
