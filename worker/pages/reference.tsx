/**
 * The frame of the API's reference: what Swagger UI is put into, and what is shown where scripts do not run.
 *
 * @module
 */
import { renderToString } from "hono/jsx/dom/server";

/** The addresses of the files that the page is made with. */
export interface ReferenceFiles {
  readonly style: string;
  /** In the order in which they are to run. */
  readonly scripts: readonly string[];
}

/**
 * The headers of the page. Its scripts, styles and calls are this host's own; there is no inline script, no inline style and no `eval`. Pictures
 * may be `data:`, since Swagger UI's styles hold some.
 */
export const REFERENCE_HEADERS: Readonly<Record<string, string>> = {
  "Content-Type": "text/html; charset=utf-8",
  "Content-Security-Policy":
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  "Cross-Origin-Opener-Policy": "same-origin",
  "Referrer-Policy": "no-referrer",
  "Cache-Control": "no-cache",
};

/** The page. */
export function referencePage({ style, scripts }: ReferenceFiles): string {
  const page = (
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="robots" content="noindex" />
        <title>Hop: the API</title>
        <link rel="icon" href="/favicon.ico" />
        <link rel="stylesheet" href={style} />
        {scripts.map((script) => (
          <script src={script} defer />
        ))}
      </head>
      <body>
        <main id="reference">
          <noscript>
            This page needs scripts to be tried out. The same document to read:{" "}
            <a href="/api/openapi.json">openapi.json</a>.
          </noscript>
        </main>
      </body>
    </html>
  );
  return `<!doctype html>${renderToString(page)}`;
}
