/**
 * A client that a public generator makes of the document: it compiles, knows what there is, and drives the service. It is made, compiled
 * and run as its user would do it, in a folder of its own.
 *
 * @module
 */
import SwaggerParser from "@apidevtools/swagger-parser";
import { execFile } from "node:child_process";
import { mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterAll, beforeAll, test } from "vitest";
import { parseJson } from "../../shared/json.ts";
import { ADMIN_KEY, type Service, startService } from "./service.ts";

const HOST = "client.example.test";
const MODULES = fileURLToPath(new URL("../../node_modules", import.meta.url));
const LIMIT = { timeout: 60_000 };
const run = promisify(execFile);

/** What a new project asks of its compiler, and what Node needs to run it as it stands. */
const TSCONFIG = {
  compilerOptions: {
    strict: true,
    noEmit: true,
    target: "es2024",
    lib: ["es2024", "dom"],
    types: ["node"],
    module: "nodenext",
    erasableSyntaxOnly: true,
    allowImportingTsExtensions: true,
    skipLibCheck: true,
  },
  files: ["client.ts"],
};

const PROGRAM = `
import { ok } from "@oazapfts/runtime";
import * as hop from "./client.ts";

const [, , origin = "", key = "", domain = ""] = process.argv;
hop.defaults.baseUrl = origin;
hop.defaults.headers = { Authorization: \`Bearer \${key}\` };

const made = await hop.createLink(
  { longUrl: "https://example.com/spring", domain, tags: ["spring"], rules: [{ if: { country: ["FR"] }, then: { longUrl: "https://example.com/fr" } }] },
  { idempotencyKey: crypto.randomUUID() },
);
if (made.status !== 201) throw new Error(JSON.stringify(made));
const code: string = made.data.shortCode;
const changed = await ok(hop.changeLink(code, { title: "Spring" }, { domain }));
const stale = await hop.changeLink(code, { title: "Summer" }, { domain, ifMatch: '"1"' });
const upserted = await hop.upsertLink({ longUrl: "https://example.com/upserted", domain, externalId: "one" });
const bulk = await ok(hop.createLinks({ links: [{ longUrl: "https://example.com/bulk", domain }, { longUrl: "ftp://example.com/", domain }] }));
const refused = await hop.createLink({ longUrl: "nowhere" });
const listed = await ok(hop.listLinks({ domain, order: "asc" }));
const stats = await ok(hop.readLinkStats(code, { domain, interval: "day" }));
const webhook = await ok(hop.createWebhook({ url: "https://example.com/hook", events: ["link.created"] }));
const keyMade = await ok(hop.createKey({ name: "reader", scopes: ["links:read"] }));
const withIt = { headers: { Authorization: \`Bearer \${keyMade.key}\` } };
const read = await ok(hop.readLink(code, { domain }, withIt));
const forbidden = await hop.deleteLink(code, { domain }, withIt);
const exported = await hop.exportLinks({ domain, format: "csv" });
const answers = {
  changed: changed.title,
  stale: stale.status === 412 ? stale.data.code : stale.status,
  upserted: upserted.status,
  bulk: bulk.results.map((result) => result.status),
  refused: refused.status === 400 ? refused.data.errors?.map(({ path }) => path) : refused.status,
  listed: listed.links.map((link) => link.longUrl),
  clicks: stats.totals.clicks,
  webhook: webhook.events,
  read: read.tags,
  forbidden: forbidden.status === 403 ? forbidden.data.code : forbidden.status,
  exported: String(exported.data).split("\\r\\n").length,
  deleted: (await hop.deleteLink(code, { domain })).status,
  webhookDeleted: (await hop.deleteWebhook(webhook.id)).status,
  revoked: (await hop.revokeKey(keyMade.id)).status,
};
console.log(JSON.stringify(answers));
`;

/** What the types have to refuse, each at its own line. */
const MISTAKES = [
  'await hop.createLink({ url: "https://example.com/" });',
  'await hop.createLink({ longUrl: "https://example.com/", redirectStatus: 303 });',
  "await hop.createLink({});",
  'await hop.readStats({ interval: "year" });',
  'await hop.createKey({ name: "all", scopes: ["everything"] });',
];

let service: Service;
let folder: string;

beforeAll(async () => {
  service = await startService(HOST, { DOMAINS: HOST });
  folder = await mkdtemp(join(tmpdir(), "hop-client-"));
  await symlink(MODULES, join(folder, "node_modules"));
  await writeFile(join(folder, "package.json"), JSON.stringify({ type: "module" }));
  await run(bin("oazapfts"), [new URL("/api/openapi.json", service.origin).href, "client.ts"], { cwd: folder });
}, LIMIT.timeout);
afterAll(async () => {
  await service.stop();
  await rm(folder, { recursive: true });
});

function bin(name: string): string {
  return join(MODULES, ".bin", name);
}

/** Compiles the client and a program that uses it; answers what the compiler finds. */
async function compile(name: string, program: string): Promise<string[]> {
  await writeFile(join(folder, name), program);
  await writeFile(join(folder, "tsconfig.json"), JSON.stringify({ ...TSCONFIG, files: ["client.ts", name] }));
  try {
    await run(bin("tsc"), ["--pretty", "false"], { cwd: folder });
    return [];
  } catch (error) {
    const said = error instanceof Error && "stdout" in error ? String(error.stdout) : "";
    if (said === "") throw error;
    return said.trim().split("\n");
  }
}

test("the document is a valid OpenAPI 3.1 document, and its references lead somewhere", async ({ expect }) => {
  await writeFile(join(folder, "openapi.json"), await (await service.fetch("/api/openapi.json")).text());
  const document = await SwaggerParser.validate(join(folder, "openapi.json"));
  expect(document).toMatchObject({ openapi: "3.1.0" });
});

test("a generated client compiles and drives the API", LIMIT, async ({ expect }) => {
  expect(await compile("program.ts", PROGRAM)).toEqual([]);
  const { stdout } = await run(process.execPath, ["program.ts", service.origin, ADMIN_KEY, HOST], { cwd: folder });
  expect(parseJson(stdout)).toEqual({
    changed: "Spring",
    stale: "precondition_failed",
    upserted: 201,
    bulk: [201, 400],
    refused: ["longUrl"],
    listed: ["https://example.com/spring", "https://example.com/upserted", "https://example.com/bulk"],
    clicks: 0,
    webhook: ["link.created"],
    read: ["spring"],
    forbidden: "forbidden",
    exported: 5,
    deleted: 204,
    webhookDeleted: 204,
    revoked: 204,
  });
});

test("its types refuse what the service would refuse", LIMIT, async ({ expect }) => {
  const found = await compile("mistakes.ts", ['import * as hop from "./client.ts";', ...MISTAKES].join("\n"));
  const lines = found.flatMap((line) => /^mistakes\.ts\((\d+),/.exec(line)?.[1] ?? []);
  expect(new Set(lines)).toEqual(new Set(MISTAKES.map((_, index) => String(index + 2))));
});
