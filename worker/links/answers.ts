/**
 * How the links' calls answer: a link as its caller reaches it, and each refusal in words.
 *
 * @module
 */
import type { Context } from "hono";
import type { Link } from "../../shared/link.ts";
import type { LinkShown } from "../../shared/schema/link.ts";
import type { ApiEnv } from "../http/api-env.ts";
import { originOf } from "../http/context.ts";
import { Refusal } from "../http/problem.ts";
import type { Created } from "./create.ts";
import { showLink } from "./rows.ts";
import type { Refused } from "./settings.ts";

/** A creation of which no link came. */
export type NotCreated = Exclude<Created, { readonly link: Link }>;

/** The link as JSON. A link of the host that was asked is reached as that host was: locally that is a port and no TLS. */
export function show(c: Context<ApiEnv>, link: Link): LinkShown {
  return showLink(link, originOf(c.env.scope, link.domain));
}

/** What was asked for is not allowed. */
export function refusalOf({ code, path, message, reason }: Refused): Refusal {
  return new Refusal(code, message, { errors: [{ path, message, ...(reason === undefined ? {} : { reason }) }] });
}

/** Why no link was made. */
export function notCreated(created: NotCreated, domain: string): Refusal {
  switch (created.kind) {
    case "refused":
      return refusalOf(created);
    case "taken":
      return codeTaken(created.shortCode, domain);
    case "external_id_taken":
      return externalIdTaken();
  }
}

function codeTaken(shortCode: string, domain: string): Refusal {
  return new Refusal("code_taken", `The code "${shortCode}" is taken on ${domain}. Choose another one.`);
}

/** 409: another link has the external id. */
export function externalIdTaken(): Refusal {
  const message = "is taken by another link of this domain";
  return new Refusal("external_id_taken", `The externalId ${message}.`, { errors: [{ path: "externalId", message }] });
}

/** 412: the link is not the one that the caller has read. */
export function hasChanged(): Refusal {
  return new Refusal(
    "precondition_failed",
    "The link has changed since you read it. Read it again, then repeat the change.",
  );
}

/** 409: others were faster, over and over. */
export function keepsChanging(): Refusal {
  return new Refusal("conflict", "Other changes of this link kept coming in between. Ask again.");
}
