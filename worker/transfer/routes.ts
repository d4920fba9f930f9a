/**
 * `GET /api/v1/export` and `POST /api/v1/import`: both answer as a stream, whose beginning is known to be good before it is answered.
 *
 * @module
 */
import { OpenAPIHono } from "@hono/zod-openapi";
import type { Context, MiddlewareHandler } from "hono";
import { reportEnd, reportRow } from "../../shared/schema/transfer.ts";
import type { UrlPolicy } from "../../shared/url-policy.ts";
import type { ApiEnv } from "../http/api-env.ts";
import { placeOf, type RequestScope } from "../http/context.ts";
import { chooseDomain } from "../http/link-key.ts";
import { Refusal } from "../http/problem.ts";
import { refuseInvalid } from "../http/validation.ts";
import { log } from "../telemetry/log.ts";
import type { OpenAdoption } from "./adopt.ts";
import { openBody } from "./body.ts";
import { exportCall, importCall, NDJSON } from "./contract.ts";
import { type ExportParts, openExport } from "./export.ts";
import { FileRefused, type ImportedRow } from "./formats/format.ts";
import { csvHeader, csvRow, jsonlRow } from "./formats/hop.ts";
import { readImport } from "./formats/read.ts";
import { type ImportManners, runImport } from "./import.ts";
import type { ExportPosition } from "./queries.ts";
import { reportText } from "./report.ts";

/** What both need, handed in. */
export interface TransferParts extends ExportParts {
  /** Hosts that links may live on; empty when each host is a domain of its own. */
  readonly domains: readonly string[];
  /** What destinations are allowed, given all hosts that are the service's own. */
  readonly policyFor: (ownHosts: readonly string[]) => UrlPolicy;
  readonly openAdoption: OpenAdoption;
  /** Whether the caller may do everything, and so may have the hashes of passwords. */
  readonly isAdmin: (request: Request, scope: RequestScope) => Promise<boolean>;
  readonly mayRead: MiddlewareHandler<ApiEnv>;
  /** Takes no notice of an `Idempotency-Key`: the body is not held in memory. */
  readonly mayWrite: MiddlewareHandler<ApiEnv>;
}

/** `GET /api/v1/export` */
export function exportRoutes(parts: TransferParts): OpenAPIHono<ApiEnv> {
  const routes = new OpenAPIHono<ApiEnv>({ defaultHook: refuseInvalid });
  routes.use("/*", parts.mayRead);
  routes.openapi(exportCall, async (c) => {
    const { format, domain, tag, after, limit = Infinity } = c.req.valid("query");
    const day = new Date(c.env.scope.now).toISOString().slice(0, "2026-12-01".length);
    const row = format === "csv" ? csvRow : jsonlRow;
    const withHashes = await parts.isAdmin(c.req.raw, c.env.scope);
    const stream = await openExport(parts, {
      domain: domain?.toLowerCase(),
      tag,
      after: after === undefined ? undefined : positionOf(after),
      limit,
      header: format === "csv" && after === undefined ? csvHeader() : "",
      write: withHashes ? row : ({ passwordHash: _hash, ...link }) => row(link),
    });
    return c.body(stream, 200, {
      "Content-Type": format === "csv" ? "text/csv; charset=utf-8" : NDJSON,
      "Content-Disposition": `attachment; filename="hop-links-${day}.${format}"`,
      "Cache-Control": "no-store",
    });
  });
  return routes;
}

/** No domain has a slash, and no code. */
function positionOf(after: string): ExportPosition {
  const slash = after.indexOf("/");
  return { domain: after.slice(0, slash).toLowerCase(), shortCode: after.slice(slash + 1).normalize("NFC") };
}

