/**
 * The pages for people who followed a link, or came to the bare domain. Those that are always the same are made once.
 *
 * @module
 */
import { renderPage } from "./layout.tsx";

export { PAGE_HEADERS } from "./layout.tsx";

/** What a visitor meets who is not sent on, by the code of the problem. */
export const FAILURE_PAGES = {
  /** There is no such link, or not yet, or not any more for visitors. */
  not_found: renderPage({
    title: "This link leads nowhere",
    children: <p>Nothing answers at this address. Check it for a typing mistake: upper and lower case matter.</p>,
  }),
  /** There was such a link; its time is over. */
  gone: renderPage({
    title: "This link has expired",
    children: <p>Its owner set an end to it, and that has passed.</p>,
  }),
  /** The address cannot be read: broken percent-encoding, or text that is no code. */
  invalid_code: renderPage({
    title: "This address cannot be read",
    children: <p>Part of it is damaged. Copy the link once more from where you found it.</p>,
  }),
  /** Too many wrong addresses from one visitor. */
  rate_limited: renderPage({
    title: "Too many wrong links",
    children: <p>Wait a minute, then try again.</p>,
  }),
  /** Nothing that knows the link can be reached just now. */
  unavailable: renderPage({
    title: "This link cannot be opened just now",
    children: <p>The fault is ours. Try again in a few seconds.</p>,
  }),
} as const;

/** Where a link leads, for a program that looks at it on its own. */
export function previewPage(location: string): string {
  return renderPage({
    title: "A short link",
    children: (
      <p>
        It leads to{" "}
        <a href={location} rel="nofollow noreferrer">
          {location}
        </a>
        .
      </p>
    ),
  });
}

/** The bare domain, when `HOME_URL` is not set. */
export function homePage(host: string): string {
  return renderPage({
    title: host,
    children: <p>Short links live here.</p>,
  });
}
