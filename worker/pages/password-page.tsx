/**
 * The pages of a link with a password, before it was given. Nothing of the link is on them.
 *
 * @module
 */
import { PAGE_HEADERS, renderPage } from "./layout.tsx";

const STYLE = `
form { margin: 1.2rem 0 0; }
label { display: block; margin: 0 0 .3rem; }
input, button { font: inherit; padding: .45rem .7rem; border-radius: .4rem; border: 1px solid #767676; box-sizing: border-box; }
input { width: 100%; }
button { margin: .8rem 0 0; padding: .45rem 1.4rem; border-color: #2f6fed; background: #2f6fed; color: #fff; cursor: pointer; }
p[role=alert] { opacity: 1; font-weight: 600; }
`;

/**
 * Those of any page, but for `form-action`: Chromium and Safari apply it to where a form's answer redirects as well, which is wherever the link
 * leads, by whatever scheme, and must not be told here. What it would keep in is kept in all the same: the page has one form, no
 * script, no base and no text of anybody else.
 */
export const FORM_HEADERS: Readonly<Record<string, string>> = {
  ...PAGE_HEADERS,
  "Content-Security-Policy": "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'; base-uri 'none'",
};

/**
 * Asks for the password. The form goes to the address of the page itself, with its path and query. `message` says what was wrong with the
 * last try; `from` is the origin that led here, for the click that is counted when the password is right.
 */
export function passwordPage(message: string | null, from: string): string {
  return renderPage({
    title: "This link asks for a password",
    children: (
      <>
        {/* A constant of this file: nothing of a request reaches it. */}
        <style dangerouslySetInnerHTML={{ __html: STYLE }} />
        <p>Whoever gave you the link can tell you.</p>
        <form method="post">
          {message === null ? null : (
            <p role="alert" id="message">
              {message}
            </p>
          )}
          <label for="password">Password</label>
          <input
            id="password"
            name="password"
            type="password"
            required
            autofocus
            autocomplete="current-password"
            aria-describedby={message === null ? undefined : "message"}
            aria-invalid={message === null ? undefined : "true"}
          />
          <input type="hidden" name="from" value={from} />
          <button type="submit">Open the link</button>
        </form>
      </>
    ),
  });
}

/** In the place of a preview. */
export const GUARDED_PREVIEW = renderPage({
  title: "This link asks for a password",
  children: <p>Where it leads is told to those who open it and give the password.</p>,
});
