/**
 * A link with rules as one visitor meets it: with the destination that they give. What is read of the request is kept nowhere.
 *
 * @module
 */
import type { Entry } from "../../shared/entry.ts";
import { destinationFor, type RuleVisitor } from "../../shared/rule-match.ts";
import { clientAddress, cloudflareTells } from "../http/context.ts";

/** The entry for whoever asks: of a link without rules the very same one. */
export function entryFor(entry: Entry, request: Request, now: number): Entry {
  if (entry.kind === "absent" || entry.rules.length === 0) return entry;
  const longUrl = destinationFor(entry.rules, entry.linkId, new Asker(request, now));
  return longUrl === null ? entry : { ...entry, longUrl };
}

/** Reads of a request what a rule asks for, and no more. */
class Asker implements RuleVisitor {
  readonly now: number;
  readonly #request: Request;

  constructor(request: Request, now: number) {
    this.#request = request;
    this.now = now;
  }

  get country(): string | null {
    const country = cloudflareTells(this.#request)["country"];
    return typeof country === "string" ? country : null;
  }

  get userAgent(): string | null {
    return this.#request.headers.get("user-agent");
  }

  get acceptLanguage(): string | null {
    return this.#request.headers.get("accept-language");
  }

  get address(): string | null {
    return clientAddress(this.#request);
  }
}
