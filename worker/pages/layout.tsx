/**
 * The frame of the small pages that a visitor may meet. No script, no picture and nothing from elsewhere.
 *
 * @module
 */
import type { Child } from "hono/jsx";
import { renderToString } from "hono/jsx/dom/server";

const STYLE = `
:root { color-scheme: light dark; }
body { font: 1.1rem/1.6 system-ui, sans-serif; max-width: 34rem; margin: 18vh auto 0; padding: 0 1.5rem; }
h1 { font-size: 1.6rem; line-height: 1.2; margin: 0 0 .6rem; }
p { margin: 0 0 .6rem; opacity: .8; overflow-wrap: anywhere; }
`;

/** The headers of these pages: all that a browser may do with them is to show them. */
export const PAGE_HEADERS: Readonly<Record<string, string>> = {
  "Content-Type": "text/html; charset=utf-8",
  "Content-Security-Policy":
    "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'",
  "X-Content-Type-Options": "nosniff",
  "Cache-Control": "no-store",
};

/** Renders one page. `children` are escaped as JSX escapes them. */
export function renderPage(props: { readonly title: string; readonly children: Child }): string {
  const page = (
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="robots" content="noindex" />
        <title>{props.title}</title>
        {/* A constant of this file: nothing of a request reaches it. */}
        <style dangerouslySetInnerHTML={{ __html: STYLE }} />
      </head>
      <body>
        <main>
          {/* Whatever direction the text of an owner has, it is its own. */}
          <h1 dir="auto">{props.title}</h1>
          {props.children}
        </main>
      </body>
    </html>
  );
  return `<!doctype html>${renderToString(page)}`;
}