/** `POST /api/v1/import` */
export function importRoutes(parts: TransferParts): OpenAPIHono<ApiEnv> {
  const routes = new OpenAPIHono<ApiEnv>({ defaultHook: refuseInvalid });
  routes.openAPIRegistry.register("ImportRow", reportRow);
  routes.openAPIRegistry.register("ImportEnd", reportEnd);
  routes.use("/*", parts.mayWrite);
  routes.openapi(importCall, async (c) => {
    const { format, domain, fromLine, limit, dryRun: isDryRun } = c.req.valid("query");
    const domains = { ...domainsOf(c, parts), givenDomain: domain && chooseDomain(c, parts.domains, domain) };
    const { scope } = c.env;
    const { body, drain } = openBody(fileOf(c));
    const contentType = typeOf(c);
    const rows = await begin(
      readImport(body, {
        ...(format === undefined ? {} : { format }),
        ...(contentType === undefined ? {} : { contentType }),
      }),
    );

    let isOver = false;
    const manners: ImportManners = {
      ...domains,
      fromLine,
      limit,
      isDryRun,
      requestId: scope.requestId,
      isOver: () => isOver,
    };
    const adopt = parts.openAdoption({ place: placeOf(c.req.raw), isDryRun });
    const encoder = new TextEncoder();
    const report = new ReadableStream<Uint8Array>({
      // The report waits for nobody: many clients read nothing before they have sent all, and would wait for us as we for them. Its size is
      // bounded by the number of rows.
      start(controller) {
        const run = async (): Promise<void> => {
          const counts = await runImport(adopt, rows, manners, (lines) => {
            if (!isOver) controller.enqueue(encoder.encode(lines.map(reportText).join("")));
          });
          log("info", "links_imported", { requestId: scope.requestId, isDryRun, ...counts });
          // An answer that ends before its request has been read looks like a failure to many clients.
          await drain();
          if (!isOver) controller.close();
        };
        // What was begun is brought to its end when its caller has gone: rows that stand must be published.
        scope.waitUntil(run());
      },
      cancel() {
        isOver = true;
      },
    });
    return new Response(report, { headers: { "Content-Type": NDJSON, "Cache-Control": "no-store" } });
  });
  return routes;
}

/** Which domains a row may be for, and what is allowed there. */
function domainsOf(c: Context<ApiEnv>, { domains, policyFor }: TransferParts) {
  const { host } = c.env.scope;
  const known = new Set(domains.length === 0 ? [host] : domains);
  const policies = new Map<string, UrlPolicy>();
  return {
    ownDomain: (named: string) => {
      const domain = named.toLowerCase().replace(/\.$/, "");
      return known.has(domain) ? domain : undefined;
    },
    defaultDomain: chooseDomain(c, domains, undefined),
    policyFor: (domain: string) => {
      const policy = policies.get(domain) ?? policyFor([...domains, domain, host]);
      policies.set(domain, policy);
      return policy;
    },
  };
}

/** The file, which is the body as it stands. */
function fileOf(c: Context<ApiEnv>): ReadableStream<Uint8Array> {
  const { body } = c.req.raw;
  if (/^multipart\//i.test(c.req.header("Content-Type") ?? "")) {
    throw new Refusal("unsupported_media_type", "Send the file itself as the body, not a form: curl -T links.csv.");
  }
  if (body === null) throw new Refusal("invalid_request", "The body is empty; send a file of links.");
  return body;
}

/** What the caller says of the file. `curl --data-binary` says that it is a form when it is told nothing. */
function typeOf(c: Context<ApiEnv>): string | undefined {
  const type = c.req.header("Content-Type");
  return type?.toLowerCase().startsWith("application/x-www-form-urlencoded") === true ? undefined : type;
}

/** Reads up to the first row: a file that cannot be read is refused before anything is done with it. */
async function begin(rows: AsyncIterable<ImportedRow>): Promise<AsyncIterable<ImportedRow>> {
  const iterator = rows[Symbol.asyncIterator]();
  try {
    const first = await iterator.next();
    return goOn(first, iterator);
  } catch (error) {
    if (error instanceof FileRefused) throw new Refusal("invalid_request", error.message);
    throw error;
  }
}

async function* goOn(
  first: IteratorResult<ImportedRow>,
  iterator: AsyncIterator<ImportedRow>,
): AsyncGenerator<ImportedRow> {
  try {
    for (let next = first; next.done !== true; next = await iterator.next()) yield next.value;
  } finally {
    await iterator.return?.();
  }
}
