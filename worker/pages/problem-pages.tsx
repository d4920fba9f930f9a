/**
 * What a problem means, for whoever opens its `type`.
 *
 * @module
 */
import { renderPage } from "./layout.tsx";

/** A problem in words. */
export interface ProblemFacts {
  readonly code: string;
  /** Its page. */
  readonly type: string;
  readonly title: string;
  readonly status: number;
  readonly happened: string;
  readonly remedy: string;
}

/** The page of one problem. `list` is the address of all of them. */
export function problemPage({ code, title, status, happened, remedy }: ProblemFacts, list: string): string {
  return renderPage({
    title,
    children: (
      <>
        <p>
          <code>{code}</code>, status {status}
        </p>
        <p>{happened}</p>
        <p>{remedy}</p>
        <p>
          <a href={list}>All problems</a>
        </p>
      </>
    ),
  });
}

/** All problems, each with a way to its page. */
export function problemList(problems: readonly ProblemFacts[]): string {
  return renderPage({
    title: "Problems of the API",
    children: problems.map(({ code, type, title, status }) => (
      <p>
        <a href={type}>
          <code>{code}</code>
        </a>{" "}
        {status}: {title}
      </p>
    )),
  });
}
