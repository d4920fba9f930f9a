/**
 * Under which heading a call stands in the document, by its path.
 *
 * @module
 */

/** A heading. */
export interface Tag {
  readonly name: string;
  readonly description: string;
  readonly paths: RegExp;
}

const LINKS: Tag = { name: "Links", description: "Make, find, change and delete links.", paths: /^\/api\/v1\/links/ };

/** The headings, in their order. */
export const TAGS: readonly Tag[] = [
  LINKS,
  {
    name: "Statistics",
    description: "Who came, when and from where; what was asked for and does not exist.",
    paths: /^\/api\/v1\/(?:stats|misses|links\/\{code\}\/(?:stats|clicks))/,
  },
  { name: "Webhooks", description: "Be told of clicks and of changes of links.", paths: /^\/api\/v1\/webhooks/ },
  { name: "Files", description: "Links in and out as CSV or JSON Lines.", paths: /^\/api\/v1\/(?:import|export)/ },
  { name: "Keys", description: "Keys of this API, each with what it may do.", paths: /^\/api\/v1\/keys/ },
];

/** The heading of a path. What no other has is about links. */
export function tagOf(path: string): Tag {
  return TAGS.find((tag) => tag !== LINKS && tag.paths.test(path)) ?? LINKS;
}
