/**
 * Who has which name: the links that stand, and those that were made or would have been since.
 *
 * @module
 */
import type { Names, Standing } from "./queries.ts";

/** A link that has a name; its id is null where it only would have been made. */
export type Holder = Omit<Standing, "id" | "fingerprint" | "externalId"> & { readonly id: string | null };

/** The names that are known to be had. */
export interface KnownNames {
  readonly holderOf: (kind: NameKind, names: Names) => Holder | undefined;
  readonly add: (holder: Holder, names: Names) => void;
}

/** The kinds of names. */
export type NameKind = "id" | "shortCode" | "fingerprint" | "externalId";

const KINDS: readonly NameKind[] = ["id", "shortCode", "fingerprint", "externalId"];

/** Builds an empty book of names. `below` is asked for what it does not know. */
export function createKnownNames(below?: KnownNames): KnownNames {
  const holders = new Map<string, Holder>();
  return {
    holderOf(kind, names) {
      const name = nameOf(kind, names);
      return name === null ? undefined : (holders.get(name) ?? below?.holderOf(kind, names));
    },
    add(holder, names) {
      for (const name of namesOf(names)) holders.set(name, holder);
    },
  };
}

/** Each name as a text that no other has. */
export function namesOf(names: Names): string[] {
  return KINDS.flatMap((kind) => nameOf(kind, names) ?? []);
}

/** One name as such a text, or null where a link has none of the kind. All but ids are of their domain. */
export function nameOf(kind: NameKind, names: Names): string | null {
  const value = names[kind];
  if (value === null) return null;
  return kind === "id" ? `id:${value}` : `${kind}:${names.domain}/${value}`;
}
