/**
 * What the API says of itself: the page to read and try it, its files, and a page for each problem.
 *
 * @module
 */
import { afterAll, beforeAll, test } from "vitest";
import { isProblemCode, PROBLEMS, problemType } from "../../shared/problem.ts";
import { PROBLEM_HELP } from "../../shared/problem-help.ts";
import { fieldOf, see, type Service, startService, stranger } from "./service.ts";

const CODES = Object.keys(PROBLEMS).filter(isProblemCode);
const HTML = { Accept: "text/html,application/xhtml+xml,*/*;q=0.8" };
const JSON_ASKED = { Accept: "application/json" };

let service: Service;

beforeAll(async () => {
  service = await startService("docs.example.test");
});
afterAll(() => service.stop());

async function filesOfPage(): Promise<string[]> {
  const { text } = await see(service.fetch("/api/docs"));
  return [...text.matchAll(/(?:src|href)="([^"]*\/assets\/[^"]*)"/g)].map(([, path = ""]) => path);
}

test("200: GET and HEAD /api/docs need no key, and allow neither inline scripts nor other hosts", async ({
  expect,
}) => {
  const page = await see(service.fetch("/api/docs"));
  const head = await see(service.fetch("/api/docs", { method: "HEAD" }));
  expect([page.status, head.status, head.text]).toEqual([200, 200, ""]);
  for (const { headers } of [page, head]) {
    expect(headers).toMatchObject({ "content-type": "text/html; charset=utf-8", "x-content-type-options": "nosniff" });
    const policy = headers["content-security-policy"] ?? "";
    expect(policy).toMatch(/^default-src 'none'; script-src 'self'; style-src 'self';/);
    expect(policy).toContain("frame-ancestors 'none'");
    expect(policy).not.toMatch(/unsafe|https?:|\*/);
  }
  expect(page.text).not.toMatch(/<script(?![^>]*\bsrc=)|\bstyle=|https?:\/\//);
});

test("200: its files have their type and may be kept for good", async ({ expect }) => {
  const files = await filesOfPage();
  expect(files.map((path) => path.split("/").at(-1))).toEqual(["swagger-ui.css", "swagger-ui-bundle.js", "start.js"]);
  for (const path of files) {
    const file = await see(service.fetch(path));
    const head = await see(service.fetch(path, { method: "HEAD" }));
    const type = path.endsWith(".css") ? "text/css; charset=utf-8" : "text/javascript; charset=utf-8";
    for (const seen of [file, head]) {
      expect(seen).toMatchObject({
        status: 200,
        headers: {
          "content-type": type,
          "cache-control": "public, max-age=31536000, immutable",
          "x-content-type-options": "nosniff",
        },
      });
    }
    expect([file.text.length > 100, head.text]).toEqual([true, ""]);
  }
});

test("a file of another version is what it is now, and not kept", async ({ expect }) => {
  const seen = await see(service.fetch("/api/docs/assets/0.0.0/start.js"));
  expect(seen).toMatchObject({ status: 200, headers: { "cache-control": "no-store" } });
});

test.for([
  "/api/docs/assets/5/index.html",
  "/api/docs/assets/5/constructor",
  "/api/docs/problems/nothing",
  "/api/docs/x",
])("404: %s", async (path, { expect }) => {
  const seen = await see(service.fetch(path));
  expect(seen).toMatchObject({ status: 404, headers: { "content-type": "application/problem+json" } });
});

test.for(["/api/docs", "/api/openapi.json", "/api/docs/problems", "/api/docs/problems/gone"])(
  "405: POST %s takes GET and HEAD",
  async (path, { expect }) => {
    const seen = await see(service.fetch(path, { method: "POST" }));
    expect(seen).toMatchObject({ status: 405, headers: { allow: "GET, HEAD" }, body: { code: "method_not_allowed" } });
  },
);

test.for(CODES)("the type of %s is a page for people, and JSON for programs", async (code, { expect }) => {
  const page = await see(service.fetch(problemType(code), { headers: HTML }));
  expect(page).toMatchObject({ status: 200, headers: { "content-type": "text/html; charset=utf-8", vary: "Accept" } });
  expect(page.text).toContain(`<code>${code}</code>`);
  const data = await see(service.fetch(problemType(code), { headers: JSON_ASKED }));
  expect(data).toMatchObject({ status: 200, headers: { "content-type": "application/json", vary: "Accept" } });
  expect(data.body).toEqual({ code, type: problemType(code), ...PROBLEMS[code], ...PROBLEM_HELP[code] });
});

test("all problems are listed, for people and for programs", async ({ expect }) => {
  const page = await see(service.fetch("/api/docs/problems", { headers: HTML }));
  for (const code of CODES) expect(page.text).toContain(`href="${problemType(code)}"`);
  const { body } = await see(service.fetch("/api/docs/problems", { headers: JSON_ASKED }));
  expect(fieldOf(body, "problems")).toHaveLength(CODES.length);
});

test("the type that an answer names can be opened on the host that gave it", async ({ expect }) => {
  for (const path of ["/no-such-code", "/api/v1/links"]) {
    const { body, status } = await see(service.fetch(path, { headers: { ...stranger(), ...JSON_ASKED } }));
    const meant = await see(service.fetch(String(fieldOf(body, "type")), { headers: JSON_ASKED }));
    expect([meant.status, fieldOf(meant.body, "status")]).toEqual([200, status]);
  }
});
