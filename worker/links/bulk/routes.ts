/**
 * `POST /api/v1/links/bulk`: each row is parsed, made and answered by itself.
 *
 * @module
 */
import type { OpenAPIHono } from "@hono/zod-openapi";
import type { Context } from "hono";
import { bulkRow } from "../../../shared/schema/link-bulk.ts";
import type { LinkShown } from "../../../shared/schema/link.ts";
import type { UrlPolicy } from "../../../shared/url-policy.ts";
import type { FieldError } from "../../../shared/problem.ts";
import type { ApiEnv } from "../../http/api-env.ts";
import { clientAddress, placeOf } from "../../http/context.ts";
import { chooseDomain } from "../../http/link-key.ts";
import { problemOf, Refusal } from "../../http/problem.ts";
import { invalid } from "../../http/validation.ts";
import { notCreated, show } from "../answers.ts";
import { createLinksCall } from "../contract.ts";
import { misnomer } from "../misnomers.ts";
import { type BulkParts, type BulkRow, type CreatedOfMany, createLinks } from "./create.ts";

/** What the call needs, handed in. */
export interface BulkRouteParts {
  /** What many at once are made with. */
  readonly bulk: BulkParts;
  /** Hosts that links may live on; empty when each host is a domain of its own. */
  readonly domains: readonly string[];
  /** What destinations are allowed, given all hosts that are the service's own. */
  readonly policyFor: (ownHosts: readonly string[]) => UrlPolicy;
  /** What of the creator's address is kept. */
  readonly cutAddress: (address: string | null) => string | null;
}

/** Adds the call to the links' routes. */
export function addBulk(routes: OpenAPIHono<ApiEnv>, parts: BulkRouteParts): void {
  routes.openapi(createLinksCall, async (c) => {
    const read = c.req.valid("json").map((row) => readRow(c, parts, row));
    const rows = read.flatMap((row) => (row instanceof Refusal ? [] : [row]));
    const made = await createLinks(parts.bulk, rows, {
      creatorIp: parts.cutAddress(clientAddress(c.req.raw)),
      place: placeOf(c.req.raw),
      now: c.env.scope.now,
    });
    const outcomes = made.values();
    const results = read.map((row) => {
      if (row instanceof Refusal) return failed(c, row);
      const outcome = outcomes.next().value ?? { kind: "unavailable" };
      return answer(c, outcome, row.context.domain);
    });
    return c.json({ results }, 200);
  });
}

function readRow(c: Context<ApiEnv>, parts: BulkRouteParts, row: unknown): BulkRow | Refusal {
  const parsed = bulkRow.safeParse(row);
  if (!parsed.success) return invalid(parsed.error.issues, misnomer);
  try {
    const domain = chooseDomain(c, parts.domains, parsed.data.domain);
    const policy = parts.policyFor([...parts.domains, domain, c.env.scope.host]);
    return { body: parsed.data, context: { domain, policy } };
  } catch (error) {
    if (error instanceof Refusal) return error;
    throw error;
  }
}

/** What came of one row, as JSON. */
type Result =
  | { readonly status: 200 | 201; readonly link: LinkShown }
  | { readonly status: number; readonly error: ErrorShown };

/** A problem document whose lists JSON may take over. */
type ErrorShown = Omit<ReturnType<typeof problemOf>, "errors"> & { errors?: FieldError[] };

function answer(c: Context<ApiEnv>, outcome: CreatedOfMany, domain: string): Result {
  switch (outcome.kind) {
    case "created":
      return { status: 201, link: show(c, outcome.link) };
    case "existing":
      return { status: 200, link: show(c, outcome.link) };
    case "unavailable":
      return failed(
        c,
        new Refusal(
          "unavailable",
          "A part of the service that this link needs cannot be reached just now; ask for it again.",
        ),
      );
    case "refused":
    case "taken":
    case "external_id_taken":
      return failed(c, notCreated(outcome, domain));
  }
}

function failed(c: Context<ApiEnv>, refusal: Refusal): Result {
  const { errors, ...document } = problemOf(c.env.scope, refusal);
  const error = errors === undefined ? document : { ...document, errors: [...errors] };
  return { status: document.status, error };
}
