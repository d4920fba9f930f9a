/**
 * The pages for people who followed a link, or came to the bare domain. Those that are always the same are made once.
 *
 * @module
 */
import type { Child } from "hono/jsx";
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

/** What a preview tells of a link beside its destination. */
export interface LinkFacts {
  readonly title: string | null;
  /** Epoch milliseconds. */
  readonly createdAt: number;
  readonly clickCount: number;
}

/**
 * Where a link leads, for whoever wants to know before they go, or looks at it on its own. `depends`: others may be led elsewhere. Without
 * `facts` it tells no more.
 */
export function previewPage(location: string, depends: boolean, facts: LinkFacts | null): string {
  return renderPage({
    title: facts?.title ?? "A short link",
    children: (
      <>
        <p>
          This short link leads to{" "}
          <a href={location} rel="noopener noreferrer nofollow">
            {location}
          </a>
        </p>
        {depends ? <p>That is for you, at this moment: where it leads depends on who follows it, and when.</p> : null}
        {facts === null ? null : factsLine(facts)}
      </>
    ),
  });
}

function factsLine({ createdAt, clickCount }: LinkFacts): Child {
  const created = new Date(createdAt).toISOString();
  return (
    <p>
      Created on <time datetime={created}>{created.slice(0, 10)}</time>, followed{" "}
      {clickCount === 1 ? "once" : `${clickCount} times`}.
    </p>
  );
}

/** The bare domain, when `HOME_URL` is not set. */
export function homePage(host: string): string {
  return renderPage({
    title: host,
    children: <p>Short links live here.</p>,
  });
}
